/* Counts what is forced to the disk, and makes it take longer by as much as the shared page says: LD_PRELOAD. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

struct page {
  _Atomic uint64_t calls;
  _Atomic uint64_t delay_ns;
};

static struct page *page;
static int (*next_fsync)(int);
static int (*next_fdatasync)(int);

__attribute__((constructor)) static void begin(void) {
  next_fsync = dlsym(RTLD_NEXT, "fsync");
  next_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
  const char *path = getenv("PEERS_FSYNC_PAGE");
  int file = path == NULL ? -1 : open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  void *mapped = mmap(NULL, sizeof(struct page), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (mapped != MAP_FAILED) page = mapped;
}

static int counted(int result) {
  if (page == NULL) return result;
  atomic_fetch_add(&page->calls, 1);
  uint64_t delay = atomic_load(&page->delay_ns);
  struct timespec left = {.tv_sec = delay / 1000000000, .tv_nsec = delay % 1000000000};
  while (delay > 0 && nanosleep(&left, &left) != 0) continue;
  return result;
}

int fsync(int file) { return counted(next_fsync(file)); }

int fdatasync(int file) { return counted(next_fdatasync(file)); }
