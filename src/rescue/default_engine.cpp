#include "rescue/default_engine.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "align/cigar.hpp"
#include "align/mapq.hpp"
#include "align/read_reporter.hpp"
#include "base/stopwatch.hpp"
#include "polish/long_gaps.hpp"
#include "rescue/anchors.hpp"
#include "rescue/local_search.hpp"
#include "rescue/pair_up.hpp"
#include "rescue/split_ends.hpp"

namespace trawl::rescue {

namespace {

class DefaultWorker final : public engine::WorkerAround {
 public:
  // `single`: mates are mapped like single reads.
  DefaultWorker(engine::Engine& inside, const sequence::Reference& reference, const map::MapOptions& options,
                const align::InsertModel& inserts, bool single)
      : WorkerAround(single ? inside.make_single_worker() : inside.make_worker()),
        reference_(reference),
        options_(options),
        ambiguous_matches_(options.ambiguous == map::Ambiguous::match),
        inserts_(inserts),
        finder_(inside.make_range_finder()),
        anchors_(reference, *finder_),
        reporter_(reference, ambiguous_matches_, options.eqx, options.report_rule()),
        local_(reference, options_, reporter_, inserts),
        long_gaps_(reference, options),
        split_(options.clip.split ? make_worker_of_ends(inside) : nullptr, options.clip.least_score) {}

  void map(const sequence::ReadBatch& batch, align::AlignmentBatch& out) override {
    map_whole(batch, out);
    Stopwatch watch;
    long_gaps_.join(batch, out);
    watch.lap(seconds_.clip);
    place_by_words(batch, out);
    Stopwatch after;
    find_mates(batch, out);
    long_gaps_.trim_clipped(batch, out);
    after.lap(seconds_.clip);
    split_.map_ends(batch, out);
  }

  // Without reads that fit nowhere.
  void map_whole(const sequence::ReadBatch& batch, align::AlignmentBatch& out) {
    inside_->map(batch, out);
    Stopwatch watch;
    long_gaps_.trim(batch, out);
    watch.lap(seconds_.clip);
  }

  engine::StageSeconds seconds() const override {
    engine::StageSeconds sum = WorkerAround::seconds();
    sum += finder_->seconds();
    sum += split_.seconds();
    return sum;
  }

 private:
  // What is known of a read before it is placed by its words.
  struct Before {
    std::uint32_t read = 0;
    align::ReadResult result;
    std::optional<align::Alignment> primary;
  };

  // Places reads that fit nowhere as a whole; and those that fit poorly, if that is better.
  void place_by_words(const sequence::ReadBatch& batch, align::AlignmentBatch& out) {
    before_.clear();
    unplaced_.clear();
    for (std::uint32_t r = 0; r < batch.size(); ++r) {
      if (batch.length(r) <= WindowScores::kLongestRead && is_unclear(batch, r, out)) {
        const align::Alignment* const primary = align::primary_of(out, r);
        before_.push_back({r, out.reads[r], primary != nullptr ? std::optional(*primary) : std::nullopt});
        unplaced_.push_back(r);
      }
    }
    anchors_.find(batch, unplaced_);
    Stopwatch watch;
    placed_ = local_.place(batch, unplaced_, anchors_, out);
    long_gaps_.join(batch, placed_, out);
    for (const std::uint32_t r : placed_) {
      limit_quality(batch, r, out);
    }
    keep_better(out);
    watch.lap(seconds_.clip);
  }

  // Whether a read has no place, or a poor one, or one at which it seems to have several: since its ends do not belong,
  // or for a gap that was settled.
  bool is_unclear(const sequence::ReadBatch& batch, std::size_t r, const align::AlignmentBatch& out) const {
    const align::ReadResult& result = out.reads[r];
    const align::Alignment* const primary = align::primary_of(out, r);
    if (primary == nullptr) {
      // Discordant mates that are not reported have loci.
      return result.best_count == 0 && result.unmapped == align::Unmapped::no_locus;
    }
    const bool has_others = result.best_count > 1 || result.next_count > 0;
    const bool is_sure = !has_others && primary->mapq == align::MapqModel::kMaxMapq;
    return (!is_sure && align::clipped_ends(out, *primary).any()) || (has_others && align::has_gap(out, *primary)) ||
           (LocalSearch::is_poor(batch, r, *primary) &&
            least_penalty(batch, r, out) > static_cast<std::int32_t>(align::most_well_penalty(batch.length(r))));
  }

  // Where a gap costs what it costs as an event if that is less.
  std::int32_t least_penalty(const sequence::ReadBatch& batch, std::size_t r, const align::AlignmentBatch& out) const {
    const auto cost_of = [](const align::AlignedRun& gap) {
      return std::min(polish::cost_in_score(gap), polish::gap_cost(gap.length));
    };
    return static_cast<std::int32_t>(batch.length(r)) -
           polish::score_of(batch.bases(r), ambiguous_matches_, out, *align::primary_of(out, r), cost_of);
  }

