#include "clip/cut_ends.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "align/alignment.hpp"
#include "align/cigar.hpp"
#include "align/mapq.hpp"
#include "align/read_reporter.hpp"
#include "base/stopwatch.hpp"
#include "clip/chain.hpp"
#include "clip/chain_records.hpp"
#include "clip/end_trimming.hpp"
#include "clip/foreign_tail.hpp"
#include "clip/mate_overlap.hpp"
#include "sequence/read_batch.hpp"

namespace trawl::clip {

namespace {

// So many bases of both mates behind a fragment fit by chance once in 4,000 times.
constexpr std::uint32_t kFewBasesBehind = 6;
// And so many points, where a base that differs counts -4, once in a million.
constexpr std::int64_t kPointsBehind = 10;

// A place without the bad tail is taken if it is as sure as this.
constexpr std::uint8_t kClearMapq = 30;
// So many bases of an adapter do not fit by chance.
constexpr std::uint32_t kAlignedAdapter = 12;
// So many bases, and half of the read, are left of a read with a bad tail.
constexpr std::size_t kLeastBeforeTail = 50;

class CutEndsWorker final : public engine::Worker {
 public:
  CutEndsWorker(std::unique_ptr<engine::Worker> others, MapWhole map_whole, std::unique_ptr<engine::Worker> fragments,
                bool single, const sequence::Reference& reference, const map::Options& options,
                const align::InsertModel& inserts)
      : others_(std::move(others)),
        map_whole_(std::move(map_whole)),
        fragments_(std::move(fragments)),
        single_(single),
        reference_(reference),
        options_(options),
        inserts_(inserts),
        reference_cost_(align::ReadReporter::reference_cost(reference.bases())),
        records_(reference, options) {}

  void map(const sequence::ReadBatch& batch, align::AlignmentBatch& out) override {
    Stopwatch watch;
    find_fragments(batch);
    find_tails(batch);
    watch.lap(seconds_.clip);
    if (pairs_.empty() && !has_tails_) {
      others_->map(batch, out);
      return;
    }
    out.clear();
    out.reads.resize(batch.size());
    out.pairs.resize(batch.paired && !single_ ? batch.size() / 2 : 0);
    unsure_.clear();
    if (!pairs_.empty()) {
      fragments_->map(fragment_batch_, fragments_out_);
      Stopwatch after;
      put_fragments(batch, out);
      after.lap(seconds_.clip);
    }
    std::vector<std::uint32_t> whole;
    map_others(batch, other_reads_, true, out, whole);
    map_others(batch, whole, false, out, whole);
    map_unsure(batch, out);
  }

  engine::StageSeconds seconds() const override {
    engine::StageSeconds sum = others_->seconds();
    if (fragments_) {
      sum += fragments_->seconds();
    }
    sum += seconds_;
    return sum;
  }

 private:
  // A pair that is mapped both ways, with what it has as a fragment.
  struct Unsure {
    std::size_t pair;
    align::ReadResult mates[2];
    align::PairResult result;
    std::int64_t score;
  };

  // Maps these reads, without their bad tails if `cuts`; then adds those to `whole` that must be mapped with them.
  void map_others(const sequence::ReadBatch& batch, const std::vector<std::uint32_t>& reads, bool cuts,
                  align::AlignmentBatch& out, std::vector<std::uint32_t>& whole) {
    if (reads.empty()) {
      return;
    }
    take_others(batch, reads, cuts);
    others_->map(other_batch_, other_out_);
    align::put_results(other_out_, reads, out);
    if (!cuts) {
      return;
    }
    Stopwatch watch;
    const std::size_t step = out.pairs.empty() ? 1 : 2;
    for (std::size_t i = 0; i < reads.size(); i += step) {
      add_tails(batch, reads[i], step, out, whole);
    }
    watch.lap(seconds_.clip);
  }

  // Puts these reads into other_batch_.
  void take_others(const sequence::ReadBatch& batch, const std::vector<std::uint32_t>& reads, bool cuts) {
    other_batch_.clear();
    other_batch_.paired = batch.paired;
    other_batch_.is_fastq = batch.is_fastq;
    const std::uint32_t texts = other_batch_.share_texts(batch);
    for (const std::uint32_t r : reads) {
      other_batch_.add_shared(batch, r, texts, batch.name(r).size(), cuts ? before_tail_[r] : ~std::uint32_t{0});
    }
  }

