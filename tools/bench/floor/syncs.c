// The floor of durable appends: a record is written, and one `fdatasync` made, again and again, by one thread. No log
// that makes each record durable before it takes the next can be faster on the same disk.
//
// usage: syncs FILE BYTES SECONDS
//
// The file is filled with zeros and synced first, so that no append has to find blocks or to record a length. Prints
// one line of JSON.

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// More than any disk here takes in the seconds of a run; an append that does not fit begins at the front again.
enum { FILE_BYTES = 64 << 20, FILL_BYTES = 1 << 20 };

static void fail(const char *what) {
    fprintf(stderr, "syncs: ");
    perror(what);
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void put(int file, const char *bytes, size_t count, off_t at) {
    while (count > 0) {
        ssize_t done = pwrite(file, bytes, count, at);
        if (done < 0) fail("pwrite");
        bytes += done;
        count -= (size_t)done;
        at += done;
    }
}

int main(int count, char **words) {
    if (count != 4 || atol(words[2]) < 1 || atol(words[2]) > FILL_BYTES || atof(words[3]) <= 0) {
        fprintf(stderr, "usage: syncs FILE BYTES SECONDS\n");
        return 64;
    }
    size_t size = (size_t)atol(words[2]);
    char *bytes = calloc(1, FILL_BYTES);
    if (bytes == NULL) fail("calloc");
    int file = open(words[1], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) fail(words[1]);
    int error = posix_fallocate(file, 0, FILE_BYTES);
    if (error != 0) {
        fprintf(stderr, "syncs: fallocate: %s\n", strerror(error));
        return 1;
    }
    for (off_t at = 0; at < FILE_BYTES; at += FILL_BYTES) put(file, bytes, FILL_BYTES, at);
    if (fsync(file) != 0) fail("fsync");

    memset(bytes, 'x', size);
    long appends = 0;
    off_t at = 0;
    double begin = now(), end = begin + atof(words[3]), time = begin;
    for (; time < end; time = now()) {
        put(file, bytes, size, at);
        if (fdatasync(file) != 0) fail("fdatasync");
        appends++;
        at += (off_t)size;
        if (at + (off_t)size > FILE_BYTES) at = 0;
    }
    printf("{\"appendsPerSecond\": %.1f}\n", (double)appends / (time - begin));
    return fflush(stdout) == 0 ? 0 : 1;
}
