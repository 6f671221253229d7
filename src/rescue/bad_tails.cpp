// Tails that are cut before the search (rescue/foreign_tail.hpp): known adapters of single reads, and bases with very
// low qualities. The read is mapped without its tail. Then as much of the tail is aligned as the rule of penalties
// keeps. A read of which much of an adapter fits, or whose place is not clear without its bad tail, is mapped as a
// whole.
//
//   qualities   IIIIIIIIIIIIIIIIIIIIIIIIIIIIII##########
//   mapped      GATTACAGGACCTTAGGCATCCATGCAATC              then the tail is aligned as far as it fits
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "align/alignment.hpp"
#include "align/cigar.hpp"
#include "base/stop.hpp"
#include "base/stopwatch.hpp"
#include "polish/chain.hpp"
#include "polish/chain_records.hpp"
#include "polish/long_gaps.hpp"
#include "rescue/default_engine.hpp"
#include "rescue/foreign_tail.hpp"
#include "sequence/read_batch.hpp"

namespace trawl::rescue {

namespace {

// A place without the bad tail is taken if it is as sure as this.
constexpr std::uint8_t kClearMapq = 30;
// This number of bases of an adapter does not fit by chance.
constexpr std::uint32_t kAlignedAdapter = 12;
// At least this number of bases, and half of the read, are left of a read with a bad tail.
constexpr std::size_t kLeastBeforeTail = 50;

class BadTailsWorker final : public engine::WorkerAround {
 public:
  BadTailsWorker(std::unique_ptr<engine::Worker> inside, const sequence::Reference& reference,
                 const map::MapOptions& options)
      : WorkerAround(std::move(inside)), reference_(reference), records_(reference, options) {}

  void map(const sequence::ReadBatch& batch, align::AlignmentBatch& out) override {
    Stopwatch watch;
    find_tails(batch);
    watch.lap(seconds_.clip);
    if (!has_tails_) {
      inside_->map(batch, out);
      return;
    }
    reads_.resize(batch.size());
    std::iota(reads_.begin(), reads_.end(), 0u);
    cut_batch_.take_some(batch, reads_, before_tail_);
    inside_->map(cut_batch_, out);
    Stopwatch after;
    whole_.clear();
    const std::size_t step = out.pairs.empty() ? 1 : 2;
    for (std::uint32_t r = 0; r < batch.size(); r += static_cast<std::uint32_t>(step)) {
      add_tails(batch, r, step, out, whole_);
    }
    after.lap(seconds_.clip);
    if (!whole_.empty()) {
      cut_batch_.take_some(batch, whole_);
      inside_->map(cut_batch_, whole_out_);
      align::put_results(whole_out_, whole_, out);
    }
  }

 private:
  void find_tails(const sequence::ReadBatch& batch) {
    has_tails_ = false;
    before_tail_.resize(batch.size());
    has_adapter_.assign(batch.size(), false);
    for (std::uint32_t r = 0; r < batch.size(); ++r) {
      Stop::look();
      const std::size_t length = batch.length(r);
      std::size_t before = batch.paired ? length : adapter_begin(batch.bases(r));
      has_adapter_[r] = before < length;
      if (!has_adapter_[r] && !batch.qualities(r).empty()) {
        before = bases_before_bad_tail(batch.qualities(r), std::max(kLeastBeforeTail, length / 2 + 1));
      }
      before_tail_[r] = static_cast<std::uint32_t>(before);
      has_tails_ = has_tails_ || before < length;
    }
  }

  // Of a read or a pair that was mapped without bad tails: aligns them, or adds its reads to `whole`.
  void add_tails(const sequence::ReadBatch& batch, std::uint32_t first, std::size_t reads, align::AlignmentBatch& out,
                 std::vector<std::uint32_t>& whole) {
    const auto has_tail = [&](std::uint32_t r) { return before_tail_[r] < batch.length(r); };
    bool any = false;
    bool are_clear = reads == 1 || out.pairs[first / 2].kind == align::PairKind::concordant;
    for (std::uint32_t r = first; r < first + reads; ++r) {
      any = any || has_tail(r);
      are_clear = are_clear && (!has_tail(r) || has_adapter_[r] || is_clear(out, r));
    }
    if (!any || (reads == 1 && are_clear && align::primary_of(out, first) == nullptr)) {
      return;
    }
    if (!are_clear) {
      for (std::uint32_t r = first; r < first + reads; ++r) {
        whole.push_back(r);
      }
      return;
    }
    for (std::uint32_t r = first; r < first + reads; ++r) {
      if (has_tail(r) && add_tail(batch, r, out) >= kAlignedAdapter && has_adapter_[r]) {
        whole.push_back(r);
      }
    }
    if (reads == 2) {
      polish::measure_insert(reference_, first / 2, out);
    }
  }

  // Whether the tail is of no use to find the place of a read: the place is sure, or equal to others.
  static bool is_clear(const align::AlignmentBatch& out, std::uint32_t r) {
    const align::Alignment* const primary = align::primary_of(out, r);
    return primary != nullptr && (primary->mapq >= kClearMapq || (primary->mapq == 0 && out.reads[r].best_count > 1));
  }

  // Returns how many bases of the tail are aligned.
  std::uint32_t add_tail(const sequence::ReadBatch& batch, std::uint32_t r, align::AlignmentBatch& out) {
    const std::uint32_t tail = static_cast<std::uint32_t>(batch.length(r)) - before_tail_[r];
    const auto lengthen = [&](align::Alignment& alignment, bool aligns) {
      const bool reverse = alignment.reverse;
      records_.change(batch.bases(r), alignment, out, [&](const polish::View& strand, polish::Chain& chain) {
        const polish::View view = strand.in_file(reverse, chain);
        // Along the diagonal, if the read fits up to its tail; then what does not fit is left out again.
        const bool goes_on = aligns && chain.right == 0 && chain.runs.back().step == match::Step::diagonal;
        chain.right += tail;
        if (goes_on) {
          view.load(chain, tail);
          const auto most = static_cast<std::uint32_t>(std::min<std::int64_t>(tail, view.text_end() - chain.end()));
          chain.runs.back().length += most;
          chain.right -= most;
          trim(view, view.length(), chain);
        }
        view.in_file(reverse, chain);
        return true;
      });
    };
    align::Alignment& primary = *align::primary_of(out, r);
    lengthen(primary, true);
    const auto ends = align::clipped_ends(out, primary);
    const align::ReadResult& result = out.reads[r];
    for (std::uint32_t k = 0; k < result.supplementary_count; ++k) {
      lengthen(out.alignments[result.supplementary + k], false);
    }
    return tail - std::min(tail, primary.reverse ? ends.left : ends.right);
  }

  const sequence::Reference& reference_;
  polish::ChainRecords records_;
  std::vector<std::uint32_t> before_tail_;  // of each read: the number of its bases before its bad tail
  std::vector<bool> has_adapter_;           // it is that of an adapter
  bool has_tails_ = false;
  std::vector<std::uint32_t> reads_, whole_;  // all; those that are mapped with their tails, too
  sequence::ReadBatch cut_batch_;
  align::AlignmentBatch whole_out_;
};

}  // namespace

std::unique_ptr<engine::Worker> make_bad_tails_worker(std::unique_ptr<engine::Worker> inside,
                                                      const sequence::Reference& reference,
                                                      const map::MapOptions& options) {
  return std::make_unique<BadTailsWorker>(std::move(inside), reference, options);
}

}  // namespace trawl::rescue
