#define _GNU_SOURCE
#include "CLedgerSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__APPLE__)
#include <crt_externs.h>
#include <pthread/qos.h>
#else
#include <sys/resource.h>
#include <sys/syscall.h>
extern char **environ;
#endif

int ledger_terminal_size(int descriptor, uint16_t *columns, uint16_t *rows) {
    struct winsize size;
    int answer = ioctl(descriptor, TIOCGWINSZ, &size);
    if (answer != 0) return answer;
    *columns = size.ws_col;
    *rows = size.ws_row;
    return 0;
}

int ledger_fill_standard_descriptors(void) {
    const int flags[] = {O_WRONLY, O_RDONLY, O_RDONLY};
    for (int wanted = STDIN_FILENO; wanted <= STDERR_FILENO; wanted++) {
        if (fcntl(wanted, F_GETFD) != -1 || errno != EBADF) continue;
        // The lowest free number is taken, and those below are in use.
        if (open("/dev/null", flags[wanted]) == -1) return -1;
    }
    return 0;
}

int ledger_exit_status(int wait_status) {
    return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

// What glibc hands to each constructor; Swift's runtime looks into /proc for it, which a chroot need not have.
static int argument_count;
static char **arguments;

#if defined(__GLIBC__)
__attribute__((constructor)) static void keep_arguments(int count, char **values) {
    argument_count = count;
    arguments = values;
}
#endif

char **ledger_arguments(int *count) {
#if defined(__APPLE__)
    argument_count = *_NSGetArgc();
    arguments = *_NSGetArgv();
#endif
    *count = argument_count;
    return arguments;
}

char **ledger_environment(void) {
#if defined(__APPLE__)
    return *_NSGetEnviron();
#else
    return environ;
#endif
}

void ledger_name_thread(const char *name) {
    char cut[16];
    snprintf(cut, sizeof cut, "%s", name);
#if defined(__APPLE__)
    pthread_setname_np(cut);
#else
    pthread_setname_np(pthread_self(), cut);
#endif
}

int ledger_spawn(int32_t *child, const char *program, char *const *arguments, char *const *environment,
                 bool silence_output, bool silence_errors) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int problem = posix_spawn_file_actions_init(&actions);
    if (problem != 0) return problem;
    problem = posix_spawnattr_init(&attributes);
    if (problem != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return problem;
    }
    short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    problem = posix_spawnattr_setflags(&attributes, flags);
    if (problem == 0) problem = posix_spawnattr_setsigmask(&attributes, &none);
    if (problem == 0) problem = posix_spawnattr_setsigdefault(&attributes, &all);
    if (problem == 0 && silence_output)
        problem = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (problem == 0 && silence_errors)
        problem = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (problem == 0) problem = posix_spawn(child, program, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return problem;
}

void ledger_lower_thread(void) {
#if defined(__APPLE__)
    pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0);
#else
    // Both numbers are of the thread, whatever their names say. The lowest of eight levels of the best-effort class
    // (IOPRIO_WHO_PROCESS 1, IOPRIO_CLASS_BE 2), and not the idle class: that one may starve.
    pid_t thread = (pid_t)syscall(SYS_gettid);
    setpriority(PRIO_PROCESS, (id_t)thread, 10);
    syscall(SYS_ioprio_set, 1, thread, (2 << 13) | 7);
#endif
}
