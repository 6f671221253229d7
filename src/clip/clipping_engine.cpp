#include "clip/clipping_engine.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "align/cigar.hpp"
#include "align/mapq.hpp"
#include "align/pair_reporter.hpp"
#include "align/read_reporter.hpp"
#include "align/record_order.hpp"
#include "align/select.hpp"
#include "base/stopwatch.hpp"
#include "clip/anchors.hpp"
#include "clip/clipped_reads.hpp"
#include "clip/cut_ends.hpp"
#include "clip/local_search.hpp"
#include "clip/long_gaps.hpp"
#include "clip/pieces_in_arrays.hpp"
#include "clip/split_ends.hpp"
#include "engine/engine_around.hpp"
#include "map/search_depth.hpp"
#include "map/short_reads.hpp"
#include "sequence/alphabet.hpp"

namespace trawl::clip {

namespace {

align::ReportRule clip_rule(const map::Options& options) {
  align::ReportRule rule = options.report_rule();
  rule.edit_points = align::kEditPoints;
  rule.split = options.clip.split || options.clip.join > 0;
  return rule;
}

// The limits of the pieces of reads, by the length of the reads.
class LimitsByLength {
 public:
  // `min_piece`: a piece has at least so many bases.
  LimitsByLength(const map::Options& options, std::uint32_t min_piece) : options_(options), min_piece_(min_piece) {}

  const align::PieceLimits& clipped(std::size_t length) {
    const std::uint32_t spare = length > min_piece_ ? static_cast<std::uint32_t>(length) - min_piece_ : 0;
    const std::uint32_t clip = options_.clip.most.of(length);
    return limits(clipped_, length, min_piece_ > 0 ? std::min(clip, spare) : clip);
  }
  const align::PieceLimits& whole(std::size_t length) { return limits(whole_, length, 0); }

  /// Reads of very many lengths must not fill the memory. What was returned before is not valid after this.
  void forget_if_many() {
    if (clipped_.size() + whole_.size() > kMostKnown) {
      clipped_.clear();
      whole_.clear();
    }
  }

 private:
  using Known = std::unordered_map<std::size_t, align::PieceLimits>;
  static constexpr std::size_t kMostKnown = 4096;

  const align::PieceLimits& limits(Known& known, std::size_t length, std::uint32_t clip) {
    const auto [at, is_new] = known.try_emplace(length);
    if (is_new) {
      align::PieceLimits& limits = at->second;
      limits = align::piece_limits(static_cast<std::uint32_t>(length), clip,
                                   [&](std::uint32_t bases) { return options_.allowed_edits(bases); });
      const std::uint64_t least_score =
          clip > 0 && options_.clip.when == align::ClipWhen::poor
              ? std::max<std::uint64_t>(options_.clip.least_score,
                                        length - std::min<std::uint64_t>(length, align::most_searched_penalty(length)))
              : options_.clip.least_score;
      for (std::size_t edits = 0; edits < limits.most_clipped.size(); ++edits) {
        const std::uint64_t needed = least_score + align::kEditPoints * edits;
        const std::uint64_t spare = length - std::min<std::uint64_t>(length, needed);
        limits.most_clipped[edits] =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(limits.most_clipped[edits], spare));
      }
    }
    return at->second;
  }

  const map::Options& options_;
  std::uint32_t min_piece_;
  Known clipped_;
  Known whole_;
};

class ClippingWorker final : public engine::Worker {
 public:
  // Which parts of reads are mapped as reads of their own.
  enum class Splits { none, halves, halves_and_ends };

  // `single`: mates are mapped like single reads. `min_piece`: a piece has at least so many bases.
  ClippingWorker(engine::Engine& inside, const sequence::Reference& reference, const map::Options& options,
                 const align::InsertModel& inserts, bool single, std::uint32_t min_piece, Splits splits)
      : options_(options),
        single_(single),
        is_of_ends_(min_piece > 0),
        splits_(splits),
        inserts_(inserts),
        reference_(reference),
        range_(align::kEditPoints * map::strata_of_pairs(options)),
        inside_(single || always() ? inside.make_single_worker() : inside.make_worker()),
        short_reads_(options_, reference.bases()),
        limits_(options_, min_piece),
        finder_(inside.make_range_finder()),
        reads_(reference, options_, *finder_),
        anchors_(reference, *finder_),
        reporter_(reference, options.ambiguous == map::Ambiguous::match, options.eqx, clip_rule(options)),
        pair_reporter_(reference, reporter_, options.pairs, inserts),
        local_(reference, options_, reporter_, inserts),
        long_gaps_(reference, options),
        split_(options.clip.least_score) {
    if (splits != Splits::none) {
      map::Options of_ends = options;
      of_ends.report = map::Report::best;
      of_ends.clip.join = 0;
      if (options.clip.when == align::ClipWhen::poor) {
        // Most ends fit as a whole. To search them for short pieces would take most of the time for foreign reads.
        of_ends.clip.most = {true, 30, 0};
      }
      // An end may have two parts, too; their ends are not looked at.
      const bool halves = splits == Splits::halves_and_ends && options.clip.when != align::ClipWhen::poor;
      ends_ = std::make_unique<ClippingWorker>(inside, reference, of_ends, inserts, true, SplitEnds::kShortest,
                                               halves ? Splits::halves : Splits::none);
    }
  }