  void find_tails(const sequence::ReadBatch& batch) {
    has_tails_ = false;
    before_tail_.resize(batch.size());
    has_adapter_.assign(batch.size(), false);
    for (std::uint32_t r = 0; r < batch.size(); ++r) {
      before_tail_[r] = static_cast<std::uint32_t>(batch.length(r));
    }
    for (std::uint32_t r = 0; r < batch.size() && !single_; ++r) {
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
      const align::Alignment* const primary = align::primary_of(out, r);
      any = any || has_tail(r);
      are_clear = are_clear && (!has_tail(r) || has_adapter_[r] || (primary != nullptr && primary->mapq >= kClearMapq));
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
      align::Extent extents[2] = {align::extent_of(*align::primary_of(out, first)),
                                  align::extent_of(*align::primary_of(out, first + 1))};
      align::bring_together(reference_.contigs()[align::primary_of(out, first)->contig].circle(), extents[0],
                            extents[1]);
      out.pairs[first / 2].insert = static_cast<std::uint32_t>(align::outer_distance(extents[0], extents[1]));
    }
  }

  // Returns how many bases of the tail are aligned.
  std::uint32_t add_tail(const sequence::ReadBatch& batch, std::uint32_t r, align::AlignmentBatch& out) {
    const std::uint32_t tail = static_cast<std::uint32_t>(batch.length(r)) - before_tail_[r];
    const auto lengthened = [&](const align::Alignment& before, bool aligns) {
      const View strand = records_.load(batch.bases(r), before.reverse, before.contig);
      const View view = before.reverse ? strand.turned() : strand;
      Chain chain = records_.chain_of(out, before);
      if (before.reverse) {
        chain.turn();
      }
      // Along the diagonal, if the read fits up to its tail; then what does not fit is left out again.
      const bool goes_on = aligns && chain.right == 0 && chain.runs.back().step == match::Step::diagonal;
      chain.right += tail;
      if (goes_on) {
        view.load(chain, tail);
        const auto most = static_cast<std::uint32_t>(std::min<std::int64_t>(tail, view.text_end() - chain.end()));
        chain.runs.back().length += most;
        chain.right -= most;
        trim(parts_of(view, chain), view.length(), chain);
      }
      if (before.reverse) {
        chain.turn();
      }
      align::Alignment after = records_.describe(chain, before.reverse, out);
      after.mapq = before.mapq;
      return after;
    };
    align::Alignment& primary = *align::primary_of(out, r);
    primary = lengthened(primary, true);
    const auto ends = align::clipped_ends(out, primary);
    const std::uint32_t aligned = tail - std::min(tail, primary.reverse ? ends.left : ends.right);
    const align::ReadResult& result = out.reads[r];
    for (std::uint32_t k = 0; k < result.supplementary_count; ++k) {
      out.alignments[result.supplementary + k] = lengthened(out.alignments[result.supplementary + k], false);
    }
    return aligned;
  }

  void find_fragments(const sequence::ReadBatch& batch) {
    fragment_batch_.clear();
    lengths_.clear();
    pairs_.clear();
    is_sure_.clear();
    other_reads_.clear();
    if (!batch.paired || !fragments_) {
      other_reads_.resize(batch.size());
      std::iota(other_reads_.begin(), other_reads_.end(), 0u);
      return;
    }
    for (std::uint32_t r = 0; r < batch.size(); r += 2) {
      std::uint32_t length =
          overlap_.find(batch.bases(r), batch.qualities(r), batch.bases(r + 1), batch.qualities(r + 1));
      if (overlap_.fits_several()) {
        const std::size_t before = adapter_begin(batch.bases(r));
        const bool both = before < batch.length(r) && before == adapter_begin(batch.bases(r + 1));
        length = both && overlap_.take(before) ? static_cast<std::uint32_t>(before) : 0;
      }
      const bool is_whole = length <= batch.length(r) && length <= batch.length(r + 1);
      const bool is_sure =
          is_whole && (is_adapter(batch.bases(r).substr(length)) || is_adapter(batch.bases(r + 1).substr(length)));
      if (length > 0 && is_whole && (is_sure || !single_)) {
        const Fragment& fragment = overlap_.fragment();
        fragment_batch_.add(batch.name(r), fragment.bases, fragment.qualities);
        lengths_.push_back(length);
        pairs_.push_back(r / 2);
        is_sure_.push_back(is_sure);
      } else {
        other_reads_.insert(other_reads_.end(), {r, r + 1});
      }
    }
  }

