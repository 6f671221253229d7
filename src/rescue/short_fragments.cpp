// Pairs whose fragment is shorter than a read (rescue/mate_overlap.hpp): both mates show the same fragment, and then
// adapter. So the fragment is mapped once, as a single read, and both mates get its place:
//
//   reference   ..CGGATTACAGGACCTTAGGCATCC..
//   fragment        GATTACAGGACCTTAG
//   mate 1          GATTACAGGACCTTAGagatcg        16M6S
//   mate 2    tctagcGATTACAGGACCTTAG              6S16M
//
// Where the bases behind the fragment fit the reference, they are no adapter: mates in two copies of a repeat. Such
// pairs are mapped as all others.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "align/alignment.hpp"
#include "align/cigar.hpp"
#include "align/mapq.hpp"
#include "align/read_reporter.hpp"
#include "base/stopwatch.hpp"
#include "polish/chain.hpp"
#include "polish/chain_records.hpp"
#include "rescue/default_engine.hpp"
#include "rescue/foreign_tail.hpp"
#include "rescue/mate_overlap.hpp"
#include "rescue/pair_up.hpp"
#include "sequence/read_batch.hpp"

namespace trawl::rescue {

namespace {

// This number of bases of both mates behind a fragment fits by chance once in 4,000 times.
constexpr std::uint32_t kFewBasesBehind = 6;
// These points, where a base that differs counts -4, are reached by chance once in a million times.
constexpr std::int64_t kPointsBehind = 10;

class ShortFragmentsWorker final : public engine::WorkerAround {
 public:
  // `map_whole` null: the mates of all pairs are mapped like single reads.
  ShortFragmentsWorker(std::unique_ptr<engine::Worker> others, MapWhole map_whole,
                       std::unique_ptr<engine::Worker> fragments, const sequence::Reference& reference,
                       const map::MapOptions& options, const align::InsertModel& inserts)
      : WorkerAround(std::move(others)),
        map_whole_(std::move(map_whole)),
        fragments_(std::move(fragments)),
        single_(map_whole_ == nullptr),
        options_(options),
        inserts_(inserts),
        reference_cost_(align::ReadReporter::reference_cost(reference.bases())),
        records_(reference, options) {}

  void map(const sequence::ReadBatch& batch, align::AlignmentBatch& out) override {
    Stopwatch watch;
    find_fragments(batch);
    watch.lap(seconds_.clip);
    if (found_.empty()) {
      inside_->map(batch, out);
      return;
    }
    out.clear();
    out.reads.resize(batch.size());
    out.pairs.resize(batch.paired && !single_ ? batch.size() / 2 : 0);
    fragments_->map(fragment_batch_, fragments_out_);
    Stopwatch after;
    put_fragments(batch, out);
    after.lap(seconds_.clip);
    if (!other_reads_.empty()) {
      other_batch_.take_some(batch, other_reads_);
      inside_->map(other_batch_, other_out_);
      align::put_results(other_out_, other_reads_, out);
    }
    map_unsure(batch, out);
  }

  engine::StageSeconds seconds() const override {
    engine::StageSeconds sum = WorkerAround::seconds();
    sum += fragments_->seconds();
    return sum;
  }

 private:
  // A fragment that was found.
  struct ShortFragment {
    std::uint32_t length;
    std::uint32_t pair;
    bool is_sure;  // an adapter follows it
  };

  // A pair that is mapped both ways, with what it has as a fragment.
  struct Unsure {
    std::size_t pair;
    align::ReadResult mates[2];
    align::PairResult result;
    std::int64_t score;
  };

  void find_fragments(const sequence::ReadBatch& batch) {
    fragment_batch_.clear();
    found_.clear();
    other_reads_.clear();
    unsure_.clear();
    for (std::uint32_t r = 0; batch.paired && r < batch.size(); r += 2) {
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
        found_.push_back({length, r / 2, is_sure});
      } else {
        other_reads_.insert(other_reads_.end(), {r, r + 1});
      }
    }
  }

