#include "CLedgerAllocator.h"

const char *malloc_conf = "narenas:2,tcache_nslots_small_max:64";
