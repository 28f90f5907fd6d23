#include "CLedgerAllocator.h"

#if __has_include(<jemalloc/jemalloc.h>)
#include <jemalloc/jemalloc.h>
#endif

// Each thread keeps at most sixteen small pieces of a size that it may take without a lock, where it would be two
// hundred: half a MiB at rest. Before 5.3 jemalloc has no such setting and says so on standard error.
#if defined(JEMALLOC_VERSION_MAJOR) && JEMALLOC_VERSION_MAJOR * 1000 + JEMALLOC_VERSION_MINOR >= 5003
const char *malloc_conf = "narenas:2,tcache_nslots_small_max:16";
#else
const char *malloc_conf = "narenas:2";
#endif
