// The floor of a download: one connection, one request, a read and a write of a large buffer until all bytes are there.
// What the kernel needs to move them, and, with --tls, what OpenSSL needs to decrypt them; nothing is checked, recorded
// or synced.
//
// usage: recv [--tls] [--sha256] [--buffer BYTES] HOST PORT PATH FILE
//
// With --sha256 a second thread hashes what came out of the buffers that it was received in, and the sum is printed:
// the least that whoever hashes everything can do. Ends with 0 only when as many bytes came as the origin's
// Content-Length says.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// Of a hashed stream the buffers are small, and a few: what was written a moment ago is still in a cache.
enum { BUFFER_BYTES = 1 << 20, BUFFER_BYTES_MIN = 64 << 10, HASHED_BUFFER_BYTES = 256 << 10, BUFFERS = 8 };

static int connection;
static SSL *secure;

static void fail(const char *what) {
    if (ERR_peek_error() != 0) ERR_print_errors_fp(stderr);
    fprintf(stderr, "recv: %s%s%s\n", what, errno ? ": " : "", errno ? strerror(errno) : "");
    exit(1);
}

static void dial(const char *host, const char *port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(port))};
    if (inet_pton(AF_INET, host, &address.sin_addr) != 1) fail("HOST is an IPv4 address");
    connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection < 0) fail("socket");
    if (connect(connection, (struct sockaddr *)&address, sizeof address) != 0) fail("connect");
}

// No certificate is looked at: that costs a download nothing that can be measured.
static void encrypt(void) {
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    if (context == NULL) fail("SSL_CTX_new");
    // An origin that ends without a close_notify is judged by its Content-Length, as everywhere else.
    SSL_CTX_set_options(context, SSL_OP_IGNORE_UNEXPECTED_EOF);
    secure = SSL_new(context);
    if (secure == NULL || SSL_set_fd(secure, connection) != 1) fail("SSL_set_fd");
    if (SSL_connect(secure) != 1) fail("SSL_connect");
}

// What the next read brings; 0 at the end. Over TLS that is a record, of 16 KiB at most.
static size_t take(char *bytes, size_t room) {
    if (secure != NULL) {
        int count = SSL_read(secure, bytes, (int)room);
        if (count > 0) return (size_t)count;
        if (SSL_get_error(secure, count) == SSL_ERROR_ZERO_RETURN) return 0;
        fail("SSL_read");
    }
    ssize_t count = read(connection, bytes, room);
    if (count < 0) fail("read");
    return (size_t)count;
}

static void send_all(const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t done = secure ? SSL_write(secure, bytes, (int)count) : write(connection, bytes, count);
        if (done <= 0) fail("the request can not be sent");
        bytes += done;
        count -= (size_t)done;
    }
}

static void put(int file, const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t done = write(file, bytes, count);
        if (done < 0) fail("write");
        bytes += done;
        count -= (size_t)done;
    }
}

