/* Preloaded: fsync and fdatasync fail with EIO while the file that FSYNC_FAILS names exists. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static int fails(void) {
  const char *path = getenv("FSYNC_FAILS");
  return path && access(path, F_OK) == 0;
}

static int forward(const char *name, int descriptor) {
  if (fails()) {
    errno = EIO;
    return -1;
  }
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  return real(descriptor);
}

int fsync(int descriptor) { return forward("fsync", descriptor); }
int fdatasync(int descriptor) { return forward("fdatasync", descriptor); }
