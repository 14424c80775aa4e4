/* Preloaded: faults of the machine, while the directory that FAULTS names has a file with the name of the fault.

   sync   fsync and fdatasync fail with EIO
   write  pwrite, by which databases are written, fails with EIO
   read   pread, by which databases are read, fails with EIO
   clock  the time of day is as many seconds later as the file says: a number of 64 bits, mapped at its first use
   steps  three numbers of 64 bits, mapped at their first use: the number of calls so far that change what is below the
          directory FAULTS_BELOW; the number of the one at which the fault happens; and the fault, which is an errno, or 0
          for a SIGKILL. Each call is named in the file trace */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int path_of(const char *fault, char *path, size_t size) {
  const char *directory = getenv("FAULTS");
  return directory && snprintf(path, size, "%s/%s", directory, fault) < (int)size;
}

static int fails(const char *fault) {
  char path[4096];
  if (!path_of(fault, path, sizeof path) || access(path, F_OK)) return 0;
  errno = EIO;
  return 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void *mapped(const char *name, size_t size) {
  char path[PATH_MAX];
  int file = path_of(name, path, sizeof path) ? syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0) : -1;
  void *place = file < 0 ? MAP_FAILED : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (file >= 0) close(file);
  return place == MAP_FAILED ? NULL : place;
}

/* Counts a call that changes `path`. Returns 1 if the call must fail, with its errno. */
static int is_step(const char *call, const char *path) {
  static struct { int64_t count, at, error; } *steps;
  static int is_missing;
  const char *below = getenv("FAULTS_BELOW");
  if (!below || strncmp(path, below, strlen(below))) return 0;
  if (!steps && !is_missing) is_missing = !(steps = mapped("steps", sizeof *steps));
  if (!steps) return 0;
  int64_t number = __atomic_add_fetch(&steps->count, 1, __ATOMIC_SEQ_CST);
  char line[2 * PATH_MAX], trace[PATH_MAX];
  int file = path_of("trace", trace, sizeof trace)
                 ? syscall(SYS_openat, AT_FDCWD, trace, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;
  if (file >= 0) {
    syscall(SYS_write, file, line, snprintf(line, sizeof line, "%s %s\n", call, path + strlen(below)));
    close(file);
  }
  if (number != steps->at) return 0;
  if (!steps->error) kill(getpid(), SIGKILL);
  errno = steps->error;
  return 1;
}

static int is_step_of(const char *call, int file) {
  char link[64], path[PATH_MAX];
  if (!getenv("FAULTS_BELOW")) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return is_step(call, path);
}

int fsync(int file) { return fails("sync") || is_step_of("fsync", file) ? -1 : REAL(fsync)(file); }

int fdatasync(int file) { return fails("sync") || is_step_of("fsync", file) ? -1 : REAL(fdatasync)(file); }

int ftruncate64(int file, off64_t size) { return is_step_of("truncate", file) ? -1 : REAL(ftruncate64)(file, size); }

int ftruncate(int file, off_t size) { return is_step_of("truncate", file) ? -1 : REAL(ftruncate)(file, size); }

/* These return their error instead of setting errno. */
int posix_fallocate64(int file, off64_t offset, off64_t size) {
  return is_step_of("allocate", file) ? errno : REAL(posix_fallocate64)(file, offset, size);
}

int posix_fallocate(int file, off_t offset, off_t size) {
  return is_step_of("allocate", file) ? errno : REAL(posix_fallocate)(file, offset, size);
}

ssize_t write(int file, const void *data, size_t size) {
  return is_step_of("write", file) ? -1 : REAL(write)(file, data, size);
}

ssize_t pwrite(int file, const void *data, size_t size, off_t offset) {
  return fails("write") || is_step_of("write", file) ? -1 : REAL(pwrite)(file, data, size, offset);
}

ssize_t pwrite64(int file, const void *data, size_t size, off64_t offset) {
  return fails("write") || is_step_of("write", file) ? -1 : REAL(pwrite64)(file, data, size, offset);
}

int rename(const char *from, const char *to) { return is_step("rename", from) ? -1 : REAL(rename)(from, to); }

int link(const char *from, const char *to) { return is_step("link", from) ? -1 : REAL(link)(from, to); }

int linkat(int in, const char *from, int into, const char *to, int flags) {
  return is_step("link", from) ? -1 : REAL(linkat)(in, from, into, to, flags);
}

int unlink(const char *path) { return is_step("unlink", path) ? -1 : REAL(unlink)(path); }

int mkdir(const char *path, mode_t mode) { return is_step("mkdir", path) ? -1 : REAL(mkdir)(path, mode); }

static int is_creation(const char *path, int flags) {
  return (flags & O_CREAT) && access(path, F_OK) && is_step("create", path);
}

int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  return is_creation(path, flags) ? -1 : REAL(open)(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  return is_creation(path, flags) ? -1 : REAL(open64)(path, flags, mode);
}

ssize_t pread(int file, void *data, size_t size, off_t offset) {
  return fails("read") ? -1 : REAL(pread)(file, data, size, offset);
}

ssize_t pread64(int file, void *data, size_t size, off64_t offset) {
  return fails("read") ? -1 : REAL(pread64)(file, data, size, offset);
}

static int64_t later_s(void) {
  static volatile int64_t *later;
  static int is_missing;
  if (!later && !is_missing) is_missing = !(later = mapped("clock", sizeof *later));
  return later ? *later : 0;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  static __typeof__(&clock_gettime) real;
  if (!real) real = REAL(clock_gettime);
  int result = real(clock, now);
  if (!result && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += later_s();
  return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  int result = REAL(gettimeofday)(now, zone);
  if (!result) now->tv_sec += later_s();
  return result;
}

time_t time(time_t *place) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (place) *place = now.tv_sec;
  return now.tv_sec;
}
