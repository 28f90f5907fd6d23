// SQLite as a log: durable inserts of many threads, and a scan of the whole table.
//
// usage: sqlite appends FILE THREADS BYTES SECONDS | sqlite fill FILE COUNT BYTES | sqlite scan FILE
//
// Prints one line of JSON. The journal is a write-ahead log, synchronous is FULL: a commit is a sync. Each thread has a
// connection of its own; they take turns at a mutex, since SQLite's own way to wait for another writer is to sleep.

#define _GNU_SOURCE
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static const char *path;
static char *value;
static int bytes;
static double deadline;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void check(sqlite3 *db, int code) {
    if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW) return;
    fprintf(stderr, "sqlite: %s\n", sqlite3_errmsg(db));
    exit(1);
}

static sqlite3 *connection(void) {
    sqlite3 *db;
    check(NULL, sqlite3_open(path, &db));
    sqlite3_busy_timeout(db, 10000);
    check(db, sqlite3_exec(db, "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
        "CREATE TABLE IF NOT EXISTS events(seq INTEGER PRIMARY KEY, payload BLOB)", NULL, NULL, NULL));
    return db;
}

static sqlite3_stmt *insertion(sqlite3 *db) {
    sqlite3_stmt *insert;
    check(db, sqlite3_prepare_v2(db, "INSERT INTO events(payload) VALUES(?)", -1, &insert, NULL));
    check(db, sqlite3_bind_blob(insert, 1, value, bytes, SQLITE_STATIC));
    return insert;
}

static void *append(void *argument) {
    unsigned long *count = argument;
    pthread_mutex_lock(&turn);
    sqlite3 *db = connection();
    sqlite3_stmt *insert = insertion(db);
    pthread_mutex_unlock(&turn);
    for (; now() < deadline; ++*count) {
        pthread_mutex_lock(&turn);
        int code = sqlite3_step(insert);
        sqlite3_reset(insert);
        pthread_mutex_unlock(&turn);
        check(db, code);
    }
    return NULL;
}

static void appends(int callers, double seconds) {
    pthread_t *threads = calloc((size_t)callers, sizeof *threads);
    unsigned long *counts = calloc((size_t)callers, sizeof *counts), count = 0;
    double begin = now();
    deadline = begin + seconds;
    for (int i = 0; i < callers; i++) pthread_create(&threads[i], NULL, append, &counts[i]);
    for (int i = 0; i < callers; i++) {
        pthread_join(threads[i], NULL);
        count += counts[i];
    }
    printf("{\"appendsPerSecond\": %.1f}\n", (double)count / (now() - begin));
}

static void fill(long count) {
    sqlite3 *db = connection();
    sqlite3_stmt *insert = insertion(db);
    check(db, sqlite3_exec(db, "BEGIN", NULL, NULL, NULL));
    for (long i = 0; i < count; i++) {
        check(db, sqlite3_step(insert));
        sqlite3_reset(insert);
    }
    check(db, sqlite3_exec(db, "COMMIT; PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL));
}

static void scan(void) {
    sqlite3 *db = connection();
    sqlite3_stmt *select;
    double begin = now();
    long count = 0;
    unsigned long sum = 0;
    check(db, sqlite3_prepare_v2(db, "SELECT seq, payload FROM events ORDER BY seq", -1, &select, NULL));
    while (sqlite3_step(select) == SQLITE_ROW) {
        const unsigned char *payload = sqlite3_column_blob(select, 1);
        sum += payload[0] + (unsigned)sqlite3_column_bytes(select, 1);
        count++;
    }
    double seconds = now() - begin;
    printf("{\"events\": %ld, \"eventsPerSecond\": %.1f, \"sum\": \"%lu\"}\n", count, (double)count / seconds, sum);
}

int main(int count, char **words) {
    if (count < 3) return 2;
    path = words[2];
    if (strcmp(words[1], "scan") == 0) {
        scan();
        return 0;
    }
    if (count < 5) return 2;
    bytes = atoi(words[4]);
    value = malloc((size_t)bytes);
    memset(value, 'x', (size_t)bytes);
    if (strcmp(words[1], "appends") == 0 && count > 5) appends(atoi(words[3]), atof(words[5]));
    else fill(atol(words[3]));
    return 0;
}
