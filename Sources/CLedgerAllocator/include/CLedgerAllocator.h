#pragma once

/// How jemalloc keeps memory, read by it as a program begins (jemalloc(3), TUNING): in two arenas, for more keep what
/// nobody has. Of no effect without jemalloc. A program has it, and no library: an app's memory is its own.
extern const char *_Nonnull malloc_conf;
