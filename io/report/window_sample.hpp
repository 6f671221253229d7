// The alignments in some windows of the reference, for the genome browser of a report.
//
//   with: const sequence::Reference& reference, const sequence::ReadBatch& reads, const align::AlignmentBatch& batch
//   WindowSample sample(reference.contigs());        // windows chosen at random
//   align::for_each_record(batch, {.keep_unmapped = false}, [&](const align::AlignmentRecord& record) {
//     sample.add(batch, record, reads);              // any thread, in any order
//   });
//   for (const SampledWindow& window : sample.chosen()) { ... }
//
// Which windows. The reference is divided into windows of kWindow bases, each has a random but fixed number, and of
// those with alignments the kShards * kOfShard windows with the smallest numbers are kept. A window among them is kept
// from its first alignment on, so none of its alignments is missed; and the result does not depend on the order of the
// reads, on threads, or on which process saw which read.
//
// Memory. A window keeps its depth and kAlignments alignments for each kWindow bases, the first primary ones in input
// order: about 20 MB for reads of 100 bases, and at most 100 MB, whatever the reference and the reads are.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "align/alignment.hpp"
#include "align/records.hpp"
#include "base/packer.hpp"
#include "io/read/bed_regions.hpp"
#include "io/stats/histogram.hpp"
#include "sequence/read_batch.hpp"
#include "sequence/reference.hpp"

namespace trawl::io {

/// The part of an alignment that lies in a window.
struct WindowAlignment {
  std::uint64_t read = 0;    // its number in the input
  std::uint32_t record = 0;  // among the records of the read
  std::uint64_t start = 0;   // 0-based, in the contig
  std::string name;
  std::string cigar;
  std::string letters;  // of the read, as they lie on the reference
  std::uint16_t flag = 0;
  std::uint8_t mapq = 0;
  std::uint32_t edits = 0;  // of the whole alignment

  template <class Self>
  static auto members(Self& self) {
    return std::tie(self.read, self.record, self.start, self.name, self.cigar, self.letters, self.flag, self.mapq,
                    self.edits);
  }
  /// The order in which a window keeps alignments: primary and supplementary records first, each in input order.
  auto order() const { return std::tuple((flag & align::kFlagSecondary) != 0, read, record); }
};

struct SampledWindow {
  ContigRegion place;
  std::uint64_t records = 0;  // that overlap it, each as often as its read counts
  /// What position i adds to the number of records that cover it and those before it.
  std::vector<std::int64_t> changes;
  std::vector<std::int64_t> primary_changes;  // the same of primary and supplementary records
  std::vector<WindowAlignment> alignments;    // a heap; the last one is on top

  SampledWindow() = default;
  explicit SampledWindow(const ContigRegion& region);
  void add(const align::AlignmentBatch& batch, const align::AlignmentRecord& record, const sequence::ReadBatch& reads,
           std::uint64_t times);
  void add(WindowAlignment alignment);
  std::size_t most_alignments() const;
  void join(SampledWindow other);

  template <class Self>
  static auto members(Self& self) {
    return std::tie(self.place, self.records, self.changes, self.primary_changes, self.alignments);
  }
};

class WindowSample {
 public:
  static constexpr std::uint64_t kWindow = 500;
  static constexpr std::size_t kAlignments = 100;
  static constexpr std::size_t kShards = 16;
  static constexpr std::size_t kOfShard = 32;
  /// How many of the windows chosen at random are shown: those with the most records, and others.
  static constexpr std::size_t kShown = 24;
  static constexpr std::size_t kDeepest = 12;

  explicit WindowSample(const std::vector<sequence::Contig>& contigs) : lengths_(lengths_of(contigs)) {}

  /// Takes a record with an alignment, whose read counts `times` times. Any thread may call it.
  void add(const align::AlignmentBatch& batch, const align::AlignmentRecord& record, const sequence::ReadBatch& reads,
           std::uint64_t times = 1);

  /// The windows to show, by place, with their alignments in order.
  std::vector<SampledWindow> chosen();

  void pack(Packer& to) const;
  /// What another process with the same reference has seen.
  void add_packed(Unpacker& from);

 private:
  // Windows by their random numbers.
  struct WindowShard {
    std::map<std::uint64_t, SampledWindow> windows;
    std::atomic<std::uint64_t> largest{~std::uint64_t{0}};  // a window with a larger number is not kept
    std::mutex mutex;
  };

  template <class Add>
  void add_by_chance(std::uint64_t contig, std::uint64_t index, const Add& add);

  std::vector<std::uint64_t> lengths_;  // of the contigs
  std::array<WindowShard, kShards> shards_;
};

/// The part of an alignment in [begin, end) of its contig: where it starts, its CIGAR and its letters, without clipped
/// ends. `bases`: the whole read, as in the input.
///   start 10, 5M2D5M, ACGTACGTAC, of [12, 20):  start 12, 3M2D3M, GTACGT
void cut_alignment(const std::uint32_t* cigar, std::uint32_t elements, const ContigRegion& window,
                   std::string_view bases, bool reverse, WindowAlignment& alignment);

}  // namespace trawl::io
