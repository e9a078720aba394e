// Holds file I/O below a folder to the rates of a disk, for the programs that preload this library.
//
//   KVASIR_THROTTLE=/disk/.throttle/state LD_PRELOAD=/disk/.throttle/libthrottle.so cp /etc/services /disk
//
// The state file says what to hold (the folder is the one that .throttle lies in) and counts what was done;
// all programs of a host share it. It works without any privilege, where the kernel's throttles need root:
//   - a write takes as long as the disk would, beyond what the page cache may hold back (`burst_ns`);
//   - a read takes as long as the disk would for what the kernel fetches from storage for it, read-ahead
//     included; what lies in the page cache is free.
// What it cannot hold: I/O through mapped memory, C's stdio (which calls no function that could be replaced),
// io_uring, and static programs. Java's files and channels, Python's and coreutils' are held.
//
// Programs see the calls' own results and errors; without a valid state nothing is held.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define MAGIC UINT64_C(0x31656c74746f7268)  // "hrottle1", little-endian
#define NS_PER_S INT64_C(1000000000)
#define MOST_DISKS 4
#define MOST_FDS 65536
#define BLOCK_BYTES 512                 // unit of ru_inblock
#define LEAST_SLEEP_NS INT64_C(200000)  // shorter debts are left for the next call

// One direction of a disk: a bucket whose level is a time. harness/hosts/inside/throttle.py has the same
// layout.
struct direction {
    int64_t bytes_per_s;     // 0: not held
    int64_t burst_ns;        // how far behind the disk may be
    _Atomic int64_t due_ns;  // CLOCK_MONOTONIC when the disk is done with all of it
    _Atomic int64_t bytes;
    _Atomic int64_t waited_ns;
};

struct state {
    uint64_t magic;
    struct direction read;
    struct direction written;
};

struct disk {
    struct state* state;
    char folder[PATH_MAX];  // with a slash at its end
    size_t length;
};

// Which disk a descriptor's file is on; by inode, since descriptors are closed where nobody sees it.
struct place {
    dev_t device;
    ino_t inode;
    int8_t disk;  // -1: none
    bool known;
};

static struct disk disks[MOST_DISKS];
static int disk_count;
static struct place places[MOST_FDS];

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static bool open_disk(const char* path) {
    struct disk* disk = &disks[disk_count];
    const char* mark = strstr(path, "/.throttle/");
    if (mark == NULL || (size_t)(mark - path) + 2 > sizeof disk->folder) {
        return false;
    }
    const int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    struct stat found;
    if (fstat(file, &found) != 0 || found.st_size < (off_t)sizeof(struct state)) {
        close(file);
        return false;
    }
    void* mapped = mmap(NULL, sizeof(struct state), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (mapped == MAP_FAILED) {
        return false;
    }
    disk->state = mapped;
    if (disk->state->magic != MAGIC) {
        munmap(mapped, sizeof(struct state));
        return false;
    }
    disk->length = (size_t)(mark - path) + 1;
    memcpy(disk->folder, path, disk->length);
    return true;
}

__attribute__((constructor)) static void begin(void) {
    const char* named = getenv("KVASIR_THROTTLE");
    if (named == NULL) {
        return;
    }
    char* list = strdup(named);
    if (list == NULL) {
        return;
    }
    char* rest = NULL;
    for (char* one = strtok_r(list, ":", &rest); one != NULL && disk_count < MOST_DISKS;
         one = strtok_r(NULL, ":", &rest)) {
        if (open_disk(one)) {
            ++disk_count;
        }
    }
    free(list);
}

static int8_t disk_of_path(int fd) {
    char link[40];
    char path[PATH_MAX];
    char digits[12];
    int at = (int)sizeof digits;
    digits[--at] = '\0';
    for (int left = fd; at > 0; left /= 10) {
        digits[--at] = (char)('0' + left % 10);
        if (left < 10) {
            break;
        }
    }
    strcpy(link, "/proc/self/fd/");
    strcat(link, digits + at);
    const ssize_t length = readlink(link, path, sizeof path);
    for (int i = 0; i < disk_count; ++i) {
        if (length > (ssize_t)disks[i].length && memcmp(path, disks[i].folder, disks[i].length) == 0) {
            return (int8_t)i;
        }
    }
    return -1;
}

// Returns the disk that a descriptor's file is on, NULL for everything else.
static struct state* state_of(int fd) {
    struct stat status;
    if (disk_count == 0 || fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        return NULL;
    }
    if (fd >= MOST_FDS) {
        const int8_t found = disk_of_path(fd);
        return found < 0 ? NULL : disks[found].state;
    }
    struct place* place = &places[fd];
    if (!place->known || place->device != status.st_dev || place->inode != status.st_ino) {
        // Two threads that do this at once find the same.
        place->disk = disk_of_path(fd);
        place->device = status.st_dev;
        place->inode = status.st_ino;
        place->known = true;
    }
    return place->disk < 0 ? NULL : disks[place->disk].state;
}

// Counts bytes, and waits until the disk would be done with them but for the burst.
static void charge(struct direction* direction, int64_t bytes) {
    if (bytes <= 0) {
        return;
    }
    const int saved = errno;
    atomic_fetch_add(&direction->bytes, bytes);
    if (direction->bytes_per_s > 0) {
        const int64_t cost = (int64_t)((double)bytes * (double)NS_PER_S / (double)direction->bytes_per_s);
        const int64_t now = now_ns();
        int64_t due = atomic_load(&direction->due_ns);
        int64_t next;
        do {
            next = (due > now ? due : now) + cost;
        } while (!atomic_compare_exchange_weak(&direction->due_ns, &due, next));
        const int64_t until = next - direction->burst_ns;
        if (until - now >= LEAST_SLEEP_NS) {
            const struct timespec at = {.tv_sec = until / NS_PER_S, .tv_nsec = until % NS_PER_S};
            while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR) {
            }
            atomic_fetch_add(&direction->waited_ns, now_ns() - now);
        }
    }
    errno = saved;
}

