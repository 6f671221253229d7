// Memory that the ranks of a node share: it is there once for each node. Like a window of MPI, but without a name and
// without a limit of /dev/shm: whatever happens to the ranks, nothing is left of it.
//
//   auto memory = ranks::SharedMemory::make(cluster, bytes);   // on all ranks
//   if (memory->is_owner()) {
//     fill(memory->data());                                      // one rank of each node
//   }
//   memory->ready();                                             // on all ranks; from now on it is only read
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "ranks/cluster.hpp"

namespace trawl::ranks {

class SharedMemory {
 public:
  /// For all ranks; those of a node with the same size. Only the pages that are written take memory. Throws Error, on
  /// one rank alone.
  static std::shared_ptr<SharedMemory> make(Cluster& cluster, std::uint64_t bytes);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  char* data() { return data_; }
  std::uint64_t size() const { return bytes_; }
  /// Whether this rank fills it: the first of its node.
  bool is_owner() const { return is_owner_; }
  /// For all ranks: waits until the owner of the node has called it.
  void ready();

 private:
  SharedMemory(Cluster& cluster, std::uint64_t bytes);

  Cluster& cluster_;
  std::uint64_t bytes_;
  bool is_owner_;
  bool is_own_;  // ordinary memory of this process
  char* data_ = nullptr;
};

}  // namespace trawl::ranks
