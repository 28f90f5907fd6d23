#ifndef C_LEDGER_SYSTEM_H
#define C_LEDGER_SYSTEM_H
#include <stddef.h>
#include <stdint.h>
uint32_t ledger_crc32c(uint32_t seed, const void *bytes, size_t count);
#endif