// What was received and is not hashed yet: as many buffers as `filled` is ahead of `hashed`, in a ring.
static struct { char *bytes; size_t count; } ring[BUFFERS];
static size_t filled, hashed;
static int is_over;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *hash(void *argument) {
    EVP_MD_CTX *sum = argument;
    pthread_mutex_lock(&lock);
    for (;;) {
        while (filled == hashed && !is_over) pthread_cond_wait(&changed, &lock);
        if (filled == hashed) break;
        size_t slot = hashed % BUFFERS;
        pthread_mutex_unlock(&lock);
        if (EVP_DigestUpdate(sum, ring[slot].bytes, ring[slot].count) != 1) fail("EVP_DigestUpdate");
        pthread_mutex_lock(&lock);
        hashed++;
        pthread_cond_signal(&changed);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

// A buffer that nobody hashes any more.
static char *free_buffer(void) {
    pthread_mutex_lock(&lock);
    while (filled - hashed == BUFFERS) pthread_cond_wait(&changed, &lock);
    char *bytes = ring[filled % BUFFERS].bytes;
    pthread_mutex_unlock(&lock);
    return bytes;
}

// The buffer that was free holds so many bytes now; none are the end.
static void hand_over(size_t count) {
    pthread_mutex_lock(&lock);
    if (count == 0) is_over = 1;
    else ring[filled++ % BUFFERS].count = count;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static void print_sum(EVP_MD_CTX *sum) {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int length;
    if (EVP_DigestFinal_ex(sum, digest, &length) != 1) fail("EVP_DigestFinal_ex");
    for (unsigned int i = 0; i < length; i++) printf("%02x", digest[i]);
    printf("\n");
}

// Reads until the head is whole; where its bytes end, and in `have` how many there are in all.
static size_t read_head(char *buffer, size_t size, size_t *have, long long *length) {
    *have = 0;
    for (;;) {
        size_t count = take(buffer + *have, size - 1 - *have);
        if (count == 0) fail("the connection ended within the head");
        *have += count;
        buffer[*have] = 0;
        char *end = strstr(buffer, "\r\n\r\n"), *stated = strcasestr(buffer, "\r\ncontent-length:");
        if (end == NULL) {
            if (*have == size - 1) fail("the head is too long");
            continue;
        }
        if (strncmp(buffer, "HTTP/1.1 200 ", 13) != 0) fail("the answer is not 200");
        if (stated == NULL || stated > end) fail("the answer has no Content-Length");
        *length = atoll(stated + 17);
        return (size_t)(end + 4 - buffer);
    }
}

int main(int count, char **words) {
    static const struct option known[] = {
        {"tls", no_argument, NULL, 't'}, {"sha256", no_argument, NULL, 's'}, {"buffer", required_argument, NULL, 'b'},
        {NULL, 0, NULL, 0}};
    size_t size = 0;
    int tls = 0, hashes = 0, option;
    while ((option = getopt_long(count, words, "", known, NULL)) != -1) {
        if (option == 't') tls = 1;
        else if (option == 's') hashes = 1;
        else if (option == 'b') size = strtoul(optarg, NULL, 10);
        else return 64;
    }
    if (size == 0) size = hashes ? HASHED_BUFFER_BYTES : BUFFER_BYTES;
    if (count - optind != 4 || size < BUFFER_BYTES_MIN || size > 1 << 30) {
        fprintf(stderr, "usage: recv [--tls] [--sha256] [--buffer BYTES, 64 KiB or more] HOST PORT PATH FILE\n");
        return 64;
    }
    const char *host = words[optind], *port = words[optind + 1], *path = words[optind + 2];
    char *buffer = malloc(size);
    char request[4096];
    int length = snprintf(
        request, sizeof request, "GET %s HTTP/1.1\r\nHost: %s:%s\r\nConnection: close\r\n\r\n", path, host, port);
    if (buffer == NULL || length >= (int)sizeof request) fail("PATH is too long");
    int file = open(words[optind + 3], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) fail(words[optind + 3]);
    dial(host, port);
    if (tls) encrypt();
    send_all(request, (size_t)length);

    EVP_MD_CTX *sum = EVP_MD_CTX_new();
    pthread_t hasher;
    if (sum == NULL || EVP_DigestInit_ex(sum, EVP_sha256(), NULL) != 1) fail("EVP_DigestInit_ex");
    for (int i = 0; i < BUFFERS && hashes; i++) {
        ring[i].bytes = malloc(size);
        if (ring[i].bytes == NULL) fail("malloc");
    }

    size_t have;
    long long whole;
    size_t body = read_head(buffer, size, &have, &whole);
    put(file, buffer + body, have - body);
    if (EVP_DigestUpdate(sum, buffer + body, have - body) != 1) fail("EVP_DigestUpdate");
    if (hashes && pthread_create(&hasher, NULL, hash, sum) != 0) fail("pthread_create");
    long long left = whole - (long long)(have - body);
    while (left > 0) {
        if (hashes) buffer = free_buffer();
        // Over TLS many records go into one write: a write for each costs a tenth more.
        size_t held = 0, wanted = left < (long long)size ? (size_t)left : size;
        do {
            size_t part = take(buffer + held, wanted - held);
            if (part == 0) fail("the connection ended early");
            held += part;
        } while (tls && held < wanted);
        put(file, buffer, held);
        if (hashes) hand_over(held);
        left -= (long long)held;
    }
    if (hashes) {
        hand_over(0);
        pthread_join(hasher, NULL);
        print_sum(sum);
    }
    errno = 0;
    if (left != 0) fail("more bytes came than were stated");
    if (close(file) != 0) fail("close");
    return 0;
}
