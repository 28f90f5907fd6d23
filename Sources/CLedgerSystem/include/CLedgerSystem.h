/// What Swift can not say, or what Glibc hides from it: an instruction, flags behind `_GNU_SOURCE`, macros, variadic calls.
/// Functions that stand on a system call answer as it does: -1 and `errno` on failure.
#ifndef C_LEDGER_SYSTEM_H
#define C_LEDGER_SYSTEM_H

// No header of the system beyond these: its types would become this module's, and not Glibc's.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// CRC-32C (Castagnoli, RFC 3720 appendix B.4) of `count` bytes, by the processor's instruction where it has one.
/// `seed` is the value of what came before, 0 at the start: crc(crc(0, a), b) == crc(0, ab).
uint32_t ledger_crc32c(uint32_t seed, const void *_Nullable bytes, size_t count);

/// The same without the instruction, eight bytes a step from tables; for processors that lack it, and for tests.
uint32_t ledger_crc32c_portable(uint32_t seed, const void *_Nullable bytes, size_t count);

/// rename(2) that never replaces: renameat2(RENAME_NOREPLACE) on Linux, renamex_np(RENAME_EXCL) on Darwin.
int ledger_rename_exclusive(const char *_Nonnull source, const char *_Nonnull target);

/// fallocate(2), with FALLOC_FL_KEEP_SIZE unless `extending`; F_PREALLOCATE and ftruncate(2) on Darwin.
int ledger_allocate(int descriptor, int64_t offset, int64_t count, bool extending);

/// fdatasync(2); F_FULLFSYNC on Darwin, where fsync(2) does not reach the platter.
int ledger_synchronize(int descriptor);

/// sync_file_range(2) with SYNC_FILE_RANGE_WRITE: begins to write, waits for nothing; does nothing where there is no such
/// call.
int ledger_begin_writeback(int descriptor, int64_t offset, int64_t count);

/// lseek(2) with SEEK_HOLE, from the start.
int64_t ledger_first_hole(int descriptor);

/// futimens(2) for the modification time alone.
int ledger_set_modified(int descriptor, int64_t nanoseconds);

/// The name in a `struct dirent`, which Swift would read as a tuple of 256 bytes.
const char *_Nonnull ledger_entry_name(const void *_Nonnull entry);

/// The size of the terminal behind a descriptor by ioctl(TIOCGWINSZ); a size that nobody set is 0.
int ledger_terminal_size(int descriptor, uint16_t *_Nonnull columns, uint16_t *_Nonnull rows);

/// Opens /dev/null under each number of 0, 1 and 2 that is closed, the wrong way round: using it stays the error EBADF,
/// and no file opened later gets the number.
int ledger_fill_standard_descriptors(void);

/// A stream socket of the Unix domain, closed on exec.
int ledger_local_socket(void);
/// bind(2) and connect(2) to a path; ENAMETOOLONG beyond 107 bytes (103 on Darwin).
int ledger_local_bind(int descriptor, const char *_Nonnull path);
int ledger_local_connect(int descriptor, const char *_Nonnull path);
/// accept(2), the new descriptor closed on exec.
int ledger_local_accept(int descriptor);
/// The effective user of the peer, by SO_PEERCRED or getpeereid(3); -1 and errno on failure.
int64_t ledger_local_peer_user(int descriptor);
/// Bounds how long connect(2), send(2) and recv(2) block without a byte, by SO_SNDTIMEO and SO_RCVTIMEO; they fail with
/// EAGAIN then.
int ledger_local_bound(int descriptor, int64_t milliseconds);
/// send(2) that never raises SIGPIPE.
int64_t ledger_local_send(int descriptor, const void *_Nonnull bytes, size_t count);
/// Sends one datagram to a Unix-domain socket, whose name is abstract when it begins with `@` (Linux); never waits.
int ledger_local_tell(const char *_Nonnull path, const void *_Nonnull bytes, size_t count);

// Whether a packet to an address in numbers would leave by an interface that is at work, or stay here: 1 or 0. None is
// sent. What is no such address, or can not be looked at, counts as a way.
int ledger_way_to(const char *_Nonnull address);
// Whether an interface besides loopback is switched on, with a cable or without: 1 or 0.
int ledger_has_interface(void);
// Whether a resolver answers that there is no such name, or none with an address: 1; 0 for any other end. Blocks.
int ledger_name_is_unknown(const char *_Nonnull host);

/// The number by which Linux knows the kind of the file system behind a path (statfs(2), f_type), and on Darwin, where
/// the number is 0, its name.
int ledger_volume_kind(const char *_Nonnull path, int64_t *_Nonnull number, char *_Nonnull name, size_t count);

/// What waitpid(2) said: the exit status, or 128 plus the signal that ended it, as a shell prints it.
int ledger_exit_status(int wait_status);

/// Starts a program: posix_spawn with `silence_output` and `silence_errors` sending them to /dev/null, no inherited
/// signal mask and default signal handlers. Answers 0 or an errno.
int ledger_spawn(int32_t *_Nonnull child, const char *_Nonnull program, char *_Nullable const *_Nonnull arguments,
                 char *_Nullable const *_Nonnull environment, bool silence_output, bool silence_errors);

/// Makes the pipe for signals, once, and answers its end to read.
int ledger_signals_pipe(void);
/// Turns SIGINT, SIGTERM and SIGHUP (the last two unless they are ignored) into bytes of that pipe.
int ledger_signals_catch(void);
/// Waits for the next such byte; -1 when the pipe is closed.
int ledger_signals_next(int descriptor);
/// Lets SIGINT, SIGTERM and SIGHUP reach the calling thread, and those that it starts.
void ledger_signals_unblock(void);
/// Ignores SIGPIPE and SIGXFSZ.
void ledger_signals_ignore_failures(void);

/// Names the calling thread for debuggers; longer names are cut to 15 bytes.
void ledger_name_thread(const char *_Nonnull name);

/// Lets every other thread go before the calling one, at the processor and at the disk: setpriority(2) and ioprio_set(2)
/// of this thread alone on Linux, a quality of service on Darwin. What is refused stays as it was.
void ledger_lower_thread(void);

/// Gives memory that was freed back to the system: jemalloc's `arena.<i>.purge`, malloc_trim(3),
/// malloc_zone_pressure_relief(3) on Darwin; nothing with Musl, which keeps none.
void ledger_release_freed_memory(void);

/// Has the calling thread take its memory in large pages (madvise(2), MADV_HUGEPAGE) from here on: where jemalloc is in
/// the program, and on Linux, else nothing. Returns what ledger_take_usual_pages() wants on the same thread later.
unsigned ledger_take_large_pages(void);
/// Has the calling thread take its memory as it did before. What it took meanwhile stays as it is.
void ledger_take_usual_pages(unsigned before);

/// Nanoseconds since boot, sleep included, that never go back: CLOCK_BOOTTIME, or CLOCK_MONOTONIC on Darwin.
int64_t ledger_uptime_nanoseconds(void);

#if defined(__linux__)
/// A timer over what ledger_uptime_nanoseconds() counts: timerfd_create(2).
int ledger_timer(void);
/// Lets the timer go off once, at an instant after 0, or at once when that has passed, and no longer at the one before.
int ledger_timer_set(int descriptor, int64_t seconds, int64_t nanoseconds);
/// Waits until the timer goes off.
int ledger_timer_wait(int descriptor);
#endif

/// The strings that the process was started with, its name first; null where they are not known, as with musl.
char *_Nullable *_Nullable ledger_arguments(int *_Nonnull count);

/// The strings of the environment, ended by a null.
char *_Nullable *_Nonnull ledger_environment(void);

#endif
