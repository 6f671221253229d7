// Makes one system call of a program fail, for tests. tests/cli/test_faults.py compiles and preloads it:
//
//   cc -shared -fPIC -O1 -o faults.so tests/faults/faults.c -ldl
//   TRAWL_FAULT=write:ENOSPC:3 TRAWL_FAULT_LOG=log LD_PRELOAD=./faults.so trawl map ref.fa reads.fq -o out.bam
//
// TRAWL_FAULT is CALL:WHAT:N. The N-th call since main() began fails; with N+ also all that follow it, as on a full disk
// (N = 0: none; a file then says how many there were). WHAT is ENOSPC, EIO, EINTR, EMFILE, ENOMEM, EAGAIN, or `short`:
// half of the bytes. CALL is one of these kinds:
//
//   write    write, pwrite, writev, but not to standard error     malloc   malloc, calloc, realloc, aligned ones, by
//   read     read, pread, readv                                            anybody but libc and the dynamic linker
//   open     open, openat, mkostemp(s), fopen                     thread   pthread_create
//   mmap     mmap, ftruncate                                      name     rename, linkat
//   close    close, fsync; the descriptor is closed all the same
//
// With TRAWL_FAULT_OF=trawl only calls of the program, oneTBB, htslib and the C++ library count, not those of MPI.
//
// When a call fails, "CALL N" is added to the file TRAWL_FAULT_LOG; when the program ends, "all COUNT".
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum Kind { kNone, kWrite, kRead, kOpen, kMmap, kClose, kMalloc, kThread, kName };
static const char* const kind_names[] = {"none", "write", "read", "open", "mmap", "close", "malloc", "thread", "name"};

static enum Kind failing = kNone;
static int error_number = 0;  // 0: a short count
static long failing_call = 0;
static int is_for_good = 0;  // also all calls after it
static char log_path[512];
static atomic_int is_armed;
static atomic_long calls;

// Without any function that can fail itself.
static void add_to_log(const char* word, long number) {
  char line[64];
  char digits[24];
  size_t size = 0, digit = 0;
  for (; word[size] != '\0'; ++size) line[size] = word[size];
  line[size++] = ' ';
  do digits[digit++] = (char)('0' + number % 10); while ((number /= 10) > 0);
  while (digit > 0) line[size++] = digits[--digit];
  line[size++] = '\n';
  const long file = syscall(SYS_openat, AT_FDCWD, log_path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (file >= 0) {
    syscall(SYS_write, file, line, size);
    syscall(SYS_close, file);
  }
}

// Where the code of some libraries lies, and that of the program.
enum Owner { kLibc, kHtslib, kProgram };
static struct { uintptr_t begin, end; enum Owner owner; } known_code[24];
static int known_codes = 0;

static int is_in(const void* caller, enum Owner owner) {
  for (int i = 0; i < known_codes; ++i) {
    if ((uintptr_t)caller >= known_code[i].begin && (uintptr_t)caller < known_code[i].end &&
        known_code[i].owner == owner) return 1;
  }
  return 0;
}

static int is_of_program_only = 0;

// Whether this call of a kind is the one.
static int fails_for(enum Kind kind, const void* caller) {
  if (kind != failing || !atomic_load(&is_armed)) return 0;
  if (is_of_program_only && !is_in(caller, kProgram) && !is_in(caller, kHtslib)) return 0;
  const long call = atomic_fetch_add(&calls, 1) + 1;
  if (failing_call == 0 || (is_for_good ? call < failing_call : call != failing_call)) return 0;
  if (call == failing_call) add_to_log(kind_names[kind], call);
  errno = error_number;
  return 1;
}

#define fails(kind) fails_for(kind, __builtin_return_address(0))

#define NEXT(name) \
  static __typeof__(&name) next; \
  if (next == NULL) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

// --- reading and writing: the first half of the bytes is a short count ---

static int is_short(size_t size) { return error_number == 0 && size > 1; }

#define TRANSFER(kind, name, parameters, arguments, with_half, size, excepted) \
  ssize_t name parameters { \
    NEXT(name); \
    if (excepted || !fails(kind)) return next arguments; \
    return error_number == 0 ? (is_short(size) ? next with_half : next arguments) : -1; \
  }
#define TO_STDERR (descriptor == STDERR_FILENO)

TRANSFER(kWrite, write, (int descriptor, const void* from, size_t n), (descriptor, from, n), (descriptor, from, n / 2), n,
         TO_STDERR)
TRANSFER(kWrite, pwrite, (int descriptor, const void* from, size_t n, off_t at), (descriptor, from, n, at),
         (descriptor, from, n / 2, at), n, 0)
TRANSFER(kWrite, pwrite64, (int descriptor, const void* from, size_t n, off64_t at), (descriptor, from, n, at),
         (descriptor, from, n / 2, at), n, 0)
TRANSFER(kWrite, writev, (int descriptor, const struct iovec* from, int n), (descriptor, from, n),
         (descriptor, from, n / 2), (size_t)n, TO_STDERR)
TRANSFER(kRead, read, (int descriptor, void* to, size_t n), (descriptor, to, n), (descriptor, to, n / 2), n, 0)
TRANSFER(kRead, pread, (int descriptor, void* to, size_t n, off_t at), (descriptor, to, n, at),
         (descriptor, to, n / 2, at), n, 0)
TRANSFER(kRead, pread64, (int descriptor, void* to, size_t n, off64_t at), (descriptor, to, n, at),
         (descriptor, to, n / 2, at), n, 0)
TRANSFER(kRead, readv, (int descriptor, const struct iovec* to, int n), (descriptor, to, n), (descriptor, to, n / 2),
         (size_t)n, 0)

// --- files ---

// htslib does not open again what was interrupted. That happens to pipes, which it never opens here, and not to files.
#define IS_EXCEPTED (error_number == EINTR && is_in(__builtin_return_address(0), kHtslib))

#define OPEN(name, parameters, last, arguments) \
  int name parameters { \
    NEXT(name); \
    va_list more; \
    va_start(more, last); \
    const int mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, int) : 0; \
    va_end(more); \
    return !IS_EXCEPTED && fails(kOpen) ? -1 : next arguments; \
  }
