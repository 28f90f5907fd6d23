// A way that is long: a relay on loopback that hands on what it is given so many milliseconds later, in each direction,
// as the way to a distant origin does. Not a floor, but what stands in for netem, which not every kernel has.
//
// usage: delay LISTEN-PORT TARGET-PORT MILLISECONDS [WINDOW-BYTES]
//
// At most WINDOW-BYTES of a connection are under way in a round trip, half of them in each direction (512 KiB when not
// told): that bounds memory, and the rate of one connection as TCP's window does. The handshake of a connection takes
// its round trip too: nothing that a client sends is taken before. There is no slow start. Says "ready", and runs until
// SIGTERM.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { CONNECTIONS_MAX = 1024, PIECE_BYTES = 64 << 10, WINDOW_BYTES = 512 << 10 };

typedef long long nanoseconds;

// Some bytes on their way, and when they arrive; one of no bytes is the end of the stream.
struct piece {
    struct piece *next;
    nanoseconds due;
    size_t size, sent;
    char bytes[];
};

// One direction of a connection.
struct line {
    int from, to;
    struct piece *first, *last;
    size_t bytes;
    int ended, closed, full;
};

struct connection {
    struct line lines[2];
    nanoseconds open;
};

static struct connection *connections[CONNECTIONS_MAX];
static int count;
static nanoseconds delay;
static size_t bound;

static void fail(const char *what) {
    fprintf(stderr, "delay: ");
    perror(what);
    exit(1);
}

static nanoseconds now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static int tcp(void) {
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) fail("socket");
    return descriptor;
}

static struct sockaddr_in loopback(const char *port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(port))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

static void send_at_once(int descriptor) {
    int one = 1;
    if (setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one) != 0) fail("TCP_NODELAY");
}

static void accept_one(int listening, const struct sockaddr_in *target) {
    int client = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
    if (client < 0) {
        // It has gone again.
        if (errno == ECONNABORTED || errno == EAGAIN || errno == EINTR) return;
        fail("accept");
    }
    int origin = tcp(), room = (int)bound;
    // Else the kernel takes megabytes of what this relay holds back.
    if (setsockopt(origin, SOL_SOCKET, SO_RCVBUF, &room, sizeof room) != 0) fail("SO_RCVBUF");
    struct connection *made = calloc(1, sizeof *made);
    if (made == NULL) fail("calloc");
    if (count == CONNECTIONS_MAX || connect(origin, (const struct sockaddr *)target, sizeof *target) != 0) {
        close(client);
        close(origin);
        free(made);
        return;
    }
    send_at_once(client);
    send_at_once(origin);
    made->open = now() + 2 * delay;
    made->lines[0] = (struct line){.from = client, .to = origin};
    made->lines[1] = (struct line){.from = origin, .to = client};
    connections[count++] = made;
}

// Takes what has come; false when the connection is broken.
static int take(struct connection *of, struct line *line) {
    size_t room = bound - line->bytes;
    if (room > PIECE_BYTES) room = PIECE_BYTES;
    struct piece *piece = malloc(sizeof *piece + room);
    if (piece == NULL) fail("malloc");
    ssize_t got = recv(line->from, piece->bytes, room, MSG_DONTWAIT);
    if (got < 0) {
        free(piece);
        return errno == EAGAIN || errno == EINTR;
    }
    nanoseconds time = now();
    piece->due = (time < of->open ? of->open : time) + delay;
    piece->size = (size_t)got;
    piece->sent = 0;
    piece->next = NULL;
    if (line->last == NULL) line->first = piece;
    else line->last->next = piece;
    line->last = piece;
    line->bytes += (size_t)got;
    line->ended = got == 0;
    return 1;
}

