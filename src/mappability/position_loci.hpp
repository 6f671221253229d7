// How many loci the reads of the reference itself have: for every position, the read that begins there.
//
//   const ReferenceReads reads{.length = 100, .max_edits = 2};
//   KnownReads known(reference, 100, 1000);                     // for all threads
//   PositionLoci loci(reference, reads, engine->make_range_finder(), known);
//   loci.count(std::vector<ReadStarts>{{contig.offset, 1000}}, counts);
//                                         // counts[i]: the loci of the read that begins at base i of the contig
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "mappability/known_reads.hpp"
#include "sequence/reference.hpp"

namespace trawl::mappability {

/// The reads of a reference: each substring of one length that lies in one contig.
struct ReferenceReads {
  std::uint32_t length = 0;
  std::uint32_t max_edits = 0;  // less than length
  bool gaps = true;             // false: only mismatches are edits; so it is in the finder, too

  /// How many there are in a contig. The first one begins at its first base.
  std::uint64_t of(const sequence::Contig& contig) const {
    return contig.length < length ? 0 : contig.length - length + 1;
  }
};

/// Neighbouring reads of one contig: those that begin at `count` positions of the coordinate space.
struct ReadStarts {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

/// Counts loci, as `trawl map --report all` finds them for the same reads. It belongs to one thread, and reuses its
/// buffers.
class PositionLoci {
 public:
  /// `finder`: of an engine with this reference. `reference` and `known`, which is for these reads, must outlive it.
  PositionLoci(const sequence::Reference& reference, const ReferenceReads& reads,
               std::unique_ptr<engine::RangeFinder> finder, KnownReads& known);

  /// Sets `counts` to the numbers of loci, on both strands, of these reads, in their order. More reads in one call
  /// share more work.
  void count(std::span<const ReadStarts> starts, std::span<std::uint64_t> counts);

  /// How many neighbouring reads are counted by one query, where it finds one place.
  static std::uint32_t reads_together(const ReferenceReads& reads);

  /// Seconds spent so far in each stage, for --stats.
  engine::StageSeconds seconds() const { return finder_->seconds(); }

 private:
  void load(std::span<const ReadStarts> starts);
  void load(const ReadStarts& starts);
  void count_known(std::span<std::uint64_t> counts);
  void count_unique(std::uint32_t together, std::span<std::uint64_t> counts);
  bool has_one_place(std::size_t query, std::uint64_t end) const;
  void make_queries();
  void share_seeds(std::size_t first_query);

  const sequence::Reference& reference_;
  ReferenceReads reads_;
  std::unique_ptr<engine::RangeFinder> finder_;
  KnownReads& known_;
  std::uint32_t sharing_;  // reads that share their seeds, at most
  std::uint32_t together_;
  std::string text_;                      // of all reads; that of ReadStarts after that of others
  std::vector<std::uint32_t> begins_;     // by read: in text_
  std::vector<std::uint64_t> positions_;  // by read: in the coordinate space
  std::vector<std::uint32_t> ambiguous_;  // by read: how many bases
  std::vector<std::uint64_t> hashes_;     // by read
  std::vector<std::uint32_t> open_;       // reads that are not counted yet
  std::vector<std::uint32_t> left_;
  std::vector<std::uint32_t> groups_;  // by query: its reads in open_, from and to
  std::vector<engine::RangeQuery> queries_;
  std::vector<std::uint32_t> places_;  // by query: which read
  engine::EndRanges ranges_;
};

}  // namespace trawl::mappability
