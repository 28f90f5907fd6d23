// Runs a command and kills it, all of it, at the entry of its N-th system call of a kind, counted over all its threads:
// kill-at N CALL,... COMMAND [ARGUMENT ...]
//
// Exits with 137 when it was killed, else as the command does. Linux 5.3 or newer (PTRACE_GET_SYSCALL_INFO), x86-64 and
// arm64. `strace -e inject=CALL:when=N` counts for each thread alone, and so never meets some calls of a program with many.
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// arm64 has only those that take a directory. It is no mistake to name the others there; they are never met.
#ifndef SYS_rename
enum { SYS_rename = -1, SYS_unlink = -1, SYS_open = -1, SYS_mkdir = -1, SYS_link = -1 };
#endif

static const struct { const char *name; long number; } calls[] = {
    {"rename", SYS_rename}, {"unlink", SYS_unlink}, {"open", SYS_open}, {"mkdir", SYS_mkdir}, {"link", SYS_link},
    {"write", SYS_write}, {"pwrite64", SYS_pwrite64}, {"writev", SYS_writev}, {"pwritev", SYS_pwritev},
    {"fsync", SYS_fsync}, {"fdatasync", SYS_fdatasync}, {"renameat", SYS_renameat}, {"renameat2", SYS_renameat2},
    {"unlinkat", SYS_unlinkat}, {"ftruncate", SYS_ftruncate}, {"fallocate", SYS_fallocate}, {"openat", SYS_openat},
    {"mkdirat", SYS_mkdirat}, {"linkat", SYS_linkat},
};

static long wanted[64];
static int wantedCount;

static void parse(char *list) {
    for (char *name = strtok(list, ","); name; name = strtok(NULL, ",")) {
        size_t i = 0;
        while (i < sizeof calls / sizeof *calls && strcmp(calls[i].name, name)) i++;
        if (i == sizeof calls / sizeof *calls || wantedCount == 64) {
            fprintf(stderr, "kill-at: no call '%s' is known here\n", name);
            exit(64);
        }
        if (calls[i].number >= 0) wanted[wantedCount++] = calls[i].number;
    }
}

static int isWanted(long number) {
    for (int i = 0; i < wantedCount; i++) if (wanted[i] == number) return 1;
    return 0;
}

int main(int argc, char **argv) {
    if (argc < 4) { fprintf(stderr, "usage: kill-at N CALL,... COMMAND [ARGUMENT ...]\n"); return 64; }
    long left = strtol(argv[1], NULL, 10);
    parse(argv[2]);
    pid_t child = fork();
    if (child == 0) {
        raise(SIGSTOP);
        execvp(argv[3], argv + 3);
        _exit(127);
    }
    int status;
    if (child < 0 || waitpid(child, &status, WUNTRACED) != child) { perror("kill-at: fork"); return 71; }
    const long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK
        | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
    if (ptrace(PTRACE_SEIZE, child, 0, options) != 0) { perror("kill-at: ptrace"); kill(child, SIGKILL); return 71; }
    kill(child, SIGCONT);
    for (;;) {
        pid_t thread = waitpid(-1, &status, __WALL);
        if (thread < 0) { if (errno == EINTR) continue; return 71; }
        if (WIFEXITED(status) || WIFSIGNALED(status)) {
            if (thread != child) continue;
            return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        }
        int signal = WSTOPSIG(status), passed = 0;
        if (signal == (SIGTRAP | 0x80)) {
            struct __ptrace_syscall_info info = {0};
            ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info);
            if (info.op == PTRACE_SYSCALL_INFO_ENTRY && isWanted((long)info.entry.nr) && --left == 0)
                kill(child, SIGKILL);
        } else if (status >> 16 == 0) {
            passed = signal;  // A signal of its own, delivered.
        }
        ptrace(PTRACE_SYSCALL, thread, 0, passed);
    }
}
