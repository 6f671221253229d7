#include "ranks/shared_reference.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/packer.hpp"
#include "io/index/saved_index.hpp"
#include "io/read/file_sample.hpp"
#include "ranks/cluster.hpp"
#include "ranks/transport.hpp"
#include "sequence/huge_array.hpp"

namespace trawl::ranks {

// Memory that is there once for each node. Like a window of MPI, but without a name and without a limit of /dev/shm:
// whatever happens to the ranks, nothing is left of it.
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

using sequence::HugeArray;

namespace {

// Arrays one after the other in shared memory.
class Arrays {
 public:
  explicit Arrays(std::shared_ptr<SharedMemory> memory) : memory_(std::move(memory)) {}

  // Each begins on a cache line.
  static constexpr std::uint64_t room(std::uint64_t bytes) { return (bytes + 63) / 64 * 64; }

  template <class T>
  HugeArray<T> next(std::uint64_t size) {
    T* const data = reinterpret_cast<T*>(memory_->data() + used_);
    used_ += room(size * sizeof(T));
    if (used_ > memory_->size()) {
      throw Error("the memory for all ranks is too small; please report this");
    }
    return HugeArray<T>::view(memory_, data, size);
  }
  std::uint64_t used() const { return used_; }

 private:
  std::shared_ptr<SharedMemory> memory_;
  std::uint64_t used_ = 0;
};

// What a reference has beside its three arrays.
struct Small {
  std::string fasta;
  std::vector<sequence::Contig> contigs;
  std::vector<sequence::AmbiguousRun> runs;
  std::uint64_t blocks = 0;

  std::string pack() const {
    Packer to;
    to.text(fasta).number(blocks).numbers(runs).number<std::uint64_t>(contigs.size());
    for (const auto& contig : contigs) {
      to.text(contig.name).number(contig.offset).number(contig.length);
      to.number(contig.topology.circular).number(contig.topology.repeated);
    }
    return to.take();
  }
  static Small unpack(std::string_view bytes) {
    Unpacker from(bytes);
    Small small;
    small.fasta = from.text();
    small.blocks = from.number<std::uint64_t>();
    small.runs = from.numbers<sequence::AmbiguousRun>();
    small.contigs.resize(from.number<std::uint64_t>());
    for (auto& contig : small.contigs) {
      contig.name = from.text();
      contig.offset = from.number<std::uint64_t>();
      contig.length = from.number<std::uint64_t>();
      contig.topology.circular = from.number<bool>();
      contig.topology.repeated = from.number<std::uint64_t>();
    }
    return small;
  }
};

// Gives the FASTA that the first rank has read to all ranks.
run::LoadedReference share(run::LoadedReference loaded, ranks::Cluster& cluster) {
  Small small;
  if (cluster.is_first()) {
    const auto& reference = loaded.reference.searched();
    small = {loaded.fasta, reference.contigs(), reference.ambiguous_runs(), reference.size() / 64};
  }
  std::string bytes = cluster.is_first() ? small.pack() : "";
  cluster.broadcast(bytes);
  small = Small::unpack(bytes);

  const std::uint64_t words = (small.blocks + 63) / 64;
  const auto memory = SharedMemory::make(cluster, Arrays::room(small.blocks * sizeof(sequence::PlaneBlock)) +
                                                      Arrays::room(small.blocks * sizeof(std::uint64_t)) +
                                                      Arrays::room(words * sizeof(std::uint64_t)));
  Arrays arrays(memory);
  sequence::Reference::Parts parts;
  parts.planes = arrays.next<sequence::PlaneBlock>(small.blocks);
  parts.ambiguous = arrays.next<std::uint64_t>(small.blocks);
  parts.summary = arrays.next<std::uint64_t>(words);
  if (cluster.is_first()) {
    const auto& reference = loaded.reference.searched();
    std::copy(reference.planes().begin(), reference.planes().end(), parts.planes.data());
    std::copy(reference.ambiguous().begin(), reference.ambiguous().end(), parts.ambiguous.data());
    std::copy_n(sequence::summarise(reference.ambiguous()).data(), words, parts.summary.data());
    loaded.reference = {};
  }
  cluster.broadcast_to_nodes({memory->data(), memory->size()});
  memory->ready();
  loaded.fasta = small.fasta;
  parts.contigs = std::move(small.contigs);
  parts.runs = std::move(small.runs);
  loaded.reference = sequence::Reference::without_repeats(sequence::Reference(std::move(parts)));
  return loaded;
}

}  // namespace

run::LoadedReference load_shared_reference(const std::string& path, unsigned threads,
                                           const run::CircularContigsRule& circular, ranks::Cluster& cluster) {
  if (cluster.is_alone()) {
    return run::load_reference(path, threads, circular);
  }
  run::LoadedReference loaded;
  std::string sample;
  cluster.together([&] {
    const bool is_index = io::is_saved_index(path);
    if (is_index || cluster.is_first()) {
      loaded = run::load_reference(path, threads, circular);
    }
    sample = (is_index ? "index, " : "FASTA, ") + io::file_sample(path);
  });
  cluster.compare(sample, "the reference " + path);
  return loaded.seeds ? std::move(loaded) : share(std::move(loaded), cluster);
}

std::shared_ptr<const seed::SeedIndex> share_seeds(const sequence::Reference& of, unsigned threads,
                                                   ranks::Cluster& cluster) {
  const sequence::Reference& reference = of.searched();
  const unsigned q = seed::SeedIndex::suggest_q(reference.bases());
  // Each array of a shard may need some bytes more.
  const std::uint64_t shards = reference.size() / seed::SeedIndex::kShardPositions + 1;
  const std::uint64_t bytes = seed::SeedIndex::most_numbers(reference, q) * sizeof(std::uint32_t) + shards * 2 * 64;
  const auto memory = SharedMemory::make(cluster, bytes);
  Arrays arrays(memory);
  std::string sizes;
  if (memory->is_owner()) {
    const seed::SeedIndex index(reference, q, threads, seed::SeedIndex::kShardPositions,
                                [&](std::size_t size) { return arrays.next<std::uint32_t>(size); });
    Packer to;
    for (const auto& shard : index.shards()) {
      to.number(shard.begin).number(shard.end).number(shard.positions.size()).number(shard.offsets.size());
    }
    sizes = to.take();
  }
  cluster.broadcast_in_node(sizes);
  memory->ready();
  Arrays views(memory);
  std::vector<seed::SeedIndex::Shard> shards_of_index;
  for (Unpacker from(sizes); !from.at_end();) {
    auto& shard = shards_of_index.emplace_back();
    shard.begin = from.number<std::uint64_t>();
    shard.end = from.number<std::uint64_t>();
    shard.positions = views.next<std::uint32_t>(from.number<std::size_t>());
    shard.offsets = views.next<std::uint32_t>(from.number<std::size_t>());
  }
  return std::make_shared<seed::SeedIndex>(q, std::move(shards_of_index));
}

}  // namespace trawl::ranks
