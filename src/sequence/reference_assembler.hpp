// Makes a Reference from packed letters. This decides where contigs lie; the planes are written by tasks.
//
//   auto letters = std::make_shared<PackedLetters>();
//   letters->append("ACGTN");
//   ReferenceAssembler assembler(1);
//   assembler.begin_contig("chr1");
//   assembler.append(letters, 0, 5);
//   const Reference reference = std::move(assembler).finish();
//   reference.bases() == 5
#pragma once

#include <oneapi/tbb/task_group.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sequence/packed_letters.hpp"
#include "sequence/reference.hpp"

namespace trawl::sequence {

class ReferenceAssembler {
 public:
  /// With one thread, no tasks are started.
  explicit ReferenceAssembler(unsigned threads);
  /// Waits for its tasks.
  ~ReferenceAssembler() noexcept;
  ReferenceAssembler(const ReferenceAssembler&) = delete;
  ReferenceAssembler& operator=(const ReferenceAssembler&) = delete;

  /// About how many letters will come in all, if that is known: the memory is then reserved at once.
  void expect(std::uint64_t letters) { expected_ = letters; }

  /// `topology`: what is repeated is appended, too.
  void begin_contig(std::string name, const Topology& topology = {});
  /// Adds the letters [begin, begin + count) of `from` to the latest contig. `from` must not change any more; it is
  /// held until the letters are taken.
  void append(const std::shared_ptr<const PackedLetters>& from, std::uint64_t begin, std::uint64_t count);

  /// Throws std::bad_alloc, like the other functions.
  Reference finish() &&;

 private:
  struct Segment {
    std::uint64_t from = 0;  // in the packed letters
    std::uint64_t to = 0;    // in the coordinate space
    std::uint64_t count = 0;
  };
  // Writes the words from that of `begin` up to that of `end`, not including it.
  struct PlaneJob {
    std::shared_ptr<const PackedLetters> letters;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    PackedWord start;  // the letters before `begin` in its word
    std::vector<Segment> segments;
  };

  void flush();
  void reserve(std::uint64_t words);
  void write(const PlaneJob& job) const;

  bool parallel_;
  int most_jobs_;
  std::uint64_t expected_ = 0;
  std::vector<Contig> contigs_;
  std::vector<AmbiguousRun> runs_;
  std::uint64_t position_ = 0;  // of the next letter
  PlaneJob job_;                // takes what is appended
  std::shared_ptr<HugeArray<PlaneBlock>> planes_ = std::make_shared<HugeArray<PlaneBlock>>();
  std::shared_ptr<HugeArray<std::uint64_t>> ambiguous_ = std::make_shared<HugeArray<std::uint64_t>>();
  std::atomic<int> running_{0};
  bool has_tasks_ = false;
  tbb::task_group tasks_;
};

}  // namespace trawl::sequence