  // What is not known does not make a place surer; nor do inserted bases: a long insertion is one event.
  void limit_quality(const sequence::ReadBatch& batch, std::uint32_t r, align::AlignmentBatch& out) const {
    align::Alignment& primary = *align::primary_of(out, r);
    const std::uint32_t unknown = polish::unknown_of(batch.bases(r), ambiguous_matches_, out, primary);
    if (unknown > 0 && !align::clipped_ends(out, primary).any() &&
        primary.distance - unknown <= options_.allowed_edits(batch.length(r))) {
      return;  // another place with as few edits has the same words
    }
    const std::int64_t bases = align::bases_beside_reference(out, primary);
    const std::int64_t score =
        std::int64_t{primary.score} + (polish::kMatch - polish::kUnknown) * std::int64_t{unknown};
    primary.mapq = std::min(primary.mapq,
                            align::most_quality_by_anchors(score, bases, static_cast<std::int64_t>(batch.length(r))));
  }

  // Of reads that had a place: takes the new one if it has more points, or is as good and surer. Concordant pairs stay
  // concordant. placed_ are then those that have a new place.
  void keep_better(align::AlignmentBatch& out) {
    const auto swap = [&](Before& before) {
      std::swap(*before.primary, *align::primary_of(out, before.read));
      std::swap(before.result, out.reads[before.read]);
    };
    std::erase_if(before_, [](const Before& before) { return !before.primary; });
    for (Before& before : before_) {
      swap(before);
    }
    for (Before& before : before_) {
      const align::Alignment& found = *before.primary;
      const align::Alignment& primary = *align::primary_of(out, before.read);
      const bool is_better = found.score > primary.score || (found.score == primary.score && found.mapq > primary.mapq);
      if (is_better) {
        swap(before);
      }
      if (is_better && !is_pair_kept(before.read, out)) {
        swap(before);
      }
    }
    std::erase_if(placed_, [&](std::uint32_t r) { return out.reads[r].found_by != align::FoundBy::anchors; });
  }

  bool is_pair_kept(std::uint32_t r, const align::AlignmentBatch& out) const {
    return out.pairs.empty() || out.pairs[r / 2].count == 0 ||
           are_concordant(reference_, options_, inserts_, *align::primary_of(out, r - r % 2),
                          *align::primary_of(out, r - r % 2 + 1));
  }

  void find_mates(const sequence::ReadBatch& batch, align::AlignmentBatch& out) {
    const std::vector<std::uint32_t>& mates = local_.find_mates(batch, out);
    pair_up(reference_, options_, inserts_, mates, out);
    pair_up(reference_, options_, inserts_, placed_, out);
    long_gaps_.join(batch, mates, out);
  }

  std::unique_ptr<engine::Worker> make_worker_of_ends(engine::Engine& inside) const {
    map::MapOptions of_ends = options_;
    of_ends.clip.join = 0;
    of_ends.clip.split = false;
    return std::make_unique<DefaultWorker>(inside, reference_, of_ends, inserts_, true);
  }

  const sequence::Reference& reference_;
  map::MapOptions options_;
  bool ambiguous_matches_;
  const align::InsertModel& inserts_;
  std::unique_ptr<engine::RangeFinder> finder_;
  Anchors anchors_;
  align::ReadReporter reporter_;
  LocalSearch local_;
  polish::LongGaps long_gaps_;
  std::vector<std::uint32_t> unplaced_;
  std::vector<Before> before_;  // of unplaced_
  std::vector<std::uint32_t> placed_;
  SplitEnds split_;
};

class DefaultEngine final : public engine::EngineAround {
 public:
  DefaultEngine(std::unique_ptr<engine::Engine> inside, const sequence::Reference& reference,
                const map::MapOptions& options)
      : EngineAround(std::move(inside)), reference_(reference), options_(options) {}

  std::unique_ptr<engine::Worker> make_worker() override {
    auto others = make_uncut(false);
    const MapWhole map_whole = [&others = *others](const auto& batch, auto& out) { others.map_whole(batch, out); };
    auto with_tails = make_bad_tails_worker(with_arrays(std::move(others)), reference_, options_);
    return finds_fragments()
               ? make_short_fragments_worker(std::move(with_tails), map_whole, with_arrays(make_uncut(true)),
                                             reference_, options_, inserts())
               : std::move(with_tails);
  }
  // Single workers map whole reads: insert sizes are estimated from them.
  std::unique_ptr<engine::Worker> make_single_worker() override {
    const auto worker = [&] { return inside().make_single_worker(); };
    return finds_fragments() ? make_short_fragments_worker(worker(), nullptr, worker(), reference_, options_, inserts())
                             : worker();
  }

 private:
  // Mates of short fragments show the same bases.
  bool finds_fragments() const { return options_.pairs.orientation == align::Orientation::fr; }
  std::unique_ptr<DefaultWorker> make_uncut(bool single) {
    return std::make_unique<DefaultWorker>(inside(), reference_, options_, inserts(), single);
  }
  std::unique_ptr<engine::Worker> with_arrays(std::unique_ptr<engine::Worker> worker) {
    return make_pieces_in_arrays_worker(std::move(worker), reference_, options_);
  }

  const sequence::Reference& reference_;
  map::MapOptions options_;
};

}  // namespace

std::unique_ptr<engine::Engine> make_default_engine(std::unique_ptr<engine::Engine> inside,
                                                    const sequence::Reference& reference,
                                                    const map::MapOptions& options) {
  return std::make_unique<DefaultEngine>(std::move(inside), reference, options);
}

}  // namespace trawl::rescue
