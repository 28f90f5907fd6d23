#define _GNU_SOURCE
#include "CLedgerSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t write_end = -1;
static int read_end = -1;

static void note(int number) {
    int before = errno;
    unsigned char byte = (unsigned char)number;
    // The pipe holds 65536 signals that nobody has read; more of them would say nothing new.
    ssize_t ignored = write(write_end, &byte, 1);
    (void)ignored;
    errno = before;
}

int ledger_signals_pipe(void) {
    if (read_end >= 0) return read_end;
    int ends[2];
    if (pipe(ends) != 0) return -1;
    for (int end = 0; end < 2; end++) fcntl(ends[end], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    write_end = ends[1];
    read_end = ends[0];
    return read_end;
}

int ledger_signals_catch(void) {
    const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (int index = 0; index < 3; index++) {
        struct sigaction now;
        if (sigaction(numbers[index], NULL, &now) != 0) return -1;
        // A shell without a terminal starts what it puts in the background with SIGINT ignored, which it does not ask
        // for: a script's 'kill -INT' is to be heard. nohup asks for SIGHUP to be.
        if (now.sa_handler == SIG_IGN && numbers[index] != SIGINT) continue;
        struct sigaction wanted = {0};
        wanted.sa_handler = note;
        wanted.sa_flags = SA_RESTART;
        sigfillset(&wanted.sa_mask);
        if (sigaction(numbers[index], &wanted, NULL) != 0) return -1;
    }
    return 0;
}

int ledger_signals_next(int descriptor) {
    unsigned char byte;
    ssize_t count;
    do count = read(descriptor, &byte, 1); while (count < 0 && errno == EINTR);
    return count == 1 ? byte : -1;
}

void ledger_signals_unblock(void) {
    sigset_t caught;
    sigemptyset(&caught);
    sigaddset(&caught, SIGINT);
    sigaddset(&caught, SIGTERM);
    sigaddset(&caught, SIGHUP);
    pthread_sigmask(SIG_UNBLOCK, &caught, NULL);
}

void ledger_signals_ignore_failures(void) {
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}
