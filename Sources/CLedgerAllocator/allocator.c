#include "CLedgerAllocator.h"

const char *malloc_conf = "narenas:2";
