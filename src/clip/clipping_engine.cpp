#include "clip/clipping_engine.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "align/alignment.hpp"
#include "align/mapq.hpp"
#include "align/pair_reporter.hpp"
#include "align/read_reporter.hpp"
#include "align/select.hpp"
#include "base/stopwatch.hpp"
#include "clip/clipped_reads.hpp"
#include "map/search_depth.hpp"
#include "polish/long_gaps.hpp"
#include "rescue/pair_up.hpp"
#include "rescue/split_ends.hpp"

namespace trawl::clip {

namespace {

align::ReportRule clip_rule(const map::MapOptions& options) {
  align::ReportRule rule = options.report_rule();
  rule.edit_points = align::kEditPoints;
  rule.split = options.clip.split || options.clip.join > 0;
  return rule;
}

class ClippingWorker final : public engine::WorkerAround {
 public:
  // Which parts of reads are mapped as reads of their own.
  enum class Splits { none, halves, halves_and_ends };

  // `single`: mates are mapped like single reads. `min_piece`: the fewest bases of a piece.
  ClippingWorker(engine::Engine& inside, const sequence::Reference& reference, const map::MapOptions& options,
                 const align::InsertModel& inserts, bool single, std::uint32_t min_piece, Splits splits)
      : WorkerAround(single || is_always(options) ? inside.make_single_worker() : inside.make_worker()),
        options_(options),
        single_(single),
        splits_ends_(splits == Splits::halves_and_ends),
        inserts_(inserts),
        reference_(reference),
        range_(align::kEditPoints * map::strata_of_pairs(options)),
        short_reads_(options_, reference.bases()),
        reads_(reference, options_, inside.make_range_finder(), min_piece),
        reporter_(reference, options.ambiguous == map::Ambiguous::match, options.eqx, clip_rule(options)),
        pair_reporter_(reference, reporter_, options.pairs, inserts),
        long_gaps_(reference, options),
        split_(make_worker_of_ends(inside, splits), options.clip.least_score) {}

  void map(const sequence::ReadBatch& batch, align::AlignmentBatch& out) override {
    const bool paired = batch.paired && !single_;
    if (always()) {
      out.clear();
      out.reads.resize(batch.size());
      out.pairs.resize(paired ? batch.size() / 2 : 0);
      if (options_.report != map::Report::all) {
        inside_->map(batch, whole_);
      }
    } else {
      inside_->map(batch, out);
      score_whole_reads(batch, out);
    }
    if (paired) {
      clip_pairs(batch, out);
    } else {
      clip_reads(batch, out);
    }
    align::sort_records(out);
    const std::vector<std::uint32_t> halves = split_.map_halves(batch, out);
    long_gaps_.extend(batch, halves, out);
    rescue::pair_up(reference_, options_, inserts_, halves, out);
    Stopwatch watch;
    long_gaps_.join(batch, out);
    watch.lap(seconds_.clip);
    if (splits_ends_) {
      split_.map_ends(batch, out);
    }
  }

  engine::StageSeconds seconds() const override {
    engine::StageSeconds sum = WorkerAround::seconds();
    sum += reads_.seconds();
    sum += split_.seconds();
    return sum;
  }

 private:
  // Every read is clipped where that is better, not only those that fit nowhere as a whole.
  static bool is_always(const map::MapOptions& options) { return options.clip.when == align::ClipWhen::always; }
  bool always() const { return is_always(options_); }

  std::unique_ptr<engine::Worker> make_worker_of_ends(engine::Engine& inside, Splits splits) const {
    if (splits == Splits::none) {
      return nullptr;
    }
    map::MapOptions of_ends = options_;
    of_ends.report = map::Report::best;
    of_ends.clip.join = 0;
    // An end may have two parts, too; their ends are not looked at.
    return std::make_unique<ClippingWorker>(inside, reference_, of_ends, inserts_, true, rescue::SplitEnds::kShortest,
                                            splits == Splits::halves_and_ends ? Splits::halves : Splits::none);
  }

  static void score(std::size_t length, align::Alignment& alignment) {
    alignment.score = static_cast<std::int32_t>(length) -
                      static_cast<std::int32_t>(align::kEditPoints) * static_cast<std::int32_t>(alignment.distance);
  }

