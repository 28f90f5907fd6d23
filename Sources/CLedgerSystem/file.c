#define _GNU_SOURCE
#include "CLedgerSystem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#if defined(__APPLE__)
#include <sys/mount.h>
#include <sys/param.h>
#endif
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/statfs.h>
#include <sys/syscall.h>
#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1
#endif
#endif

int ledger_rename_exclusive(const char *source, const char *target) {
#if defined(__APPLE__)
    return renamex_np(source, target, RENAME_EXCL);
#elif defined(SYS_renameat2)
    return (int)syscall(SYS_renameat2, AT_FDCWD, source, AT_FDCWD, target, RENAME_NOREPLACE);
#else
    errno = ENOSYS;
    return -1;
#endif
}

int ledger_allocate(int descriptor, int64_t offset, int64_t count, bool extending) {
#if defined(__APPLE__)
    struct stat now;
    if (fstat(descriptor, &now) != 0) return -1;
    int64_t end = offset + count;
    if (end > now.st_size) {
        fstore_t store = {F_ALLOCATEALL, F_PEOFPOSMODE, 0, end - now.st_size, 0};
        if (fcntl(descriptor, F_PREALLOCATE, &store) != 0) return -1;
        if (extending) return ftruncate(descriptor, end);
    }
    return 0;
#else
    return fallocate(descriptor, extending ? 0 : FALLOC_FL_KEEP_SIZE, offset, count);
#endif
}

int ledger_synchronize(int descriptor) {
#if defined(__APPLE__)
    return fcntl(descriptor, F_FULLFSYNC) == -1 ? -1 : 0;
#else
    return fdatasync(descriptor);
#endif
}

int ledger_begin_writeback(int descriptor, int64_t offset, int64_t count) {
#if defined(__linux__)
    return sync_file_range(descriptor, offset, count, SYNC_FILE_RANGE_WRITE);
#else
    (void)descriptor, (void)offset, (void)count;
    return 0;
#endif
}

int64_t ledger_first_hole(int descriptor) {
    return lseek(descriptor, 0, SEEK_HOLE);
}

int ledger_set_modified(int descriptor, int64_t nanoseconds) {
    int64_t seconds = nanoseconds / 1000000000, rest = nanoseconds % 1000000000;
    if (rest < 0) {
        seconds -= 1;
        rest += 1000000000;
    }
    struct timespec times[2] = {{0, UTIME_OMIT}, {(time_t)seconds, (long)rest}};
    return futimens(descriptor, times);
}

const char *ledger_entry_name(const void *entry) { return ((const struct dirent *)entry)->d_name; }

int64_t ledger_uptime_nanoseconds(void) {
    struct timespec now;
#if defined(__linux__)
    clock_gettime(CLOCK_BOOTTIME, &now);
#else
    clock_gettime(CLOCK_MONOTONIC, &now);
#endif
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int ledger_volume_kind(const char *path, int64_t *number, char *name, size_t count) {
    struct statfs answer;
    if (statfs(path, &answer) != 0) return -1;
#if defined(__APPLE__)
    *number = 0;
    snprintf(name, count, "%s", answer.f_fstypename);
#else
    *number = (int64_t)answer.f_type;
    snprintf(name, count, "%s", "");
#endif
    return 0;
}
