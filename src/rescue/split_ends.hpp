// Parts of reads that are mapped as reads of their own: the halves of reads without a locus, which have no piece of
// more than half their bases, and the clipped ends of primary records. The better half becomes the primary record;
// clipped ends become supplementary ones.
//
//   with: const sequence::ReadBatch& batch, align::AlignmentBatch& results
//   with: engine::Engine& engine
//   SplitEnds split(engine.make_single_worker(), 0);
//   split.map_halves(batch, results);
//   split.map_ends(batch, results);
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "align/alignment.hpp"
#include "engine/engine.hpp"
#include "sequence/read_batch.hpp"

namespace trawl::rescue {

class SplitEnds {
 public:
  /// The fewest bases of a clipped end, and of a piece of it.
  static constexpr std::uint32_t kShortest = 30;

  /// `worker` maps parts of reads; null: none are mapped. Parts with a smaller score than `least_score` are not used.
  SplitEnds(std::unique_ptr<engine::Worker> worker, std::uint32_t least_score)
      : worker_(std::move(worker)), least_score_(static_cast<std::int32_t>(least_score)) {}

  /// Maps both halves of each read that has no alignment and was searched. The half with the better score, or the first
  /// one, becomes the alignment of its read; a mate is reported alone. Returns these reads.
  std::vector<std::uint32_t> map_halves(const sequence::ReadBatch& batch, align::AlignmentBatch& results);

  /// Maps the clipped ends of the primary records of a batch, at most two of a read. They are added to `results`, as
  /// supplementary alignments of the whole reads.
  void map_ends(const sequence::ReadBatch& batch, align::AlignmentBatch& results);

  engine::StageSeconds seconds() const { return worker_ ? worker_->seconds() : engine::StageSeconds{}; }

 private:
  // Bases [begin, end) of a read, as in the file.
  struct ReadPart {
    std::uint32_t read = 0;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };

  void add(const sequence::ReadBatch& batch, std::size_t r, std::uint32_t begin, std::uint32_t end);
  void map_parts();
  bool is_used(std::size_t e) const;
  // Adds the best alignment of part e, as one of the whole read. Returns its index.
  std::size_t add_alignment(const sequence::ReadBatch& batch, std::size_t e, align::AlignmentBatch& results) const;

  std::unique_ptr<engine::Worker> worker_;
  std::int32_t least_score_;
  sequence::ReadBatch ends_;
  std::vector<ReadPart> places_;  // of each read in ends_
  align::AlignmentBatch mapped_;
};

}  // namespace trawl::rescue
