// How many loci the reads of the reference itself have: for every position, the read that begins there.
//
//   KnownReads known(reference, 100);     // for all threads
//   PositionLoci loci(reference, {.length = 100, .max_edits = 2}, engine->make_range_finder(), known);
//   loci.count(contig.offset, counts);    // counts[i]: the loci of the read that begins at base i of the contig
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

  /// How many there are in a contig. The first one begins at its first base.
  std::uint64_t of(const sequence::Contig& contig) const {
    return contig.length < length ? 0 : contig.length - length + 1;
  }
};

/// Counts loci, as `trawl map --report all` finds them for the same reads. It belongs to one thread, and reuses its
/// buffers.
class PositionLoci {
 public:
  /// `finder`: of an engine with this reference. `reference` and `known`, which is for these reads, must outlive it.
  PositionLoci(const sequence::Reference& reference, const ReferenceReads& reads,
               std::unique_ptr<engine::RangeFinder> finder, KnownReads& known);

  /// Sets counts[i] to the number of loci, on both strands, of the read that begins at position `first` + i of the
  /// coordinate space. All these reads must lie in one contig. More reads in one call share more work.
  void count(std::uint64_t first, std::span<std::uint64_t> counts);

  /// How many neighbouring reads are counted by one query, where it finds one place.
  static std::uint32_t reads_together(const ReferenceReads& reads);

  /// Seconds spent so far in each stage, for --stats.
  engine::StageSeconds seconds() const { return finder_->seconds(); }

 private:
  void load(std::uint64_t first, std::uint64_t reads);
  void count_known(std::uint64_t first, std::span<std::uint64_t> counts);
  void count_unique(std::uint32_t together, std::uint64_t first, std::span<std::uint64_t> counts);
  bool has_one_place(std::size_t query, std::uint64_t end, const sequence::Contig& contig) const;
  void make_queries();
  void share_seeds(std::size_t first_query);

  const sequence::Reference& reference_;
  ReferenceReads reads_;
  std::unique_ptr<engine::RangeFinder> finder_;
  KnownReads& known_;
  std::uint32_t sharing_;  // reads that share their seeds, at most
  std::uint32_t together_;
  std::string text_;
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