  // Gives the mates of all fragments their places; adds the pairs that are mapped as others to other_reads_.
  void put_fragments(const sequence::ReadBatch& batch, align::AlignmentBatch& out) {
    const std::size_t before = other_reads_.size();
    for (std::size_t f = 0; f < pairs_.size(); ++f) {
      const align::ReadResult& result = fragments_out_.reads[f];
      const std::uint32_t r = 2 * pairs_[f];
      if (result.count > 0 && goes_on(batch, f)) {
        other_reads_.insert(other_reads_.end(), {r, r + 1});
        continue;
      }
      for (const unsigned m : {0u, 1u}) {
        align::ReadResult& mate = out.reads[r + m] = result;
        mate.first = out.alignments.size();
        for (std::uint32_t k = 0; k < result.count; ++k) {
          out.alignments.push_back(mate_alignment(batch, f, m, result.first + k, out));
        }
        mate.supplementary = out.alignments.size();
        for (std::uint32_t k = 0; k < result.supplementary_count; ++k) {
          out.alignments.push_back(mate_alignment(batch, f, m, result.supplementary + k, out));
        }
      }
      if (!single_ && result.count > 0) {
        put_pair(f, out);
      }
      if (!is_sure_[f]) {
        unsure_.push_back(
            {pairs_[f], {out.reads[r], out.reads[r + 1]}, out.pairs[pairs_[f]], score_of_pair(out, pairs_[f])});
      }
    }
    std::vector<std::uint32_t>& reads = other_reads_;
    std::inplace_merge(reads.begin(), reads.begin() + static_cast<std::ptrdiff_t>(before), reads.end());
  }

  static std::int64_t score_of_pair(const align::AlignmentBatch& out, std::size_t p) {
    std::int64_t score = 0;
    for (const std::size_t r : {2 * p, 2 * p + 1}) {
      const align::Alignment* const primary = align::primary_of(out, r);
      score += primary != nullptr ? primary->score : 0;
    }
    return score;
  }

  // Maps pairs the other way, too: as whole mates. The fragment stays, unless these are a better concordant pair.
  void map_unsure(const sequence::ReadBatch& batch, align::AlignmentBatch& out) {
    if (unsure_.empty()) {
      return;
    }
    std::vector<std::uint32_t> reads;
    for (const Unsure& unsure : unsure_) {
      const auto first = static_cast<std::uint32_t>(2 * unsure.pair);
      reads.insert(reads.end(), {first, first + 1});
    }
    take_others(batch, reads, false);
    map_whole_(other_batch_, other_out_);
    align::put_results(other_out_, reads, out);
    for (const Unsure& unsure : unsure_) {
      const std::size_t p = unsure.pair;
      if (out.pairs[p].kind != align::PairKind::concordant || score_of_pair(out, p) <= unsure.score) {
        out.pairs[p] = unsure.result;
        out.reads[2 * p] = unsure.mates[0];
        out.reads[2 * p + 1] = unsure.mates[1];
      }
    }
  }

  // The size of a fragment is the number of its own bases: an indel does not make it less usual.
  void put_pair(std::size_t f, align::AlignmentBatch& out) const {
    align::PairResult& pair = out.pairs[pairs_[f]];
    align::ReadResult* const mates = &out.reads[2 * pairs_[f]];
    if (inserts_.allows(lengths_[f])) {
      const align::AlignmentPair both{
          {static_cast<std::uint32_t>(mates[0].first), static_cast<std::uint32_t>(mates[1].first)}};
      const auto extent = [&](unsigned m) { return align::extent_of(out.alignments[both.mates[m]]); };
      pair.kind = align::PairKind::concordant;
      pair.first = out.concordant_pairs.size();
      pair.count = 1;
      pair.insert = static_cast<std::uint32_t>(align::outer_distance(extent(0), extent(1)));
      out.concordant_pairs.push_back(both);
      mates[0].count = mates[1].count = 0;
      return;
    }
    pair.kind = align::PairKind::discordant;
    if (options_.pairs.discordant == align::Discordant::never) {
      for (const unsigned m : {0u, 1u}) {
        mates[m].count = mates[m].supplementary_count = 0;
      }
    }
  }

  // Mate m of fragment f where an alignment of the fragment lies.
  std::pair<View, Chain> mate_chain(const sequence::ReadBatch& batch, std::size_t f, unsigned m,
                                    const align::Alignment& alignment) {
    const bool reverse = alignment.reverse != (m == 1);
    const View view = records_.load(batch.bases(2 * pairs_[f] + m), reverse, alignment.contig);
    Chain chain = records_.chain_of(fragments_out_, alignment);
    (reverse ? chain.left : chain.right) += view.length() - lengths_[f];
    return {view, chain};
  }

  align::Alignment mate_alignment(const sequence::ReadBatch& batch, std::size_t f, unsigned m, std::uint64_t index,
                                  align::AlignmentBatch& out) {
    const align::Alignment& of_fragment = fragments_out_.alignments[index];
    auto [view, chain] = mate_chain(batch, f, m, of_fragment);
    // The fragment's gaps are those of the mate.
    if (edits_of(view, chain) > of_fragment.distance) {
      trim(parts_of(view, chain), view.length(), chain);
    }
    align::Alignment alignment = records_.describe(chain, of_fragment.reverse != (m == 1), out);
    alignment.mapq = quality(of_fragment);
    return alignment;
  }

