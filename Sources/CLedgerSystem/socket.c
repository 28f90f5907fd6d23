#define _GNU_SOURCE
#include "CLedgerSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

static int fill_address(struct sockaddr_un *address, const char *path) {
    size_t count = strlen(path);
    if (count >= sizeof address->sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    memcpy(address->sun_path, path, count);
    return 0;
}

int ledger_local_socket(void) {
#if defined(SOCK_CLOEXEC)
    return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
#else
    int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
    if (descriptor < 0) return -1;
    int yes = 1;
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &yes, sizeof yes);
    return descriptor;
#endif
}

int ledger_local_bind(int descriptor, const char *path) {
    struct sockaddr_un address;
    if (fill_address(&address, path) != 0) return -1;
    return bind(descriptor, (struct sockaddr *)&address, sizeof address);
}

int ledger_local_connect(int descriptor, const char *path) {
    struct sockaddr_un address;
    if (fill_address(&address, path) != 0) return -1;
    return connect(descriptor, (struct sockaddr *)&address, sizeof address);
}

int ledger_local_accept(int descriptor) {
#if defined(__linux__)
    return accept4(descriptor, NULL, NULL, SOCK_CLOEXEC);
#else
    int accepted = accept(descriptor, NULL, NULL);
    if (accepted < 0) return -1;
    int yes = 1;
    fcntl(accepted, F_SETFD, FD_CLOEXEC);
    setsockopt(accepted, SOL_SOCKET, SO_NOSIGPIPE, &yes, sizeof yes);
    return accepted;
#endif
}

int64_t ledger_local_peer_user(int descriptor) {
#if defined(__linux__)
    struct ucred peer;
    socklen_t count = sizeof peer;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &count) != 0) return -1;
    return peer.uid;
#else
    uid_t user;
    gid_t group;
    if (getpeereid(descriptor, &user, &group) != 0) return -1;
    return user;
#endif
}

int ledger_local_bound(int descriptor, int64_t milliseconds) {
    struct timeval silence = {.tv_sec = milliseconds / 1000, .tv_usec = milliseconds % 1000 * 1000};
    if (setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &silence, sizeof silence) != 0) return -1;
    return setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &silence, sizeof silence);
}

int64_t ledger_local_send(int descriptor, const void *bytes, size_t count) {
#if defined(MSG_NOSIGNAL)
    return send(descriptor, bytes, count, MSG_NOSIGNAL);
#else
    return send(descriptor, bytes, count, 0);
#endif
}

int ledger_local_tell(const char *path, const void *bytes, size_t count) {
    struct sockaddr_un address;
    if (fill_address(&address, path) != 0) return -1;
    // An abstract name begins with a null byte, and ends with its length alone.
    if (path[0] == '@') address.sun_path[0] = '\0';
    socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));
#if defined(SOCK_CLOEXEC)
    int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    int flags = MSG_NOSIGNAL | MSG_DONTWAIT;
#else
    int descriptor = socket(AF_UNIX, SOCK_DGRAM, 0);
    int flags = MSG_DONTWAIT;
#endif
    if (descriptor < 0) return -1;
    ssize_t sent;
    do sent = sendto(descriptor, bytes, count, flags, (struct sockaddr *)&address, length);
    while (sent < 0 && errno == EINTR);
    int code = errno;
    close(descriptor);
    errno = code;
    return sent == (ssize_t)count ? 0 : -1;
}
