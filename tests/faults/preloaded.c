/* Preloaded: faults of the machine, while the directory that FAULTS names has a file with the name of the fault.

   sync   fsync and fdatasync fail with EIO
   write  pwrite, by which databases are written, fails with EIO
   read   pread, by which databases are read, fails with EIO
   clock  the time of day is as many seconds later as the file says: a number of 64 bits, mapped at its first use */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
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

int fsync(int file) { return fails("sync") ? -1 : REAL(fsync)(file); }

int fdatasync(int file) { return fails("sync") ? -1 : REAL(fdatasync)(file); }

ssize_t pwrite(int file, const void *data, size_t size, off_t offset) {
  return fails("write") ? -1 : REAL(pwrite)(file, data, size, offset);
}

ssize_t pwrite64(int file, const void *data, size_t size, off64_t offset) {
  return fails("write") ? -1 : REAL(pwrite64)(file, data, size, offset);
}

ssize_t pread(int file, void *data, size_t size, off_t offset) {
  return fails("read") ? -1 : REAL(pread)(file, data, size, offset);
}

ssize_t pread64(int file, void *data, size_t size, off64_t offset) {
  return fails("read") ? -1 : REAL(pread64)(file, data, size, offset);
}

static int64_t later_s(void) {
  static volatile int64_t *mapped;
  static int is_missing;
  if (!mapped && !is_missing) {
    char path[4096];
    int file = path_of("clock", path, sizeof path) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    void *place = file < 0 ? MAP_FAILED : mmap(NULL, sizeof *mapped, PROT_READ, MAP_SHARED, file, 0);
    if (file >= 0) close(file);
    is_missing = place == MAP_FAILED;
    if (!is_missing) mapped = place;
  }
  return mapped ? *mapped : 0;
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
