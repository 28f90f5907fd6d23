#define _GNU_SOURCE
#include "CLedgerSystem.h"

#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// The length of an address that text names, with a port that does not matter; 0 for other text.
static socklen_t fill_address(struct sockaddr_storage *address, const char *text) {
    struct addrinfo hints = {.ai_socktype = SOCK_DGRAM, .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    if (getaddrinfo(text, "9", &hints, &found) != 0) return 0;
    socklen_t length = found->ai_addrlen;
    memcpy(address, found->ai_addr, length);
    freeaddrinfo(found);
    return length;
}

static int is_same_host(const struct sockaddr *one, const struct sockaddr_storage *other) {
    if (one == NULL || one->sa_family != other->ss_family) return 0;
    if (one->sa_family == AF_INET) {
        return ((const struct sockaddr_in *)one)->sin_addr.s_addr
               == ((const struct sockaddr_in *)other)->sin_addr.s_addr;
    }
    return memcmp(&((const struct sockaddr_in6 *)one)->sin6_addr, &((const struct sockaddr_in6 *)other)->sin6_addr,
                  sizeof(struct in6_addr)) == 0;
}

int ledger_way_to(const char *text) {
    struct sockaddr_storage address;
    socklen_t length = fill_address(&address, text);
    if (length == 0) return 1;
    int descriptor = socket(address.ss_family, SOCK_DGRAM, 0);
    if (descriptor < 0) return errno != EAFNOSUPPORT;
    // Of a datagram socket connect(2) looks the route up and sends nothing.
    int connected = connect(descriptor, (struct sockaddr *)&address, length);
    int reason = errno;
    struct sockaddr_storage own;
    socklen_t own_length = sizeof own;
    int is_named = connected == 0 && getsockname(descriptor, (struct sockaddr *)&own, &own_length) == 0;
    close(descriptor);
    if (connected != 0) {
        return reason != ENETUNREACH && reason != EHOSTUNREACH && reason != ENETDOWN && reason != EADDRNOTAVAIL;
    }
    // A route stays behind when the cable of an address that was set by hand is pulled: the interface says so.
    struct ifaddrs *all;
    if (!is_named || getifaddrs(&all) != 0) return 1;
    int has_way = 1;
    for (struct ifaddrs *each = all; each != NULL; each = each->ifa_next) {
        if (is_same_host(each->ifa_addr, &own)) has_way = (each->ifa_flags & IFF_RUNNING) != 0;
    }
    freeifaddrs(all);
    return has_way;
}

int ledger_has_interface(void) {
    struct ifaddrs *all;
    if (getifaddrs(&all) != 0) return 0;
    int has = 0;
    for (struct ifaddrs *each = all; each != NULL; each = each->ifa_next) {
        if (!(each->ifa_flags & IFF_LOOPBACK) && (each->ifa_flags & IFF_UP)) has = 1;
    }
    freeifaddrs(all);
    return has;
}

int ledger_name_is_unknown(const char *host) {
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    int code = getaddrinfo(host, NULL, &hints, &found);
    if (found != NULL) freeaddrinfo(found);
#if defined(EAI_NODATA)
    if (code == EAI_NODATA) return 1;
#endif
    return code == EAI_NONAME;
}