// Returns the bytes that this thread has had read from storage so far, read-ahead included.
static int64_t fetched(void) {
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) == 0 ? (int64_t)usage.ru_inblock * BLOCK_BYTES : 0;
}

static void after_read(struct state* state, int64_t before) {
    if (state != NULL) {
        charge(&state->read, fetched() - before);
    }
}

static void after_write(struct state* state, ssize_t done) {
    if (state != NULL && done > 0) {
        charge(&state->written, done);
    }
}

#define WRITER(name, parameters, types, arguments)         \
    ssize_t name parameters {                              \
        static ssize_t(*real) types;                       \
        if (real == NULL) {                                \
            *(void**)&real = dlsym(RTLD_NEXT, #name);      \
        }                                                  \
        const ssize_t done = real arguments;               \
        after_write(done > 0 ? state_of(fd) : NULL, done); \
        return done;                                       \
    }

#define READER(name, parameters, types, arguments)            \
    ssize_t name parameters {                                 \
        static ssize_t(*real) types;                          \
        if (real == NULL) {                                   \
            *(void**)&real = dlsym(RTLD_NEXT, #name);         \
        }                                                     \
        struct state* state = state_of(fd);                   \
        const int64_t before = state == NULL ? 0 : fetched(); \
        const ssize_t done = real arguments;                  \
        after_read(state, before);                            \
        return done;                                          \
    }

WRITER(write, (int fd, const void* from, size_t count), (int, const void*, size_t), (fd, from, count))
WRITER(pwrite, (int fd, const void* from, size_t count, off_t offset), (int, const void*, size_t, off_t),
       (fd, from, count, offset))
WRITER(pwrite64, (int fd, const void* from, size_t count, off64_t offset),
       (int, const void*, size_t, off64_t), (fd, from, count, offset))
WRITER(writev, (int fd, const struct iovec* parts, int count), (int, const struct iovec*, int),
       (fd, parts, count))
WRITER(pwritev, (int fd, const struct iovec* parts, int count, off_t offset),
       (int, const struct iovec*, int, off_t), (fd, parts, count, offset))
WRITER(pwritev64, (int fd, const struct iovec* parts, int count, off64_t offset),
       (int, const struct iovec*, int, off64_t), (fd, parts, count, offset))

READER(read, (int fd, void* into, size_t count), (int, void*, size_t), (fd, into, count))
READER(pread, (int fd, void* into, size_t count, off_t offset), (int, void*, size_t, off_t),
       (fd, into, count, offset))
READER(pread64, (int fd, void* into, size_t count, off64_t offset), (int, void*, size_t, off64_t),
       (fd, into, count, offset))
READER(readv, (int fd, const struct iovec* parts, int count), (int, const struct iovec*, int),
       (fd, parts, count))
READER(preadv, (int fd, const struct iovec* parts, int count, off_t offset),
       (int, const struct iovec*, int, off_t), (fd, parts, count, offset))
READER(preadv64, (int fd, const struct iovec* parts, int count, off64_t offset),
       (int, const struct iovec*, int, off64_t), (fd, parts, count, offset))

// From one descriptor to another: a read of the first, a write of the second.
#define CARRIER(name, parameters, types, arguments)            \
    ssize_t name parameters {                                  \
        static ssize_t(*real) types;                           \
        if (real == NULL) {                                    \
            *(void**)&real = dlsym(RTLD_NEXT, #name);          \
        }                                                      \
        struct state* source = state_of(in);                   \
        const int64_t before = source == NULL ? 0 : fetched(); \
        const ssize_t done = real arguments;                   \
        after_read(source, before);                            \
        after_write(done > 0 ? state_of(out) : NULL, done);    \
        return done;                                           \
    }

CARRIER(sendfile, (int out, int in, off_t* offset, size_t count), (int, int, off_t*, size_t),
        (out, in, offset, count))
CARRIER(sendfile64, (int out, int in, off64_t* offset, size_t count), (int, int, off64_t*, size_t),
        (out, in, offset, count))
CARRIER(copy_file_range, (int in, off64_t* offset, int out, off64_t* into, size_t count, unsigned flags),
        (int, off64_t*, int, off64_t*, size_t, unsigned), (in, offset, out, into, count, flags))
