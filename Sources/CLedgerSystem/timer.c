#define _GNU_SOURCE
#include "CLedgerSystem.h"

#if defined(__linux__)
#include <errno.h>
#include <sys/timerfd.h>
#include <unistd.h>

int ledger_timer(void) { return timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC); }

int ledger_timer_set(int descriptor, int64_t seconds, int64_t nanoseconds) {
    struct itimerspec instant = {.it_value = {.tv_sec = (time_t)seconds, .tv_nsec = (long)nanoseconds}};
    return timerfd_settime(descriptor, TFD_TIMER_ABSTIME, &instant, NULL);
}

int ledger_timer_wait(int descriptor) {
    uint64_t expirations;
    ssize_t count;
    do {
        count = read(descriptor, &expirations, sizeof expirations);
    } while (count < 0 && errno == EINTR);
    return count < 0 ? -1 : 0;
}
#endif