  void map(const sequence::ReadBatch& batch, align::AlignmentBatch& out) override {
    const bool paired = batch.paired && !single_;
    limits_.forget_if_many();
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
      find_poor(batch, out);
    }
    if (paired) {
      clip_pairs(batch, out);
    } else {
      clip_reads(batch, out);
    }
    align::sort_records(out);
    if (options_.clip.when == align::ClipWhen::poor) {
      Stopwatch watch;
      long_gaps_.score(batch, out);
      long_gaps_.trim(batch, out);
      watch.lap(seconds_.clip);
    }
    if (options_.clip.when == align::ClipWhen::poor) {
      search_locally(batch, out);
    } else {
      map_halves(batch, out);
      Stopwatch watch;
      long_gaps_.join(batch, out);
      watch.lap(seconds_.clip);
    }
    if (splits_ == Splits::halves_and_ends) {
      split_.collect(batch, out);
      if (!split_.ends().empty()) {
        ends_->map(split_.ends(), split_out_);
        split_.add_supplementary(batch, split_out_, out);
      }
    }
  }

  // Without looking for pieces.
  void map_whole(const sequence::ReadBatch& batch, align::AlignmentBatch& out) {
    inside_->map(batch, out);
    score_whole_reads(batch, out);
    long_gaps_.score(batch, out);
    long_gaps_.trim(batch, out);
  }

  engine::StageSeconds seconds() const override {
    engine::StageSeconds sum = inside_->seconds();
    sum += finder_->seconds();
    sum += reads_.seconds();
    sum += seconds_;
    if (ends_) {
      sum += ends_->seconds();
    }
    return sum;
  }

 private:
  // Every read is clipped where that is better, not only those that fit nowhere as a whole.
  bool always() const { return options_.clip.when == align::ClipWhen::always; }

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

  // Finds the reads with a locus whose penalty is so large that pieces are searched, too. So are those of which ends
  // will be left out, if the place of the whole read is not clear: that of the piece may be.
  void find_poor(const sequence::ReadBatch& batch, align::AlignmentBatch& out) {
    poor_.assign(batch.size(), false);
    if (options_.clip.when != align::ClipWhen::poor) {
      return;
    }
    Stopwatch watch;
    for (std::size_t r = 0; r < batch.size(); ++r) {
      const align::Alignment* const primary = align::primary_of(out, r);
      const std::int64_t penalty = primary == nullptr ? 0 : std::int64_t{align::kEditPoints} * primary->distance;
      const std::int64_t most = align::most_well_penalty(batch.length(r));
      const bool unclear = penalty > 0 && !is_clear(out.reads[r], *primary) && may_be_trimmed(out, *primary);
      if (penalty > most || unclear) {
        const LongGaps::Trimmed trimmed = long_gaps_.trimmed(batch, r, out);
        poor_[r] = (penalty > most && trimmed.penalty > most) || (unclear && trimmed.leaves_out);
      }
    }
    watch.lap(seconds_.clip);
  }

  static bool is_clear(const align::ReadResult& read, const align::Alignment& primary) {
    return read.best_count == 1 && read.next_count == 0 && primary.mapq == align::MapqModel::kMaxMapq;
  }

  bool is_poor(std::size_t r) const { return !poor_.empty() && poor_[r]; }

  // Whether a read has so many N, beside those at its ends, that it may fit as a whole where ends are trimmed, though
  // each is an edit for the search. It is placed by its words.
  bool has_many_unknown(std::string_view bases) const {
    constexpr std::ptrdiff_t kMany = 3;
    if (options_.clip.when != align::ClipWhen::poor || options_.ambiguous == map::Ambiguous::match) {
      return false;
    }
    const auto is_known = [](char letter) { return sequence::base_code(letter) != sequence::kAmbiguous; };
    const auto first = std::find_if(bases.begin(), bases.end(), is_known);
    const auto last = std::find_if(bases.rbegin(), bases.rend(), is_known).base();
    return first < last && last - first - std::count_if(first, last, is_known) >= kMany;
  }

