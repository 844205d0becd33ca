// Loaded before a process's own libraries, adds 2 ms to every sync of a file: what a common disk costs more than a fast one.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/types.h>
#include <time.h>

static void wait_longer(void) {
  struct timespec duration = {0, 2000000};
  nanosleep(&duration, NULL);
}

int fsync(int descriptor) {
  int (*original)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  wait_longer();
  return original(descriptor);
}

int fdatasync(int descriptor) {
  int (*original)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  wait_longer();
  return original(descriptor);
}

/* A write to a file that is opened for synced writes is a sync, too. */
ssize_t pwrite(int descriptor, const void *bytes, size_t length, off_t position) {
  ssize_t (*original)(int, const void *, size_t, off_t) =
      (ssize_t(*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite");
  if (fcntl(descriptor, F_GETFL) & O_DSYNC) wait_longer();
  return original(descriptor, bytes, length, position);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t length, off64_t position) {
  return pwrite(descriptor, bytes, length, position);
}
