// Finds the loci of reads that are clipped, or of whole reads in the same form.
//
//   with: const sequence::Reference& reference, const map::MapOptions& options, engine::Engine& engine
//   with: const sequence::ReadBatch& batch
//   ClippedReads reads(reference, options, engine.make_range_finder());
//   reads.start();
//   reads.add(batch, 0, reads.limits(batch.length(0)), false);   // any number of them
//   reads.find_needed();                                      // all loci that matter for the records
//   for (const align::Locus& locus : reads[0].found.loci) { ... }
//
// Pieces with a much larger penalty than the best one do not matter, and searching them costs much. So reads are first
// searched up to a limited penalty; what is found says how far the search must go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "align/clip_rule.hpp"
#include "clip/core_plan.hpp"
#include "clip/piece_ends.hpp"
#include "clip/piece_finder.hpp"
#include "engine/engine.hpp"
#include "map/options.hpp"
#include "sequence/encoded_read.hpp"
#include "sequence/read_batch.hpp"
#include "sequence/reference.hpp"

namespace trawl::clip {

/// A read whose loci are wanted.
struct ClippedRead {
  std::string_view bases;
  const align::PieceLimits* limits = nullptr;
  bool whole = true;       // loci of the whole read are wanted, too; false only if there are none
  std::uint32_t read = 0;  // for the caller
  bool second_mate = false;
  // The results.
  sequence::EncodedRead strands[2];
  ClippedLoci found;        // the forward strand's first, each strand's ascending
  std::uint32_t known = 0;  // all loci with this penalty, or a smaller one, are known; no others are in `found`
  std::uint32_t bound = WantedPieces::kAnyPenalty;  // a locus with this penalty exists; kAnyPenalty: maybe none does

  bool is_complete() const { return known == WantedPieces::kAnyPenalty; }
  /// The smallest penalty of the loci found; kAnyPenalty if there is none.
  std::uint32_t best() const;
  /// No locus has a smaller penalty, whether it is known or not.
  std::uint32_t least_penalty() const { return is_complete() ? best() : std::min(best(), known + 1); }
};

class ClippedReads {
 public:
  /// `reference` and `options` must outlive this object. `min_piece`: the fewest bases of a piece.
  ClippedReads(const sequence::Reference& reference, const map::MapOptions& options,
               std::unique_ptr<engine::RangeFinder> finder, std::uint32_t min_piece = 0);

  /// Begins a new list of reads.
  void start();
  /// The limits of the pieces of reads of this length; where nothing is left out, those of whole reads. Valid until
  /// start().
  const align::PieceLimits& limits(std::size_t length, bool leaves_out = true);
  /// Adds read number `read` of a batch; the texts and limits must stay until find() is done. `bound`: a locus with
  /// this penalty exists, so what has a much larger one is not searched.
  void add(const sequence::ReadBatch& batch, std::uint32_t read, const align::PieceLimits& limits, bool whole,
           std::uint32_t bound = WantedPieces::kAnyPenalty);
  std::size_t size() const { return count_; }
  const ClippedRead& operator[](std::size_t i) const { return reads_[i]; }

  /// The loci of read i up to this penalty are to be searched.
  void ask_for(std::size_t i, std::uint32_t most_penalty);
  /// Finds the loci that were asked for.
  void find();
  /// Asks for and finds all loci that matter for the record of a read which is not in a pair; of reads without a locus,
  /// all.
  void find_needed();
  /// The penalty up to which the search for read i must go, as far as is known by now.
  std::uint32_t needed(std::size_t i) const;

  engine::StageSeconds seconds() const {
    engine::StageSeconds sum = finder_->seconds();
    sum += seconds_;
    return sum;
  }

 private:
  // Searches those pieces of read i that `wanted` says.
  struct CoreSearch {
    std::size_t i = 0;
    WantedPieces wanted;
    CorePlan plan = {};
  };
  // What find() works on.
  struct Work {
    std::vector<CoreSearch> searches;
    std::vector<engine::RangeQuery> queries;
    engine::EndRanges ranges;
    std::vector<DiagonalRange> diagonals;
  };

  bool ambiguous_matches() const { return options_.ambiguous == map::Ambiguous::match; }
  void add_found(ClippedRead& read, const std::vector<Core>& cores, std::size_t first_query);
  bool leans(const align::PieceLimits& limits, const align::Locus& locus, const align::Piece& piece) const;

  const sequence::Reference& reference_;
  const map::MapOptions& options_;
  std::uint32_t min_piece_;
  std::uint32_t range_;  // loci whose penalty exceeds the best one by up to this matter
  std::unique_ptr<engine::RangeFinder> finder_;
  std::map<std::pair<std::size_t, bool>, align::PieceLimits> limits_;  // of reads of many lengths
  CorePlanner planner_;
  PieceFinder pieces_;
  PieceEnds ends_;
  engine::StageSeconds seconds_;
  std::vector<ClippedRead> reads_;  // the first count_ are in the list; the others keep their memory
  std::size_t count_ = 0;
  Work work_;
};

}  // namespace trawl::clip
