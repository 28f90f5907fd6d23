#include "CTestWidth.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/// How many tests run at once for each processor: some wait for sockets, disks and other processes.
enum { TESTS_PER_PROCESSOR = 3 };

/// Swift Testing begins all tests of a process at once unless it is told otherwise. Then each takes minutes, and those
/// that watch a clock or another process fail for want of their turn. It reads this variable as it begins, which is
/// before any Swift of ours runs; whoever set it has the say, and so has `--experimental-maximum-parallelization-width`.
__attribute__((constructor)) static void bound_width(void) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    char width[24];
    snprintf(width, sizeof width, "%ld", (processors < 1 ? 1 : processors) * TESTS_PER_PROCESSOR);
    setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", width, 0);
}