  // Adds read r to the list of reads to be clipped. Returns whether it can be.
  bool add_clipped(const sequence::ReadBatch& batch, std::size_t r, align::AlignmentBatch& out) {
    align::ReadResult& result = out.reads[r];
    const align::Alignment* const known = is_poor(r)             ? align::primary_of(out, r)
                                          : whole_.reads.empty() ? nullptr
                                                                 : align::primary_of(whole_, r);
    if (short_reads_.is_too_short(batch.bases(r))) {
      result.unmapped = align::Unmapped::too_short;
      return false;
    }
    const align::PieceLimits& limits = limits_.clipped(batch.length(r));
    if ((limits.clip() == 0 && !always()) || (known == nullptr && has_many_unknown(batch.bases(r)))) {
      return false;
    }
    reads_.add(batch.bases(r), limits, always() || is_poor(r), static_cast<std::uint32_t>(r), known);
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
      if (out.reads[r].count == 0 || is_poor(r)) {
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
  struct Pair {
    std::size_t pair = 0;
    std::optional<std::size_t> mates[2];
  };

  void clip_pairs(const sequence::ReadBatch& batch, align::AlignmentBatch& out) {
    pairs_.clear();
    reads_.start();
    for (std::size_t p = 0; p < out.pairs.size(); ++p) {
      const align::PairKind kind = out.pairs[p].kind;
      const bool poor = is_poor(2 * p) || is_poor(2 * p + 1);
      if (!always() && !poor && kind != align::PairKind::unmapped && kind != align::PairKind::one_end) {
        continue;
      }
      Pair pair{p, {}};
      for (std::size_t m = 0; m < 2; ++m) {
        const std::size_t r = 2 * p + m;
        if ((is_poor(r) || align::primary_of(out, r) == nullptr) && add_clipped(batch, r, out)) {
          pair.mates[m] = reads_.size() - 1;
        }
      }
      if (pair.mates[0] || pair.mates[1]) {
        pairs_.push_back(pair);
      }
    }
    reads_.find_needed();
    const auto has_loci = [&](const std::optional<std::size_t>& i) { return i && !reads_[*i].found.loci.empty(); };
    std::erase_if(pairs_, [&](const Pair& pair) { return !has_loci(pair.mates[0]) && !has_loci(pair.mates[1]); });
    // The other mates' loci, too: the engine has given only those that it reported.
    for (Pair& pair : pairs_) {
      for (std::size_t m = 0; m < 2; ++m) {
        const std::size_t r = 2 * pair.pair + m;
        if (!pair.mates[m] && align::primary_of(out, r) != nullptr) {
          pair.mates[m] = reads_.size();
          reads_.add(batch.bases(r), limits_.whole(batch.length(r)), true, static_cast<std::uint32_t>(r));
        }
      }
    }
    reads_.find();
    for (const Pair& pair : pairs_) {
      find_needed(batch, pair);
    }
    reads_.find();
    Stopwatch watch;
    for (const Pair& pair : pairs_) {
      report_pair(batch, pair, out);
    }
    watch.lap(seconds_.clip);
  }

  // Takes up the loci of a pair that are known so far.
  void begin_pair(const sequence::ReadBatch& batch, const Pair& pair) {
    align::ReadLoci loci[2];
    for (std::size_t m = 0; m < 2; ++m) {
      if (pair.mates[m]) {
        loci[m] = loci_of(batch, reads_[*pair.mates[m]], placements_[m]);
      }
    }
    pair_reporter_.begin(loci[0], loci[1]);
  }

  // Asks for the loci that may still matter for a pair.
  void find_needed(const sequence::ReadBatch& batch, const Pair& pair) {
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
        needed =
            sum == align::kAnySum ? Wanted::kAnyPenalty : std::max(mate.best(), sum - std::min(sum, least)) + range_;
      }
      reads_.ask_for(*pair.mates[m], needed);
    }
  }

  void map_halves(const sequence::ReadBatch& batch, align::AlignmentBatch& out) {
    if (!ends_) {
      return;
    }
    split_.collect_halves(batch, out);
    if (!split_.ends().empty()) {
      ends_->map(split_.ends(), split_out_);
      const std::vector<std::uint32_t> reads = split_.add_primaries(batch, split_out_, out);
      long_gaps_.extend(batch, reads, out);
      pair_up(reads, out);
    }
  }