OPEN(open, (const char* path, int flags, ...), flags, (path, flags, mode))
OPEN(open64, (const char* path, int flags, ...), flags, (path, flags, mode))
OPEN(openat, (int folder, const char* path, int flags, ...), flags, (folder, path, flags, mode))

int mkostemp(char* path, int flags) {
  NEXT(mkostemp);
  return fails(kOpen) ? -1 : next(path, flags);
}
int mkostemps(char* path, int suffix, int flags) {
  NEXT(mkostemps);
  return fails(kOpen) ? -1 : next(path, suffix, flags);
}
FILE* fopen(const char* path, const char* mode) {
  NEXT(fopen);
  return error_number != EINTR && fails(kOpen) ? NULL : next(path, mode);  // nobody expects an interrupted fopen()
}
FILE* fopen64(const char* path, const char* mode) {
  NEXT(fopen64);
  return error_number != EINTR && fails(kOpen) ? NULL : next(path, mode);  // nobody expects an interrupted fopen()
}
int ftruncate(int descriptor, off_t size) {
  NEXT(ftruncate);
  return fails(kMmap) ? -1 : next(descriptor, size);
}
int close(int descriptor) {
  NEXT(close);
  const int result = next(descriptor);
  return fails(kClose) ? -1 : result;
}
int fsync(int descriptor) {
  NEXT(fsync);
  return fails(kClose) ? -1 : next(descriptor);
}
int rename(const char* from, const char* to) {
  NEXT(rename);
  return fails(kName) ? -1 : next(from, to);
}
int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  NEXT(linkat);
  return fails(kName) ? -1 : next(from_folder, from, to_folder, to, flags);
}

// --- memory and threads ---

void* mmap(void* at, size_t size, int protection, int flags, int descriptor, off_t offset) {
  return fails(kMmap) ? MAP_FAILED : (void*)syscall(SYS_mmap, at, size, protection, flags, descriptor, offset);
}
void* mmap64(void* at, size_t size, int protection, int flags, int descriptor, off64_t offset) {
  return fails(kMmap) ? MAP_FAILED : (void*)syscall(SYS_mmap, at, size, protection, flags, descriptor, offset);
}

// libc and the dynamic linker end a program themselves if there is no memory, for example for the variables of a thread.

