// Asks one thing over HTTP again and again, over so many connections at once, each of which waits for its answer: a
// client that costs next to nothing.
//
// usage: asks PORT PATH BODY CONNECTIONS SECONDS
//
// Posts BODY to PATH on a port of loopback; prints one line of JSON. An answer that is not 200 ends it.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int port;
static char request[16384];
static int length;
static double deadline;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void fail(const char *what) {
    fprintf(stderr, "asks: %s\n", what);
    exit(1);
}

static int dial(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int one = 1, descriptor = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0) fail("can not connect");
    return descriptor;
}

// Reads one answer: its head, and as many bytes as that says.
static void receive(int descriptor) {
    char answer[65536];
    size_t have = 0;
    for (;;) {
        ssize_t part = read(descriptor, answer + have, sizeof answer - 1 - have);
        if (part <= 0) fail("the connection ended");
        have += (size_t)part;
        answer[have] = 0;
        char *end = strstr(answer, "\r\n\r\n"), *stated = strcasestr(answer, "content-length:");
        if (end == NULL) continue;
        if (strncmp(answer, "HTTP/1.1 200", 12) != 0 || stated == NULL || stated > end) fail(answer);
        if (have >= (size_t)(end + 4 - answer) + strtoul(stated + 15, NULL, 10)) return;
    }
}

static void *ask(void *argument) {
    unsigned long *count = argument;
    int descriptor = dial();
    for (; now() < deadline; ++*count) {
        if (write(descriptor, request, (size_t)length) != length) fail("the connection takes nothing");
        receive(descriptor);
    }
    close(descriptor);
    return NULL;
}

int main(int count, char **words) {
    if (count != 6) return 2;
    port = atoi(words[1]);
    length = snprintf(request, sizeof request,
        "POST %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
        words[2], port, strlen(words[3]), words[3]);
    if (length >= (int)sizeof request) fail("the body is too long");
    int callers = atoi(words[4]);
    pthread_t *threads = calloc((size_t)callers, sizeof *threads);
    unsigned long *counts = calloc((size_t)callers, sizeof *counts), sum = 0;
    double begin = now();
    deadline = begin + atof(words[5]);
    for (int i = 0; i < callers; i++) pthread_create(&threads[i], NULL, ask, &counts[i]);
    for (int i = 0; i < callers; i++) {
        pthread_join(threads[i], NULL);
        sum += counts[i];
    }
    printf("{\"appendsPerSecond\": %.1f}\n", (double)sum / (now() - begin));
    return 0;
}