  // Finds what the complete search does not: more of poor reads around their places, mates near their mates, and reads
  // by their words.
  void search_locally(const sequence::ReadBatch& batch, align::AlignmentBatch& out) {
    Stopwatch watch;
    long_gaps_.join(batch, out);
    long_gaps_.join(batch, local_.widen(batch, out), out);
    local_pairs_.resize(out.pairs.size());
    std::iota(local_pairs_.begin(), local_pairs_.end(), 0u);
    later_.clear();
    find_mates(batch, out, &later_);
    watch.lap(seconds_.clip);
    unplaced_.clear();
    for (std::uint32_t r = 0; r < batch.size() && !is_of_ends_; ++r) {
      const align::ReadResult& result = out.reads[r];
      // Discordant mates that are not reported have loci.
      const bool has_loci = result.best_count > 0 || align::primary_of(out, r) != nullptr;
      if (!has_loci && result.unmapped == align::Unmapped::no_locus && batch.length(r) <= WindowScores::kLongestRead) {
        unplaced_.push_back(r);
      }
    }
    anchors_.find(batch, unplaced_);
    Stopwatch after;
    const std::vector<std::uint32_t>& placed = local_.place(batch, unplaced_, anchors_, out);
    long_gaps_.join(batch, placed, out);
    pair_up(placed, out);
    for (const std::uint32_t r : placed) {
      // --discordant never may have dropped it.
      if (align::Alignment* const primary = align::primary_of(out, r)) {
        const std::uint32_t unknown = long_gaps_.unknown_of(batch, r, out);
        if (unknown > 0 && !align::clipped_ends(out, *primary).any() &&
            primary->distance - unknown <= options_.allowed_edits(batch.length(r))) {
          continue;  // another place with as few edits has the same words
        }
        // Inserted bases say nothing about the place: a long insertion is one event. Nor do those that are not known.
        const std::int64_t bases = align::bases_beside_reference(out, *primary);
        const auto length = static_cast<std::int64_t>(batch.length(r));
        const std::int64_t score = std::int64_t{primary->score} + (kMatch - kUnknown) * std::int64_t{unknown};
        primary->mapq = std::min(primary->mapq, align::most_quality_by_anchors(score, bases, length));
      }
    }
    local_pairs_.clear();
    later_.insert(later_.end(), placed.begin(), placed.end());
    std::sort(later_.begin(), later_.end());
    for (const std::uint32_t r : later_) {
      if (!out.pairs.empty() && (local_pairs_.empty() || local_pairs_.back() != r / 2)) {
        local_pairs_.push_back(r / 2);
      }
    }
    find_mates(batch, out, nullptr);
    long_gaps_.trim_clipped(batch, out);
    after.lap(seconds_.clip);
  }

  // Searches the mates of local_pairs_ near their mates.
  void find_mates(const sequence::ReadBatch& batch, align::AlignmentBatch& out, std::vector<std::uint32_t>* later) {
    const std::vector<std::uint32_t>& mates = local_.find_mates(batch, local_pairs_, out, later);
    pair_up(mates, out);
    long_gaps_.join(batch, mates, out);
  }

  // Makes concordant pairs of mates that were mapped by a half, where they fit. With `--discordant never` a half that
  // does not fit is dropped.
  void pair_up(const std::vector<std::uint32_t>& reads, align::AlignmentBatch& out) {
    if (out.pairs.empty()) {
      return;
    }
    for (const std::uint32_t r : reads) {
      align::PairResult& pair = out.pairs[r / 2];
      align::ReadResult* const mates = &out.reads[r - r % 2];
      if (pair.count > 0) {
        continue;
      }
      if (mates[0].count == 0 || mates[1].count == 0) {
        pair.kind = align::PairKind::one_end;
        continue;
      }
      pair.kind = align::PairKind::discordant;
      const align::Alignment& first = out.alignments[mates[0].first];
      const align::Alignment& second = out.alignments[mates[1].first];
      align::Extent extents[2] = {align::extent_of(first), align::extent_of(second)};
      if (first.contig == second.contig) {
        align::bring_together(reference_.contigs()[first.contig].circle(), extents[0], extents[1]);
      }
      if (first.contig == second.contig &&
          align::is_concordant(options_.pairs.orientation, inserts_, extents[0], extents[1])) {
        pair.first = out.concordant_pairs.size();
        pair.count = 1;
        pair.kind = align::PairKind::concordant;
        pair.insert = static_cast<std::uint32_t>(align::outer_distance(extents[0], extents[1]));
        out.concordant_pairs.push_back(
            {{static_cast<std::uint32_t>(mates[0].first), static_cast<std::uint32_t>(mates[1].first)}});
        const bool others =
            options_.pairs.discordant == align::Discordant::always && options_.report != map::Report::best;
        for (int m = 0; m < 2; ++m) {
          ++mates[m].first;
          mates[m].count = others ? mates[m].count - 1 : 0;
        }
      } else if (options_.pairs.discordant == align::Discordant::never) {
        mates[r % 2].count = mates[r % 2].best_count = 0;
        pair.kind = align::PairKind::one_end;
      }
    }
  }

