#include "CLedgerSystem.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#if defined(__APPLE__)
#include <malloc/malloc.h>
#else
#if defined(__GLIBC__)
#include <malloc.h>
#endif
#include <sys/mman.h>
#endif

#if defined(__linux__)
// What is asked of jemalloc, as its manual and <jemalloc/jemalloc.h> have it: its header need not be there, nor need it
// be in the program.
struct extent_hooks {
    void *(*alloc)(struct extent_hooks *, void *, size_t, size_t, bool *, bool *, unsigned);
    void *others[8];
};
extern int mallctl(const char *, void *, size_t *, void *, size_t) __attribute__((weak));

static struct extent_hooks *usual_hooks;
static struct extent_hooks large_hooks;
static unsigned large_arena;
static bool has_large_arena;

static void *map_large(
    struct extent_hooks *hooks, void *at, size_t size, size_t alignment, bool *zero, bool *commit, unsigned arena) {
    (void)hooks;
    void *room = usual_hooks->alloc(usual_hooks, at, size, alignment, zero, commit, arena);
    // Where there are no large pages, it stays as it is.
    if (room != NULL) (void)madvise(room, size, MADV_HUGEPAGE);
    return room;
}

static void make_large_arena(void) {
    const char *percpu = NULL;
    size_t size = sizeof percpu;
    // Where threads change their arena with their core, none could be given its own back.
    if (mallctl("opt.percpu_arena", &percpu, &size, NULL, 0) != 0 || strcmp(percpu, "disabled") != 0) return;
    size = sizeof large_arena;
    if (mallctl("arenas.create", &large_arena, &size, NULL, 0) != 0) return;
    char name[64];
    snprintf(name, sizeof name, "arena.%u.extent_hooks", large_arena);
    size = sizeof usual_hooks;
    if (mallctl(name, &usual_hooks, &size, NULL, 0) != 0) return;
    large_hooks = *usual_hooks;
    large_hooks.alloc = map_large;
    struct extent_hooks *hooks = &large_hooks;
    has_large_arena = mallctl(name, NULL, NULL, &hooks, sizeof hooks) == 0;
}

unsigned ledger_take_large_pages(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (mallctl == NULL) return 0;
    pthread_once(&once, make_large_arena);
    unsigned before = 0;
    size_t size = sizeof before;
    if (!has_large_arena || mallctl("thread.arena", &before, &size, &large_arena, sizeof large_arena) != 0) return 0;
    return before + 1;
}

void ledger_take_usual_pages(unsigned before) {
    if (before == 0) return;
    before -= 1;
    (void)mallctl("thread.arena", NULL, NULL, &before, sizeof before);
}
#else
unsigned ledger_take_large_pages(void) { return 0; }
void ledger_take_usual_pages(unsigned before) { (void)before; }
#endif

void ledger_release_freed_memory(void) {
#if defined(__APPLE__)
    malloc_zone_pressure_relief(NULL, 0);
#else
#if defined(__linux__)
    // MALLCTL_ARENAS_ALL, which is 4096.
    if (mallctl != NULL) {
        (void)mallctl("thread.tcache.flush", NULL, NULL, NULL, 0);
        (void)mallctl("arena.4096.purge", NULL, NULL, NULL, 0);
    }
#endif
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
#endif
}
