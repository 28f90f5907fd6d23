#pragma once

/// How jemalloc keeps memory, read by it as a program begins (jemalloc(3), TUNING): an arena for each of two cores, for
/// more keep what nobody has, and at most 64 pieces of a size with each thread. Of no effect without jemalloc. A program
/// has it, and no library: an app's memory is its own.
extern const char *_Nonnull malloc_conf;