  // Gives the mates of all fragments their places; adds the pairs that are mapped as others to other_reads_.
  void put_fragments(const sequence::ReadBatch& batch, align::AlignmentBatch& out) {
    const std::size_t before = other_reads_.size();
    for (std::size_t f = 0; f < found_.size(); ++f) {
      const align::ReadResult& result = fragments_out_.reads[f];
      const std::uint32_t r = 2 * found_[f].pair;
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
      if (!found_[f].is_sure) {
        unsure_.push_back({found_[f].pair,
                           {out.reads[r], out.reads[r + 1]},
                           out.pairs[found_[f].pair],
                           score_of_pair(out, found_[f].pair)});
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
    other_batch_.take_some(batch, reads);
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
    align::PairResult& pair = out.pairs[found_[f].pair];
    align::ReadResult* const mates = &out.reads[2 * found_[f].pair];
    if (inserts_.allows(found_[f].length)) {
      const auto extent = [&](unsigned m) { return align::extent_of(out.alignments[mates[m].first]); };
      join_mates(found_[f].pair, out);
      pair.insert = static_cast<std::uint32_t>(align::outer_distance(extent(0), extent(1)));
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
  std::pair<polish::View, polish::Chain> mate_chain(const sequence::ReadBatch& batch, std::size_t f, unsigned m,
                                                    const align::Alignment& alignment) {
    const bool reverse = alignment.reverse != (m == 1);
    const polish::View view = records_.load(batch.bases(2 * found_[f].pair + m), reverse, alignment.contig);
    polish::Chain chain = records_.chain_of(fragments_out_, alignment);
    (reverse ? chain.left : chain.right) += view.length() - found_[f].length;
    return {view, chain};
  }

  align::Alignment mate_alignment(const sequence::ReadBatch& batch, std::size_t f, unsigned m, std::uint64_t index,
                                  align::AlignmentBatch& out) {
    const align::Alignment& of_fragment = fragments_out_.alignments[index];
    auto [view, chain] = mate_chain(batch, f, m, of_fragment);
    // The fragment's gaps are those of the mate.
    if (edits_of(view, chain) > of_fragment.distance) {
      trim(view, view.length(), chain);
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
      const std::size_t length = batch.length(2 * found_[f].pair + m);
      if (length <= found_[f].length) {
        continue;
      }
      auto [strand, chain] = mate_chain(batch, f, m, of_fragment);
      const polish::View view = strand.in_file(of_fragment.reverse != (m == 1), chain);
      const auto adapter = static_cast<std::uint32_t>(length) - found_[f].length;
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
        sum += matches ? polish::kMatch : polish::kMismatch;
        most = std::max(most, sum);
        differ += matches ? 0 : 1;
      }
      points += most;
    }
    return points >= kPointsBehind || (differ == 0 && behind >= kFewBasesBehind);
  }

  MapWhole map_whole_;
  std::unique_ptr<engine::Worker> fragments_;
  bool single_;
  const map::MapOptions& options_;
  const align::InsertModel& inserts_;
  std::uint32_t reference_cost_;
  polish::ChainRecords records_;
  MateOverlap overlap_;
  sequence::ReadBatch fragment_batch_, other_batch_;
  std::vector<ShortFragment> found_;  // those of fragment_batch_
  std::vector<Unsure> unsure_;
  std::vector<std::uint32_t> other_reads_;
  align::AlignmentBatch fragments_out_, other_out_;
};

}  // namespace

std::unique_ptr<engine::Worker> make_short_fragments_worker(std::unique_ptr<engine::Worker> others, MapWhole map_whole,
                                                            std::unique_ptr<engine::Worker> fragments,
                                                            const sequence::Reference& reference,
                                                            const map::MapOptions& options,
                                                            const align::InsertModel& inserts) {
  return std::make_unique<ShortFragmentsWorker>(std::move(others), std::move(map_whole), std::move(fragments),
                                                reference, options, inserts);
}

}  // namespace trawl::rescue