  // Gives the alignments of whole reads scores that can be compared with those of pieces.
  static void score_whole_reads(const sequence::ReadBatch& batch, align::AlignmentBatch& out) {
    for (std::size_t r = 0; r < batch.size(); ++r) {
      for (std::uint32_t k = 0; k < out.reads[r].count; ++k) {
        score(batch.length(r), out.alignments[out.reads[r].first + k]);
      }
    }
    for (std::size_t p = 0; p < out.pairs.size(); ++p) {
      for (std::uint32_t k = 0; k < out.pairs[p].count; ++k) {
        for (std::size_t m = 0; m < 2; ++m) {
          score(batch.length(2 * p + m), out.alignments[out.concordant_pairs[out.pairs[p].first + k].mates[m]]);
        }
      }
    }
  }

  // Adds read r to the list of reads to be clipped. Returns whether it can be.
  bool add_clipped(const sequence::ReadBatch& batch, std::size_t r, align::AlignmentBatch& out) {
    align::ReadResult& result = out.reads[r];
    const align::Alignment* const known = whole_.reads.empty() ? nullptr : align::primary_of(whole_, r);
    if (short_reads_.is_too_short(batch.bases(r))) {
      result.unmapped = align::Unmapped::too_short;
      return false;
    }
    const align::PieceLimits& limits = reads_.limits(batch.length(r));
    if (limits.clip() == 0 && !always()) {
      return false;
    }
    reads_.add(batch, static_cast<std::uint32_t>(r), limits, always(),
               known != nullptr ? align::kEditPoints * known->distance : WantedPieces::kAnyPenalty);
    return true;
  }

  // `placements`: where those of loci that have several are put.
  align::ReadLoci loci_of(const sequence::ReadBatch& batch, const ClippedRead& read, align::Placements& placements) {
    const auto qualities = batch.qualities(read.read);
    align::ReadLoci loci;
    loci.loci = read.found.loci;
    loci.strands[0] = &read.strands[0];
    loci.strands[1] = &read.strands[1];
    loci.qualities = qualities.empty() ? nullptr : qualities.data();
    loci.max_edits = read.limits->max_edits();
    loci.pieces = read.found.pieces.data();
    loci.limits = read.limits;
    if (read.limits->clip() == 0 && !loci.loci.empty()) {
      reporter_.place(loci, read.limits->max_edits(), align::kMaxEdits, placements);
    }
    return loci;
  }

  void clip_reads(const sequence::ReadBatch& batch, align::AlignmentBatch& out) {
    reads_.start();
    for (std::size_t r = 0; r < batch.size(); ++r) {
      if (out.reads[r].count == 0) {
        add_clipped(batch, r, out);
      }
    }
    reads_.find_needed();
    Stopwatch watch;
    for (std::size_t i = 0; i < reads_.size(); ++i) {
      const align::ReadLoci loci = loci_of(batch, reads_[i], placements_[0]);
      if (!loci.loci.empty()) {
        const std::uint32_t r = reads_[i].read;
        out.reads[r] = {};
        reporter_.select(loci, align::name_hash(batch.name(r)));
        reporter_.report(loci, out.reads[r], out);
      }
    }
    watch.lap(seconds_.clip);
  }

  // A pair that is reported anew: where its mates are in the list of reads, if they are.
  struct ClippedPair {
    std::size_t pair = 0;
    std::optional<std::size_t> mates[2];
  };

  void clip_pairs(const sequence::ReadBatch& batch, align::AlignmentBatch& out) {
    pairs_.clear();
    reads_.start();
    for (std::size_t p = 0; p < out.pairs.size(); ++p) {
      const align::PairKind kind = out.pairs[p].kind;
      if (!always() && kind != align::PairKind::unmapped && kind != align::PairKind::one_end) {
        continue;
      }
      ClippedPair pair{p, {}};
      for (std::size_t m = 0; m < 2; ++m) {
        const std::size_t r = 2 * p + m;
        if (align::primary_of(out, r) == nullptr && add_clipped(batch, r, out)) {
          pair.mates[m] = reads_.size() - 1;
        }
      }
      if (pair.mates[0] || pair.mates[1]) {
        pairs_.push_back(pair);
      }
    }
    reads_.find_needed();
    const auto has_loci = [&](const std::optional<std::size_t>& i) { return i && !reads_[*i].found.loci.empty(); };
    std::erase_if(pairs_,
                  [&](const ClippedPair& pair) { return !has_loci(pair.mates[0]) && !has_loci(pair.mates[1]); });
    // The other mates' loci, too: the engine has given only those that it reported.
    for (ClippedPair& pair : pairs_) {
      for (std::size_t m = 0; m < 2; ++m) {
        const std::size_t r = 2 * pair.pair + m;
        if (!pair.mates[m] && align::primary_of(out, r) != nullptr) {
          pair.mates[m] = reads_.size();
          reads_.add(batch, static_cast<std::uint32_t>(r), reads_.limits(batch.length(r), false), true);
        }
      }
    }
    reads_.find();
    for (const ClippedPair& pair : pairs_) {
      find_needed(batch, pair);
    }
    reads_.find();
    Stopwatch watch;
    for (const ClippedPair& pair : pairs_) {
      report_pair(batch, pair, out);
    }
    watch.lap(seconds_.clip);
  }

