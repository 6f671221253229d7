// Finds the loci of reads that are clipped, or of whole reads in the same form.
//
//   ClippedReads reads(reference, options, engine.make_range_finder());
//   reads.start();
//   reads.add(bases, limits, false, 0);                    // any number of them
//   reads.find();                                          // pieces with few edits
//   reads.find_rest(i, reads.needed(i)) for each read i that is not complete; reads.find()
//   reads[0].found.loci
//
// Most reads have a piece with few edits, and pieces with more edits matter only if their penalty is not much larger.
// So they are searched afterwards, up to the penalty that the caller asks for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "align/clip_rule.hpp"
#include "clip/core_plan.hpp"
#include "clip/piece_finder.hpp"
#include "clip/whole_loci.hpp"
#include "engine/engine.hpp"
#include "map/options.hpp"
#include "sequence/encoded_read.hpp"
#include "sequence/reference.hpp"

namespace trawl::clip {

/// A read whose loci are wanted.
struct ClippedRead {
  std::string_view bases;
  const align::PieceLimits* limits = nullptr;
  bool whole = true;       // loci of the whole read are wanted, too; false only if there are none
  std::uint32_t read = 0;  // for the caller
  // The results.
  sequence::EncodedRead strands[2];
  ClippedLoci found;      // the forward strand's first, each strand's ascending
  bool complete = false;  // all loci are known

  /// The smallest penalty of the loci found; kAnyPenalty if there is none.
  std::uint32_t best() const;
  /// No locus has a smaller penalty, whether it is known or not.
  std::uint32_t least_penalty() const;
};

class ClippedReads {
 public:
  /// `reference` must outlive this object.
  ClippedReads(const sequence::Reference& reference, const map::Options& options,
               std::unique_ptr<engine::RangeFinder> ranges);

  /// Begins a new list of reads.
  void start() { count_ = 0; }
  /// Adds a read; the texts and limits must stay until find() is done.
  void add(std::string_view bases, const align::PieceLimits& limits, bool whole, std::uint32_t read);
  std::size_t size() const { return count_; }
  const ClippedRead& operator[](std::size_t i) const { return reads_[i]; }

  /// Read i is also to be searched for pieces with more edits whose penalty is at most `most_penalty`.
  void find_rest(std::size_t i, std::uint32_t most_penalty);
  /// Finds the loci with few edits of the reads that were added since the last call, and those that find_rest() asks
  /// for.
  void find();
  /// The largest penalty that matters for the record of read i, if it is not in a pair.
  std::uint32_t needed(std::size_t i) const;

  map::StageSeconds seconds() const;

 private:
  // Searches those pieces of read i that `wanted` says.
  struct Search {
    std::size_t i = 0;
    Wanted wanted;
  };

  void add_found(ClippedRead& read, const std::vector<Core>& cores, std::size_t first_query);

  bool ambiguous_matches_;
  bool all_at_once_;
  std::uint32_t range_;  // loci whose penalty is so much larger than that of the best one matter
  CorePlanner planner_;
  PieceFinder pieces_;
  WholeLoci whole_;
  std::unique_ptr<engine::RangeFinder> finder_;
  map::StageSeconds seconds_;
  std::vector<ClippedRead> reads_;  // the first count_ are in the list; the others keep their memory
  std::size_t count_ = 0;
  std::vector<Search> searches_;
  std::vector<CorePlan> plans_;  // of each search
  std::vector<engine::RangeQuery> queries_;
  engine::EndRanges ranges_;
  std::vector<DiagonalRange> diagonals_;
  ClippedLoci strand_loci_;
};

}  // namespace trawl::clip