static int find_known_code(struct dl_phdr_info* library, size_t size, void* unused) {
  static const struct { const char* name; enum Owner owner; } known[] = {
      {"libc.so", kLibc}, {"ld-linux", kLibc}, {"libhts.so", kHtslib}, {"libtbb.so", kProgram}, {"libstdc++.so", kProgram}};
  (void)size, (void)unused;
  const char* const slash = strrchr(library->dlpi_name, '/');
  const char* const name = slash != NULL ? slash + 1 : library->dlpi_name;
  int owner = library->dlpi_name[0] == '\0' && known_codes == 0 ? (int)kProgram : -1;  // the first one is the program
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
    if (strncmp(name, known[i].name, strlen(known[i].name)) == 0) owner = (int)known[i].owner;
  }
  for (int i = 0; owner >= 0 && i < library->dlpi_phnum && known_codes < 24; ++i) {
    const ElfW(Phdr)* const part = &library->dlpi_phdr[i];
    if (part->p_type == PT_LOAD && (part->p_flags & PF_X) != 0) {
      known_code[known_codes].begin = library->dlpi_addr + part->p_vaddr;
      known_code[known_codes].end = known_code[known_codes].begin + part->p_memsz;
      known_code[known_codes++].owner = (enum Owner)owner;
    }
  }
  return 0;
}

#define NO_MEMORY (!is_in(__builtin_return_address(0), kLibc) && fails(kMalloc))

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);
void* malloc(size_t size) { return NO_MEMORY ? NULL : __libc_malloc(size); }
void* calloc(size_t n, size_t size) { return NO_MEMORY ? NULL : __libc_calloc(n, size); }
void* realloc(void* at, size_t size) { return NO_MEMORY ? NULL : __libc_realloc(at, size); }
void* memalign(size_t alignment, size_t size) { return NO_MEMORY ? NULL : __libc_memalign(alignment, size); }
void* aligned_alloc(size_t alignment, size_t size) { return NO_MEMORY ? NULL : __libc_memalign(alignment, size); }
int posix_memalign(void** at, size_t alignment, size_t size) {
  if (NO_MEMORY) return ENOMEM;
  *at = __libc_memalign(alignment, size);
  return *at != NULL ? 0 : ENOMEM;
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*work)(void*), void* argument) {
  NEXT(pthread_create);
  return fails(kThread) ? error_number : next(thread, attributes, work, argument);
}

// --- from main() to the end ---

static int (*main_of_program)(int, char**, char**);
static pid_t first_process;

static int counted_main(int count, char** arguments, char** environment) {
  atomic_store(&is_armed, 1);
  return main_of_program(count, arguments, environment);
}

int __libc_start_main(int (*main)(int, char**, char**), int count, char** arguments, void (*begin)(void),
                      void (*end)(void), void (*linker_end)(void), void* stack) {
  int (*next)(int (*)(int, char**, char**), int, char**, void (*)(void), void (*)(void), void (*)(void), void*) =
      (__typeof__(next))dlsym(RTLD_NEXT, "__libc_start_main");
  static const struct { const char* name; int number; } errors[] = {
      {"ENOSPC", ENOSPC}, {"EIO", EIO}, {"EINTR", EINTR}, {"EMFILE", EMFILE}, {"ENOMEM", ENOMEM}, {"EAGAIN", EAGAIN},
      {"short", 0}};
  const char* const fault = getenv("TRAWL_FAULT");
  const char* const log = getenv("TRAWL_FAULT_LOG");
  char kind[16], what[16];
  char more = '\0';
  if (fault != NULL && log != NULL && sscanf(fault, "%15[^:]:%15[^:]:%ld%c", kind, what, &failing_call, &more) >= 3) {
    strncpy(log_path, log, sizeof log_path - 1);
    is_for_good = more == '+';
    for (int i = 1; i < (int)(sizeof kind_names / sizeof *kind_names); ++i) {
      if (strcmp(kind, kind_names[i]) == 0) failing = (enum Kind)i;
    }
    for (int i = 0; i < (int)(sizeof errors / sizeof *errors); ++i) {
      if (strcmp(what, errors[i].name) == 0) error_number = errors[i].number;
    }
    const char* const of = getenv("TRAWL_FAULT_OF");
    is_of_program_only = of != NULL && strcmp(of, "trawl") == 0;
    dl_iterate_phdr(find_known_code, NULL);
    first_process = getpid();
    main_of_program = main;
    return next(counted_main, count, arguments, begin, end, linker_end, stack);
  }
  return next(main, count, arguments, begin, end, linker_end, stack);
}

__attribute__((destructor)) static void say_count(void) {
  if (atomic_exchange(&is_armed, 0) && getpid() == first_process) add_to_log("all", atomic_load(&calls));
}
