// How many loci the reads of the reference itself have: for every position, the read that begins there.
//
//   const ReferenceReads reads{.length = 100, .max_edits = 2};
//   KnownReads known(reference, 100, 1000);                     // for all threads
//   PositionLoci loci(reference, reads, engine->make_range_finder(), known);
//   loci.count(std::vector<ReadStarts>{{contig.offset, 1000}}, counts);
//                                         // counts[i]: the loci of the read that begins at base i of the contig
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "sequence/alphabet.hpp"
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

/// A hash of `length` bases that moves along a text base by base. A sequence and its reverse complement have the same.
class ReadHash {
 public:
  explicit ReadHash(std::uint32_t length) {
    for (std::uint32_t i = 1; i < length; ++i) {
      top_ *= kFactor;
    }
  }

  /// Adds a base after the others: a code from 0 to 4.
  void add(unsigned code) {
    forward_ = forward_ * kFactor + kValues[code];
    reverse_ = reverse_ * kInverse + kValues[complement(code)] * top_;
  }
  /// Removes the first of the bases; call it before add() if there are `length` bases already.
  void remove(unsigned code) {
    forward_ -= kValues[code] * top_;
    reverse_ -= kValues[complement(code)];
  }
  /// The hash of the last `length` bases.
  std::uint64_t value() const {
    std::uint64_t mixed = forward_ + reverse_;
    mixed = (mixed ^ (mixed >> 32)) * 0xd6e8feb86659fd93;
    mixed = (mixed ^ (mixed >> 32)) * 0xd6e8feb86659fd93;
    return mixed ^ (mixed >> 32);
  }

 private:
  static constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15;
  static constexpr std::uint64_t kInverse = [] {  // kFactor * kInverse == 1; each step doubles the bits that are right
    std::uint64_t inverse = kFactor;
    for (int step = 0; step < 6; ++step) {
      inverse *= 2 - kFactor * inverse;
    }
    return inverse;
  }();
  static constexpr std::uint64_t kValues[5] = {0x3c8bfbb395c60474, 0x3193c18562a02b4c, 0x20323ed082572324,
                                               0x295549f54be24456, 0};
  static constexpr unsigned complement(unsigned code) { return code < 4 ? 3 - code : code; }

  std::uint64_t top_ = 1;  // kFactor to the power of length - 1
  std::uint64_t forward_ = 0;
  std::uint64_t reverse_ = 0;
};

/// Counts of loci of the reads that had several, to be found again by their bases: in a repeat, the same read comes
/// again and again. A table of fixed size. All threads may use it at the same time. A read may take the place of
/// another, which is then forgotten. So a count may be missing, but never wrong.
class KnownReads {
 public:
  /// For reads of `length` bases; `reads`: about how many will be asked for. `reference` must outlive it.
  KnownReads(const sequence::Reference& reference, std::uint32_t length, std::uint64_t reads);

  void prefetch(std::uint64_t hash) const { __builtin_prefetch(&slot(hash)); }
  /// The number of loci of the read at `position`, if it is known. The read must have no ambiguous base.
  std::optional<std::uint64_t> find(std::uint64_t hash, std::uint64_t position) const;
  /// Keeps the number of loci of the read at `position`. The read must have no ambiguous base.
  void add(std::uint64_t hash, std::uint64_t position, std::uint64_t loci);

 private:
  // An entry: the position, the number of loci, and some bits of the hash, so that few other reads are compared. 0:
  // none.
  static constexpr unsigned kPositionBits = 36;
  static constexpr unsigned kLociBits = 18;
  static constexpr unsigned kHashBits = 64 - kPositionBits - kLociBits;
  static constexpr std::uint64_t kMostLoci = (std::uint64_t{1} << kLociBits) - 1;

  const std::atomic<std::uint64_t>& slot(std::uint64_t hash) const { return slots_[hash & (slots_.size() - 1)]; }
  bool has_bases_of(std::uint64_t a, std::uint64_t b, bool reverse) const;

  const sequence::Reference& reference_;
  std::uint32_t length_;
  std::vector<std::atomic<std::uint64_t>> slots_;
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
  struct ReferenceRead {
    std::uint32_t begin = 0;      // in text_
    std::uint32_t ambiguous = 0;  // how many bases
    std::uint64_t position = 0;   // in the coordinate space
    std::uint64_t hash = 0;
  };

  void load(const ReadStarts& starts);
  void count_known(std::span<std::uint64_t> counts);
  void count_unique(std::uint32_t together, std::span<std::uint64_t> counts);
  bool has_one_place(std::size_t query, std::uint64_t end) const;
  void make_queries();
  void share_seeds(std::size_t first_query);

  const sequence::Reference& reference_;
  ReferenceReads rule_;
  std::unique_ptr<engine::RangeFinder> finder_;
  KnownReads& known_;
  std::uint32_t sharing_;  // reads that share their seeds, at most
  std::uint32_t together_;
  std::string text_;  // of all reads; that of ReadStarts after that of others
  std::vector<ReferenceRead> reads_;
  std::vector<std::uint32_t> open_;  // reads that are not counted yet
  std::vector<std::uint32_t> left_;
  std::vector<std::uint32_t> groups_;  // by query: its reads in open_, from and to
  std::vector<engine::RangeQuery> queries_;
  std::vector<std::uint32_t> places_;  // by query: which read
  engine::EndRanges ranges_;
};

}  // namespace trawl::mappability
