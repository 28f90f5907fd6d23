// Tells the thread sanitizer what Swift's libraries do where their code can not be watched: what `Mutex` does, and who
// still holds a value.
//
// A lock that nobody holds is taken by atomic instructions in the caller's own code, which the sanitizer sees. One that
// is held is waited for in libswiftSynchronization, in a futex of the kernel, and without this each such wait looks like
// a race. tools/check --sanitize thread loads it before everything else; in a process without the sanitizer it only
// passes on.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

// The runtime of the sanitizer: see llvm's tsan_interface.h.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// `_MutexHandle._lockSlow(_: UInt32)`
SWIFT void lock_slow(uint32_t thread, SELF void *handle) __asm__(LOCK);
SWIFT void lock_slow(uint32_t thread, SELF void *handle) {
    SWIFT void (*original)(uint32_t, SELF void *) = dlsym(RTLD_NEXT, LOCK);
    original(thread, handle);
    if (__tsan_acquire) __tsan_acquire(handle);
}

// `_MutexHandle._tryLockSlow() -> Bool`
SWIFT _Bool try_lock_slow(SELF void *handle) __asm__(TRY_LOCK);
SWIFT _Bool try_lock_slow(SELF void *handle) {
    SWIFT _Bool (*original)(SELF void *) = dlsym(RTLD_NEXT, TRY_LOCK);
    _Bool taken = original(handle);
    if (taken && __tsan_acquire) __tsan_acquire(handle);
    return taken;
}

// `_MutexHandle._unlockSlow()`
SWIFT void unlock_slow(SELF void *handle) __asm__(UNLOCK);
SWIFT void unlock_slow(SELF void *handle) {
    SWIFT void (*original)(SELF void *) = dlsym(RTLD_NEXT, UNLOCK);
    if (__tsan_release) __tsan_release(handle);
    original(handle);
}

// A value that is copied when it is written stands in one object for all who hold it; who is left alone with it writes
// it in place. Counting its holders, in libswiftCore, is what orders that write after their reads.
void swift_release(void *object) {
    static void (*original)(void *);
    if (!original) original = dlsym(RTLD_NEXT, "swift_release");
    if (object && __tsan_release) __tsan_release(object);
    original(object);
}

_Bool swift_isUniquelyReferenced_nonNull_native(void *object) {
    static _Bool (*original)(void *);
    if (!original) original = dlsym(RTLD_NEXT, "swift_isUniquelyReferenced_nonNull_native");
    _Bool isAlone = original(object);
    if (isAlone && __tsan_acquire) __tsan_acquire(object);
    return isAlone;
}
