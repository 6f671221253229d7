#include "ranks/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "ranks/transport.hpp"
#include "sequence/huge_array.hpp"

namespace trawl::ranks {

namespace {

[[noreturn]] void fail(const char* what, std::uint64_t bytes) {
  throw Error(std::string("memory for all ranks of a node (") + std::to_string(bytes >> 20) + " MiB) cannot be " +
              what + ": " + std::strerror(errno));
}

// Where another process of this user finds the open file.
struct OpenFile {
  pid_t process = -1;
  int descriptor = -1;
};

}  // namespace

std::shared_ptr<SharedMemory> SharedMemory::make(Cluster& cluster, std::uint64_t bytes) {
  return std::shared_ptr<SharedMemory>(new SharedMemory(cluster, bytes));
}

SharedMemory::SharedMemory(Cluster& cluster, std::uint64_t bytes)
    : cluster_(cluster), bytes_(bytes), is_owner_(cluster.local_rank() == 0), is_own_(cluster.local_size() == 1) {
  if (is_own_) {
    // Nobody to share it with: ordinary memory can be on huge pages, which shared memory seldom is.
    data_ = static_cast<char*>(sequence::allocate_huge(bytes));
    return;
  }
  OpenFile file;
  int descriptor = -1;
  if (is_owner_) {
    descriptor = ::memfd_create("trawl", MFD_CLOEXEC);
    if (descriptor < 0 || ::ftruncate(descriptor, static_cast<off_t>(bytes)) != 0) {
      fail("made", bytes);
    }
    file = {::getpid(), descriptor};
  }
  cluster.transport_->broadcast_in_node({reinterpret_cast<char*>(&file), sizeof file});
  if (!is_owner_) {
    const std::string path = "/proc/" + std::to_string(file.process) + "/fd/" + std::to_string(file.descriptor);
    descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor < 0) {
      fail("opened", bytes);
    }
  }
  if (bytes > 0) {
    void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (memory == MAP_FAILED) {
      fail("mapped", bytes);
    }
    data_ = static_cast<char*>(memory);
#ifdef MADV_HUGEPAGE
    ::madvise(memory, bytes, MADV_HUGEPAGE);  // a hint, as in sequence/huge_array.hpp
#endif
  }
  // The owner's descriptor must stay until all have opened it.
  cluster.transport_->barrier_of_node();
  ::close(descriptor);
}

SharedMemory::~SharedMemory() {
  if (is_own_) {
    std::free(data_);
  } else if (data_ != nullptr) {
    ::munmap(data_, bytes_);
  }
}

void SharedMemory::ready() {
  if (cluster_.local_size() > 1) {
    cluster_.transport_->barrier_of_node();
  }
}

}  // namespace trawl::ranks