// Hands on what has arrived by `time`; false when the connection is broken.
static int give(struct line *line, nanoseconds time) {
    line->full = 0;
    for (struct piece *piece; (piece = line->first) != NULL && piece->due <= time;) {
        if (piece->size == 0) {
            if (shutdown(line->to, SHUT_WR) != 0) return 0;
            line->closed = 1;
        } else {
            ssize_t gone = send(
                line->to, piece->bytes + piece->sent, piece->size - piece->sent, MSG_DONTWAIT | MSG_NOSIGNAL);
            if (gone < 0) {
                line->full = errno == EAGAIN || errno == EINTR;
                return line->full;
            }
            piece->sent += (size_t)gone;
            line->bytes -= (size_t)gone;
            if (piece->sent < piece->size) continue;
        }
        line->first = piece->next;
        if (line->first == NULL) line->last = NULL;
        free(piece);
    }
    return 1;
}

static void end(int number) {
    struct connection *ended = connections[number];
    for (int which = 0; which < 2; which++) {
        close(ended->lines[which].from);
        for (struct piece *piece = ended->lines[which].first, *next; piece != NULL; piece = next) {
            next = piece->next;
            free(piece);
        }
    }
    free(ended);
    connections[number] = connections[--count];
}

// Waits until something can be taken or given, and does all of that.
static void turn(int listening, const struct sockaddr_in *target) {
    static struct pollfd waits[1 + 4 * CONNECTIONS_MAX];
    nanoseconds next = -1, time = now();
    int waiting = 1;
    waits[0] = (struct pollfd){.fd = listening, .events = POLLIN};
    for (int number = 0; number < count; number++) {
        for (int which = 0; which < 2; which++) {
            struct line *line = &connections[number]->lines[which];
            // -1 is not waited for: an end that is known would else be told again and again.
            int reads = !line->ended && line->bytes < bound;
            waits[waiting++] = (struct pollfd){.fd = reads ? line->from : -1, .events = POLLIN};
            waits[waiting++] = (struct pollfd){.fd = line->full ? line->to : -1, .events = POLLOUT};
            if (line->first == NULL || line->full) continue;
            nanoseconds left = line->first->due > time ? line->first->due - time : 0;
            if (next < 0 || left < next) next = left;
        }
    }
    struct timespec timeout = {.tv_sec = next / 1000000000, .tv_nsec = next % 1000000000};
    if (ppoll(waits, (nfds_t)waiting, next < 0 ? NULL : &timeout, NULL) < 0 && errno != EINTR) fail("ppoll");
    time = now();
    // From the last to the first: one that ends is replaced by one that had its turn.
    for (int number = count - 1; number >= 0; number--) {
        struct connection *one = connections[number];
        int sound = 1;
        for (int which = 0; which < 2 && sound; which++) {
            if (waits[1 + 4 * number + 2 * which].revents != 0) sound = take(one, &one->lines[which]);
            if (sound) sound = give(&one->lines[which], time);
        }
        if (!sound || (one->lines[0].closed && one->lines[1].closed)) end(number);
    }
    if (waits[0].revents != 0) accept_one(listening, target);
}

int main(int words, char **word) {
    if (words < 4 || words > 5 || atof(word[3]) <= 0 || (words == 5 && atol(word[4]) < 2)) {
        fprintf(stderr, "usage: delay LISTEN-PORT TARGET-PORT MILLISECONDS [WINDOW-BYTES]\n");
        return 64;
    }
    delay = (nanoseconds)(atof(word[3]) * 1e6);
    bound = (size_t)(words == 5 ? atol(word[4]) : WINDOW_BYTES) / 2;
    struct sockaddr_in own = loopback(word[1]), target = loopback(word[2]);
    int listening = tcp(), one = 1;
    if (setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) != 0) fail("SO_REUSEADDR");
    if (bind(listening, (struct sockaddr *)&own, sizeof own) != 0) fail("bind");
    if (listen(listening, CONNECTIONS_MAX) != 0) fail("listen");
    puts("ready");
    if (fflush(stdout) != 0) fail("stdout");
    for (;;) turn(listening, &target);
}
