// Clipped reads in tandem repeats. What is aligned of such a read has many placements (align/placements.hpp), but as a
// piece it is one locus. So it is mapped once more, as a read of its own; then the ends are left out again:
//
//   reference   ..CATGGAATGGAATGGAATGGAATGGAATCCTG..
//   read             GGAATGGAATGGAATcctagc             15M6S; its first 15 bases have 3 placements, so MAPQ is 0
//
// Of a pair both mates are mapped again. Where a few of the aligned bases do not belong to the repeat, they may match
// beside it by chance: a placement that leaves out k more bases costs 6 k Phred more (align/mapq.hpp), and there are
// many.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "align/alignment.hpp"
#include "align/cigar.hpp"
#include "align/mapq.hpp"
#include "base/stopwatch.hpp"
#include "polish/chain_records.hpp"
#include "rescue/default_engine.hpp"
#include "sequence/read_batch.hpp"

namespace trawl::rescue {

namespace {

class PiecesInArraysWorker final : public engine::WorkerAround {
 public:
  PiecesInArraysWorker(std::unique_ptr<engine::Worker> worker, const sequence::Reference& reference,
                       const map::MapOptions& options)
      : WorkerAround(std::move(worker)), records_(reference, options) {}

  void map(const sequence::ReadBatch& batch, align::AlignmentBatch& out) override {
    inside_->map(batch, out);
    Stopwatch watch;
    take_pieces(batch, out);
    watch.lap(seconds_.clip);
    if (reads_.empty()) {
      return;
    }
    inside_->map(pieces_, pieces_out_);
    Stopwatch after;
    put_pieces(batch, out);
    after.lap(seconds_.clip);
  }

 private:
  // Reads that are mapped again, of pairs both, and what is left out of them, in their direction in the file.
  void take_pieces(const sequence::ReadBatch& batch, align::AlignmentBatch& out) {
    reads_.clear();
    left_out_.clear();
    pieces_.clear();
    pieces_.paired = batch.paired;
    pieces_.is_fastq = batch.is_fastq;
    const std::size_t step = out.pairs.empty() ? 1 : 2;
    for (std::size_t first = 0; first < batch.size(); first += step) {
      bool any = false;
      for (std::size_t r = first; r < first + step; ++r) {
        any = is_in_array(batch, r, out) || any;
      }
      for (std::size_t r = first; any && r < first + step; ++r) {
        const align::Alignment* const primary = align::primary_of(out, r);
        align::ClippedEnds ends = primary == nullptr ? align::ClippedEnds{} : align::clipped_ends(out, *primary);
        if (primary != nullptr && primary->reverse) {
          std::swap(ends.left, ends.right);
        }
        const std::size_t bases = batch.length(r) - ends.left - ends.right;
        const std::string_view qualities = batch.qualities(r);
        pieces_.add(batch.name(r), batch.bases(r).substr(ends.left, bases),
                    qualities.empty() ? qualities : qualities.substr(ends.left, bases));
        reads_.push_back(static_cast<std::uint32_t>(r));
        left_out_.push_back(ends);
      }
    }
  }

  // Whether what is aligned of a clipped read lies in a tandem repeat. If a few of its bases do not, its MAPQ knows it.
  bool is_in_array(const sequence::ReadBatch& batch, std::size_t r, align::AlignmentBatch& out) {
    constexpr std::uint32_t kManyPlacements = 3;  // count as this number of bases
    align::Alignment* const primary = align::primary_of(out, r);
    if (primary == nullptr || !align::clipped_ends(out, *primary).any()) {
      return false;
    }
    records_.load(batch.bases(r), primary->reverse, primary->contig);
    const std::optional<std::uint32_t> beside = records_.bases_beside_array(records_.chain_of(out, *primary));
    if (beside && *beside > 0 && primary->mapq > 0) {
      const std::uint32_t most = align::MapqModel::kClipCost * (std::max(*beside, kManyPlacements) - kManyPlacements);
      primary->mapq = static_cast<std::uint8_t>(std::min<std::uint32_t>(primary->mapq, std::max(most, 1u)));
    }
    return beside == 0u;
  }

  void put_pieces(const sequence::ReadBatch& batch, align::AlignmentBatch& out) {
    const std::vector<align::ReadResult> reads_before = out.reads;
    const std::vector<align::PairResult> pairs_before = out.pairs;
    std::vector<bool> had_place;
    for (const std::uint32_t r : reads_) {
      had_place.push_back(align::primary_of(out, r) != nullptr);
    }
    align::put_results(pieces_out_, reads_, out);
    const std::size_t step = out.pairs.empty() ? 1 : 2;
    for (std::size_t first = 0; first < reads_.size(); first += step) {
      bool is_lost = false;  // a piece may have more edits than e allows for a read
      for (std::size_t i = first; i < first + step; ++i) {
        is_lost = is_lost || (had_place[i] && align::primary_of(out, reads_[i]) == nullptr);
      }
      for (std::size_t i = first; i < first + step; ++i) {
        const std::uint32_t r = reads_[i];
        if (is_lost) {
          out.reads[r] = reads_before[r];
          continue;
        }
        out.reads[r].supplementary = reads_before[r].supplementary;
        out.reads[r].supplementary_count = reads_before[r].supplementary_count;
        leave_out(batch, i, out);
      }
      if (is_lost && step == 2) {
        out.pairs[reads_[first] / 2] = pairs_before[reads_[first] / 2];
      }
    }
  }

  // The record of piece i becomes that of its read.
  void leave_out(const sequence::ReadBatch& batch, std::size_t i, align::AlignmentBatch& out) {
    align::Alignment* const primary = align::primary_of(out, reads_[i]);
    if (primary == nullptr || !left_out_[i].any()) {
      return;
    }
    const auto [left, right] = left_out_[i];
    const bool reverse = primary->reverse;
    records_.change(batch.bases(reads_[i]), *primary, out, [&](const polish::View&, polish::Chain& chain) {
      chain.left += reverse ? right : left;
      chain.right += reverse ? left : right;
      return true;
    });
  }

  polish::ChainRecords records_;
  std::vector<std::uint32_t> reads_;
  std::vector<align::ClippedEnds> left_out_;
  sequence::ReadBatch pieces_;
  align::AlignmentBatch pieces_out_;
};

}  // namespace

std::unique_ptr<engine::Worker> make_pieces_in_arrays_worker(std::unique_ptr<engine::Worker> worker,
                                                             const sequence::Reference& reference,
                                                             const map::MapOptions& options) {
  return std::make_unique<PiecesInArraysWorker>(std::move(worker), reference, options);
}

}  // namespace trawl::rescue
