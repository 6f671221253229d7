// Finds the loci of reads that are clipped, or of whole reads in the same form.
//
//   ClippedReads reads(reference, options, engine.make_range_finder());
//   reads.start();
//   reads.add(bases, {.limits = &limits, ...});            // any number of them
//   reads.find();
//   reads[0].found.loci
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
  bool all = true;         // all loci are wanted, not only those that matter for the record of a read by itself
  std::uint32_t read = 0;  // for the caller
  // The results.
  sequence::EncodedRead strands[2];
  ClippedLoci found;  // the forward strand's first, each strand's ascending
};

class ClippedReads {
 public:
  /// `reference` must outlive this object.
  ClippedReads(const sequence::Reference& reference, const map::Options& options,
               std::unique_ptr<engine::RangeFinder> ranges);

  /// Begins a new list of reads.
  void start() { count_ = searched_ = 0; }
  /// Adds a read; the texts and limits must stay until find() is done.
  void add(std::string_view bases, const align::PieceLimits& limits, bool whole, bool all, std::uint32_t read);
  std::size_t size() const { return count_; }
  const ClippedRead& operator[](std::size_t i) const { return reads_[i]; }

  /// Finds the loci of the reads that were added since the last call.
  void find();

  map::StageSeconds seconds() const;

 private:
  // Searches those pieces of read i that `wanted` says.
  struct Search {
    std::size_t i = 0;
    Wanted wanted;
  };

  void search(const std::vector<Search>& searches);
  void add_found(ClippedRead& read, const std::vector<Core>& cores, std::size_t first_query);
  Wanted rest(const ClippedRead& read) const;

  bool ambiguous_matches_;
  bool always_all_;
  std::uint32_t strata_;
  CorePlanner planner_;
  PieceFinder pieces_;
  WholeLoci whole_;
  std::unique_ptr<engine::RangeFinder> finder_;
  map::StageSeconds seconds_;
  std::vector<ClippedRead> reads_;  // the first count_ are in the list; the others keep their memory
  std::size_t count_ = 0;
  std::size_t searched_ = 0;  // of them, reads whose loci are known
  std::vector<Search> searches_;
  std::vector<std::vector<Core>> cores_;  // of each search
  std::vector<engine::RangeQuery> queries_;
  engine::EndRanges ranges_;
  std::vector<DiagonalRange> diagonals_;
  ClippedLoci strand_loci_;
};

}  // namespace trawl::clip