  // Takes up the loci of a pair that are known so far.
  void begin_pair(const sequence::ReadBatch& batch, const ClippedPair& pair) {
    align::ReadLoci loci[2];
    for (std::size_t m = 0; m < 2; ++m) {
      if (pair.mates[m]) {
        loci[m] = loci_of(batch, reads_[*pair.mates[m]], placements_[m]);
      }
    }
    pair_reporter_.begin(loci[0], loci[1]);
  }

  // Asks for the loci that may still matter for a pair.
  void find_needed(const sequence::ReadBatch& batch, const ClippedPair& pair) {
    const auto is_complete = [&](std::size_t m) { return !pair.mates[m] || reads_[*pair.mates[m]].is_complete(); };
    if (is_complete(0) && is_complete(1)) {
      return;
    }
    begin_pair(batch, pair);
    const std::uint32_t sum = pair_reporter_.smallest_sum();
    for (std::size_t m = 0; m < 2; ++m) {
      if (is_complete(m)) {
        continue;
      }
      const ClippedRead& mate = reads_[*pair.mates[m]];
      std::uint32_t needed = reads_.needed(*pair.mates[m]);  // if it is reported alone
      if (pair.mates[1 - m] && !reads_[*pair.mates[1 - m]].found.loci.empty()) {
        // In a pair with an unseen locus of this mate, the other mate has at least its least penalty.
        const std::uint32_t least = reads_[*pair.mates[1 - m]].least_penalty();
        needed = sum == align::kAnySum ? WantedPieces::kAnyPenalty
                                       : std::max(mate.best(), sum - std::min(sum, least)) + range_;
      }
      reads_.ask_for(*pair.mates[m], needed);
    }
  }

  void report_pair(const sequence::ReadBatch& batch, const ClippedPair& pair, align::AlignmentBatch& out) {
    align::ReadResult* const results = &out.reads[2 * pair.pair];
    begin_pair(batch, pair);
    for (std::size_t m = 0; m < 2; ++m) {
      const align::Unmapped unmapped = results[m].unmapped;
      results[m] = {};
      results[m].unmapped = unmapped;
    }
    out.pairs[pair.pair] = {};
    pair_reporter_.report(align::name_hash(batch.name(2 * pair.pair)), out.pairs[pair.pair], results, out);
  }

  map::MapOptions options_;
  bool single_;
  bool splits_ends_;
  const align::InsertModel& inserts_;
  const sequence::Reference& reference_;
  std::uint32_t range_;  // pairs whose penalty exceeds the best one by up to this matter
  map::ShortReads short_reads_;
  ClippedReads reads_;
  align::ReadReporter reporter_;
  align::PairReporter pair_reporter_;
  align::Placements placements_[2];
  polish::LongGaps long_gaps_;
  std::vector<ClippedPair> pairs_;
  align::AlignmentBatch whole_;  // of all reads as a whole, if every read is clipped
  rescue::SplitEnds split_;
};

// Single workers are those of the engine inside: they map whole reads, from which insert sizes are estimated.
class ClippingEngine final : public engine::EngineAround {
 public:
  ClippingEngine(std::unique_ptr<engine::Engine> inside, const sequence::Reference& reference,
                 const map::MapOptions& options)
      : EngineAround(std::move(inside)), reference_(reference), options_(options) {}

  std::unique_ptr<engine::Worker> make_worker() override {
    const auto splits = options_.clip.split ? ClippingWorker::Splits::halves_and_ends : ClippingWorker::Splits::none;
    return std::make_unique<ClippingWorker>(inside(), reference_, options_, inserts(), false, 0, splits);
  }

 private:
  const sequence::Reference& reference_;
  map::MapOptions options_;
};

}  // namespace

std::unique_ptr<engine::Engine> make_clipping_engine(std::unique_ptr<engine::Engine> inside,
                                                     const sequence::Reference& reference,
                                                     const map::MapOptions& options) {
  return std::make_unique<ClippingEngine>(std::move(inside), reference, options);
}

}  // namespace trawl::clip