  // Both mates show what another place differs in, as two mates do that lie apart; but so short a fragment may fit
  // there by chance.
  std::uint8_t quality(const align::Alignment& of_fragment) const {
    constexpr int kMostOfBoth = 50;
    constexpr int kEdit = 20;
    const int single = of_fragment.mapq;
    const int both = single < kMostOfBoth ? std::min(2 * single, kMostOfBoth) : single;
    const auto bases = static_cast<int>(align::bases_beside_reference(fragments_out_, of_fragment));
    const auto events = static_cast<int>(align::events_of(fragments_out_, of_fragment));
    const int chance =
        static_cast<int>(align::MapqModel::kClipCost) * bases - kEdit * events - static_cast<int>(reference_cost_);
    return static_cast<std::uint8_t>(std::min(both, std::max(chance, std::min(single, 1))));
  }

  // Whether the mates go on behind the fragment as the reference does.
  bool goes_on(const sequence::ReadBatch& batch, std::size_t f) {
    const align::Alignment& of_fragment = fragments_out_.alignments[fragments_out_.reads[f].first];
    std::int64_t points = 0;
    std::uint32_t behind = 0;
    std::uint32_t differ = 0;
    for (const unsigned m : {0u, 1u}) {
      const std::size_t length = batch.length(2 * pairs_[f] + m);
      if (length <= lengths_[f]) {
        continue;
      }
      auto [strand, chain] = mate_chain(batch, f, m, of_fragment);
      const bool reverse = of_fragment.reverse != (m == 1);
      const View view = reverse ? strand.turned() : strand;
      if (reverse) {
        chain.turn();
      }
      const auto adapter = static_cast<std::uint32_t>(length) - lengths_[f];
      behind += adapter;
      if (chain.right > adapter) {  // the end of the fragment does not fit
        differ += adapter;
        continue;
      }
      const std::int64_t end = chain.end();
      view.load(chain, adapter);
      std::int64_t sum = 0;
      std::int64_t most = 0;
      for (std::uint32_t k = 0; k < adapter; ++k) {
        const bool matches = end + k < view.text_end() && view.surely_matches(view.length() - adapter + k, end + k);
        sum += matches ? kMatch : kMismatch;
        most = std::max(most, sum);
        differ += matches ? 0 : 1;
      }
      points += most;
    }
    return points >= kPointsBehind || (differ == 0 && behind >= kFewBasesBehind);
  }

  std::unique_ptr<engine::Worker> others_;
  MapWhole map_whole_;
  std::unique_ptr<engine::Worker> fragments_;
  bool single_;  // the mates of all pairs are mapped like single reads
  const sequence::Reference& reference_;
  const map::Options& options_;
  const align::InsertModel& inserts_;
  std::uint32_t reference_cost_;
  ChainRecords records_;
  MateOverlap overlap_;
  engine::StageSeconds seconds_;
  sequence::ReadBatch fragment_batch_, other_batch_;
  std::vector<std::uint32_t> lengths_;  // of the fragments
  std::vector<std::uint32_t> pairs_;    // and the pairs that they are of
  std::vector<bool> is_sure_;           // and whether an adapter follows them
  std::vector<Unsure> unsure_;
  std::vector<std::uint32_t> other_reads_;
  std::vector<std::uint32_t> before_tail_;  // of each other read: the number of its bases before its bad tail
  std::vector<bool> has_adapter_;           // it is that of an adapter
  bool has_tails_ = false;
  align::AlignmentBatch fragments_out_, other_out_;
};

}  // namespace

std::unique_ptr<engine::Worker> make_cut_ends_worker(std::unique_ptr<engine::Worker> others, MapWhole map_whole,
                                                     std::unique_ptr<engine::Worker> fragments,
                                                     const sequence::Reference& reference, const map::Options& options,
                                                     const align::InsertModel& inserts) {
  return std::make_unique<CutEndsWorker>(std::move(others), std::move(map_whole), std::move(fragments), false,
                                         reference, options, inserts);
}

std::unique_ptr<engine::Worker> make_single_fragments_worker(std::unique_ptr<engine::Worker> others,
                                                             std::unique_ptr<engine::Worker> fragments,
                                                             const sequence::Reference& reference,
                                                             const map::Options& options,
                                                             const align::InsertModel& inserts) {
  return std::make_unique<CutEndsWorker>(std::move(others), nullptr, std::move(fragments), true, reference, options,
                                         inserts);
}

}  // namespace trawl::clip