  void report_pair(const sequence::ReadBatch& batch, const Pair& pair, align::AlignmentBatch& out) {
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

  map::Options options_;
  bool single_;
  bool is_of_ends_;  // of split reads
  Splits splits_;
  const align::InsertModel& inserts_;
  const sequence::Reference& reference_;
  std::uint32_t range_;  // pairs whose penalty is so much larger than that of the best one matter
  std::unique_ptr<engine::Worker> inside_;
  map::ShortReads short_reads_;
  LimitsByLength limits_;
  std::unique_ptr<engine::RangeFinder> finder_;
  ClippedReads reads_;
  Anchors anchors_;
  align::ReadReporter reporter_;
  align::PairReporter pair_reporter_;
  align::Placements placements_[2];
  LocalSearch local_;
  LongGaps long_gaps_;
  engine::StageSeconds seconds_;
  std::vector<Pair> pairs_;
  std::vector<std::uint32_t> local_pairs_;
  std::vector<std::uint32_t> later_;  // reads whose mates are searched near them once more
  std::vector<std::uint32_t> unplaced_;
  std::vector<bool> poor_;                // of each read of the batch, if there are poor ones
  align::AlignmentBatch whole_;           // of all reads as a whole, if every read is clipped
  std::unique_ptr<ClippingWorker> ends_;  // maps the clipped ends of split reads
  SplitEnds split_;
  align::AlignmentBatch split_out_;
};

class ClippingEngine final : public engine::EngineAround {
 public:
  ClippingEngine(std::unique_ptr<engine::Engine> inside, const sequence::Reference& reference,
                 const map::Options& options)
      : EngineAround(*inside), owned_(std::move(inside)), reference_(reference), options_(options) {}

  std::unique_ptr<engine::Worker> make_worker() override {
    const auto splits = options_.clip.split ? ClippingWorker::Splits::halves_and_ends : ClippingWorker::Splits::none;
    const auto worker = [&](bool single) {
      return std::make_unique<ClippingWorker>(inside(), reference_, options_, inserts_, single, 0, splits);
    };
    auto others = worker(false);
    if (!cuts()) {
      return others;
    }
    const MapWhole map_whole = [&others = *others](const auto& batch, auto& out) { others.map_whole(batch, out); };
    const auto with_arrays = [&](std::unique_ptr<ClippingWorker> clips) {
      return make_pieces_in_arrays_worker(std::move(clips), reference_, options_);
    };
    return make_cut_ends_worker(with_arrays(std::move(others)), map_whole,
                                finds_fragments() ? with_arrays(worker(true)) : nullptr, reference_, options_,
                                inserts_);
  }
  // Single workers map whole reads: insert sizes are estimated from them.
  std::unique_ptr<engine::Worker> make_single_worker() override {
    const auto worker = [&] { return inside().make_single_worker(); };
    return finds_fragments() ? make_single_fragments_worker(worker(), worker(), reference_, options_, inserts_)
                             : worker();
  }
  void set_inserts(const align::InsertModel& inserts) override {
    inserts_ = inserts;
    EngineAround::set_inserts(inserts);
  }

 private:
  // Mates of short fragments show the same bases.
  bool finds_fragments() const { return cuts() && options_.pairs.orientation == align::Orientation::fr; }
  bool cuts() const { return options_.clip.when == align::ClipWhen::poor; }

  std::unique_ptr<engine::Engine> owned_;
  const sequence::Reference& reference_;
  map::Options options_;
  align::InsertModel inserts_;
};

}  // namespace

std::unique_ptr<engine::Engine> make_clipping_engine(std::unique_ptr<engine::Engine> inside,
                                                     const sequence::Reference& reference,
                                                     const map::Options& options) {
  return std::make_unique<ClippingEngine>(std::move(inside), reference, options);
}

}  // namespace trawl::clip
