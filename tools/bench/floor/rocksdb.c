// RocksDB as a log: synced writes, and how long it takes to recover its write-ahead log.
//
// usage: rocksdb appends DIR THREADS BYTES SECONDS | rocksdb fill DIR COUNT BYTES | rocksdb recover DIR
//
// Prints one line of JSON. 'appends' has each thread write one value of its own after the other, each of them synced
// (RocksDB shares a sync among those that wait). 'fill' writes so many values over a tenth as many keys into the log
// alone and ends as a crash would; 'recover' opens that, and tells the seconds.

#define _GNU_SOURCE
#include <pthread.h>
#include <rocksdb/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static rocksdb_t *db;
static char *value;
static size_t bytes;
static double deadline;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void check(char *error) {
    if (error == NULL) return;
    fprintf(stderr, "rocksdb: %s\n", error);
    exit(1);
}

// What is recovered is the log, all of it: nothing leaves it for a table, neither while it is filled nor afterwards. And
// no room is taken ahead: with such a buffer that would be 18 GB of the disk for each log.
static const char *log_alone = "write_buffer_size=17179869184;max_total_wal_size=68719476736;"
    "disable_auto_compactions=true;avoid_flush_during_recovery=true;allow_fallocate=false";

static void open_at(const char *directory, const char *words) {
    rocksdb_options_t *plain = rocksdb_options_create(), *options = rocksdb_options_create();
    char *error = NULL;
    rocksdb_options_set_create_if_missing(plain, 1);
    rocksdb_get_options_from_string(plain, words, options, &error);
    check(error);
    db = rocksdb_open(options, directory, &error);
    check(error);
}

static void put(rocksdb_writeoptions_t *options, unsigned long number) {
    char key[32], *error = NULL;
    int length = snprintf(key, sizeof key, "key:%012lu", number);
    rocksdb_put(db, options, key, (size_t)length, value, bytes, &error);
    check(error);
}

struct caller {
    pthread_t thread;
    unsigned long number, count;
};

static void *append(void *argument) {
    struct caller *caller = argument;
    rocksdb_writeoptions_t *options = rocksdb_writeoptions_create();
    rocksdb_writeoptions_set_sync(options, 1);
    for (; now() < deadline; caller->count++) put(options, caller->number * 1000000000 + caller->count);
    return NULL;
}

static void appends(int callers, double seconds) {
    struct caller *all = calloc((size_t)callers, sizeof *all);
    unsigned long count = 0;
    double begin = now();
    deadline = begin + seconds;
    for (int i = 0; i < callers; i++) {
        all[i].number = (unsigned long)i;
        pthread_create(&all[i].thread, NULL, append, &all[i]);
    }
    for (int i = 0; i < callers; i++) {
        pthread_join(all[i].thread, NULL);
        count += all[i].count;
    }
    printf("{\"appendsPerSecond\": %.1f}\n", (double)count / (now() - begin));
}

int main(int count, char **words) {
    if (count < 3) return 2;
    if (strcmp(words[1], "recover") == 0) {
        double begin = now();
        open_at(words[2], log_alone);
        printf("{\"seconds\": %.6f}\n", now() - begin);
        fflush(stdout);
        // What closing would cost is no part of it.
        _exit(0);
    }
    if (count < 5) return 2;
    bytes = (size_t)atol(words[4]);
    value = malloc(bytes);
    memset(value, 'x', bytes);
    int appending = strcmp(words[1], "appends") == 0 && count > 5;
    open_at(words[2], appending ? "" : log_alone);
    if (appending) {
        appends(atoi(words[3]), atof(words[5]));
        fflush(stdout);
        _exit(0);
    }
    unsigned long values = (unsigned long)atol(words[3]);
    rocksdb_writeoptions_t *options = rocksdb_writeoptions_create();
    for (unsigned long i = 0; i < values; i++) put(options, i % (values / 10 + 1));
    char *error = NULL;
    rocksdb_flush_wal(db, 1, &error);
    check(error);
    _exit(0);
}
