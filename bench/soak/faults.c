// Fails one file operation of svcd: loaded before libc (LD_PRELOAD) by faults.mjs. Operations are what changes files below
// FAULTS_DATA; they are counted in the file FAULTS_COUNTER, which all processes of a session share.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { kNone, kNoSpace, kError, kKill };

/// A full disk is full for a while; a broken sector is one.
static const long kFullFor = 10;

static const char* data;
static size_t data_length;
static enum kind kind;
static long fail_at;
static atomic_long* counter;

__attribute__((constructor)) static void begin(void) {
  char self[4096];
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  self[length > 0 ? length : 0] = '\0';
  const char* const name = strrchr(self, '/');
  const char* const file = getenv("FAULTS_COUNTER");
  const char* const what = getenv("FAULTS_KIND");
  const char* const at = getenv("FAULTS_AT");
  // What svcd starts inherits the variables.
  if (name == NULL || strcmp(name, "/svcd") != 0 || file == NULL || what == NULL || at == NULL) {
    return;
  }
  const int fd = open(file, O_RDWR | O_CLOEXEC);
  void* const shared = mmap(NULL, sizeof *counter, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (shared == MAP_FAILED) {
    fprintf(stderr, "faults: cannot use %s\n", file);
    _exit(99);
  }
  close(fd);
  kind = strcmp(what, "enospc") == 0 ? kNoSpace
         : strcmp(what, "eio") == 0  ? kError
         : strcmp(what, "kill") == 0 ? kKill
                                     : kNone;
  fail_at = atol(at);
  data = getenv("FAULTS_DATA");
  data_length = strlen(data);
  counter = shared;  // last: from here on operations count
}

static int is_inside(const char* path) {
  return counter != NULL && path != NULL && strncmp(path, data, data_length) == 0;
}

static int is_open_inside(int fd) {
  if (counter == NULL) {
    return 0;
  }
  char link[64];
  char path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  path[length > 0 ? length : 0] = '\0';
  return is_inside(path);
}

/// Counts one operation; true when it fails, with errno. `grows`: it may need room on the disk.
static int fails(int grows) {
  const long number = atomic_fetch_add(counter, 1) + 1;
  if (kind == kKill && number == fail_at) {
    kill(getpid(), SIGKILL);
  }
  if (kind == kError && number == fail_at) {
    errno = EIO;
    return 1;
  }
  if (kind == kNoSpace && grows && number >= fail_at && number < fail_at + kFullFor) {
    errno = ENOSPC;
    return 1;
  }
  return 0;
}

/// A kill tears a write in two.
static size_t torn(size_t size) {
  return kind == kKill && atomic_load(counter) + 1 == fail_at ? size / 2 : 0;
}

#define REAL(name) \
  static __typeof__(&name) real; \
  if (real == NULL) { \
    real = (__typeof__(&name))dlsym(RTLD_NEXT, #name); \
  }

#define OPEN(name) \
  int name(const char* path, int flags, ...) { \
    REAL(name) \
    va_list rest; \
    va_start(rest, flags); \
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0; \
    va_end(rest); \
    return (flags & O_CREAT) != 0 && is_inside(path) && fails(1) ? -1 : real(path, flags, mode); \
  }
OPEN(open)
OPEN(open64)

#define WRITE(name) \
  ssize_t name(int fd, const void* bytes, size_t size) { \
    REAL(name) \
    if (!is_open_inside(fd)) { \
      return real(fd, bytes, size); \
    } \
    if (torn(size) > 0) { \
      (void)!real(fd, bytes, torn(size)); \
    } \
    return fails(1) ? -1 : real(fd, bytes, size); \
  }
WRITE(write)

#define PWRITE(name, offset_type) \
  ssize_t name(int fd, const void* bytes, size_t size, offset_type offset) { \
    REAL(name) \
    if (!is_open_inside(fd)) { \
      return real(fd, bytes, size, offset); \
    } \
    if (torn(size) > 0) { \
      (void)!real(fd, bytes, torn(size), offset); \
    } \
    return fails(1) ? -1 : real(fd, bytes, size, offset); \
  }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

ssize_t writev(int fd, const struct iovec* pieces, int count) {
  REAL(writev)
  return is_open_inside(fd) && fails(1) ? -1 : real(fd, pieces, count);
}

#define ON_DESCRIPTOR(name) \
  int name(int fd) { \
    REAL(name) \
    return is_open_inside(fd) && fails(0) ? -1 : real(fd); \
  }
ON_DESCRIPTOR(fsync)
ON_DESCRIPTOR(fdatasync)

int ftruncate(int fd, off_t size) {
  REAL(ftruncate)
  return is_open_inside(fd) && fails(1) ? -1 : real(fd, size);
}

int ftruncate64(int fd, off64_t size) {
  REAL(ftruncate64)
  return is_open_inside(fd) && fails(1) ? -1 : real(fd, size);
}

int rename(const char* from, const char* to) {
  REAL(rename)
  return is_inside(to) && fails(1) ? -1 : real(from, to);
}

int unlink(const char* path) {
  REAL(unlink)
  return is_inside(path) && fails(0) ? -1 : real(path);
}

int mkdir(const char* path, mode_t mode) {
  REAL(mkdir)
  return is_inside(path) && fails(1) ? -1 : real(path, mode);
}
