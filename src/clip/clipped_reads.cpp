#include "clip/clipped_reads.hpp"

#include <algorithm>

#include "align/mapq.hpp"
#include "base/stopwatch.hpp"

namespace trawl::clip {

namespace {

// The penalties up to which reads are searched while no locus is found.
constexpr std::uint32_t kPenalties[] = {60, Wanted::kAnyPenalty};

}  // namespace

ClippedReads::ClippedReads(const sequence::Reference& reference, const map::Options& options,
                           engine::RangeFinder& finder)
    : reference_(reference),
      ambiguous_matches_(options.ambiguous == map::Ambiguous::match),
      max_ambiguous_(options.max_ambiguous),
      all_at_once_(options.report == map::Report::all || options.search == map::Search::scan),
      range_(align::kEditPoints *
             std::max(align::MapqModel::kClipStrata, options.report == map::Report::strata ? options.strata : 0u)),
      planner_(reference.bases(), finder.shares_seeds()),
      pieces_(reference, ambiguous_matches_),
      ends_(reference, ambiguous_matches_),
      finder_(finder) {}

std::uint32_t ClippedRead::best() const {
  std::uint32_t best = Wanted::kAnyPenalty;
  for (const align::Locus& locus : found.loci) {
    best = std::min<std::uint32_t>(best, locus.distance);
  }
  return best;
}

void ClippedReads::add(std::string_view bases, const align::PieceLimits& limits, bool whole, std::uint32_t read,
                       std::uint32_t bound) {
  if (count_ == reads_.size()) {
    reads_.emplace_back();
  }
  ClippedRead& added = reads_[count_];
  added.bases = bases;
  added.limits = &limits;
  added.whole = whole;
  added.read = read;
  added.strands[0].encode(bases, ambiguous_matches_);
  added.strands[1].encode_reverse_complement(added.strands[0]);
  added.found.clear();
  added.known = 0;
  added.bound = bound;
  if (all_at_once_ || limits.clip() == 0) {
    ask_for(count_, Wanted::kAnyPenalty);
  }
  ++count_;
}

std::uint32_t ClippedReads::needed(std::size_t i) const {
  const ClippedRead& read = reads_[i];
  const std::uint32_t best = read.known == 0 ? read.bound : read.best();
  if (best == Wanted::kAnyPenalty) {
    return *std::upper_bound(std::begin(kPenalties), std::end(kPenalties) - 1, read.known);
  }
  return best + range_;
}

void ClippedReads::ask_for(std::size_t i, std::uint32_t most_penalty) {
  ClippedRead& read = reads_[i];
  if (read.known < most_penalty) {
    const bool is_all = most_penalty >= read.limits->most_penalty();
    read.known = is_all ? Wanted::kAnyPenalty : most_penalty;
    searches_.push_back({i, {read.known, read.whole}});
  }
}

void ClippedReads::find_needed() {
  find();
  for (bool again = true; again;) {
    again = false;
    for (std::size_t i = 0; i < count_; ++i) {
      again = again || reads_[i].known < needed(i);
      ask_for(i, needed(i));
    }
    find();
  }
}

void ClippedReads::find() {
  Stopwatch watch;
  queries_.clear();
  plans_.resize(std::max(plans_.size(), searches_.size()));
  for (std::size_t s = 0; s < searches_.size(); ++s) {
    const ClippedRead& read = reads_[searches_[s].i];
    CorePlan& plan = plans_[s];
    if (read.limits->clip() == 0) {
      plan = {};
      plan.cores = {{0, read.limits->length, read.limits->max_edits()}};
    } else {
      plan = planner_.plan(*read.limits, searches_[s].wanted);
    }
    for (const Core& core : plan.cores) {
      engine::RangeQuery query{read.bases.substr(core.begin, core.end - core.begin), core.max_edits};
      query.read = read.bases;
      query.most_penalty = searches_[s].wanted.most_penalty;
      if (plan.seeds > 0) {
        query.region = read.bases.substr(plan.region_begin, plan.region_end - plan.region_begin);
        query.seeds = plan.seeds;
        query.seed_length = plan.seed_length;
      }
      queries_.push_back(query);
    }
  }
  watch.lap(seconds_.clip);
  if (!queries_.empty()) {
    finder_.find(queries_, ranges_);
    Stopwatch after;
    std::size_t first_query = 0;
    for (std::size_t s = 0; s < searches_.size(); ++s) {
      add_found(reads_[searches_[s].i], plans_[s].cores, first_query);
      first_query += plans_[s].cores.size();
    }
    after.lap(seconds_.clip);
  }
  searches_.clear();
}

void ClippedReads::add_found(ClippedRead& read, const std::vector<Core>& cores, std::size_t first_query) {
  const auto length = static_cast<std::uint32_t>(read.bases.size());
  for (const bool reverse : {false, true}) {
    const sequence::EncodedRead& strand = read.strands[reverse];
    diagonals_.clear();
    for (std::size_t c = 0; c < cores.size(); ++c) {
      for (const engine::EndRange& range : ranges_.of(first_query + c, reverse)) {
        if (read.limits->clip() == 0) {
          ends_.add_whole(strand, reverse, read.limits->max_edits(), range,
                          max_ambiguous_.with_edits(read.limits->max_edits()), read.found);
          continue;
        }
        // After the core come the bases up to the end of its strand.
        const std::int64_t core_end = reverse ? length - cores[c].begin : cores[c].end;
        diagonals_.push_back({static_cast<std::int64_t>(range.first) + 1 - core_end,
                              static_cast<std::int64_t>(range.last) + 1 - core_end});
      }
    }
    if (!diagonals_.empty()) {
      std::sort(diagonals_.begin(), diagonals_.end(),
                [](const DiagonalRange& a, const DiagonalRange& b) { return a.first < b.first; });
      pieces_.find(strand, reverse, *read.limits, diagonals_, read.found, read.known);
    }
  }
  read.found.sort_and_unite();
  // Those of a further search may have been found by the first one, too.
  read.found.erase_if([&](std::size_t i) {
    const align::Locus& locus = read.found.loci[i];
    return locus.distance > read.known || (ambiguous_matches_ && leans(*read.limits, locus, read.found.pieces[i])) ||
           (reference_.has_repeats() && !reference_.contigs()[reference_.contig_at(locus.end)].is_own(locus.end));
  });
}

// Whether the place of a piece leans too much on ambiguous bases.
bool ClippedReads::leans(const align::PieceLimits& limits, const align::Locus& locus, const align::Piece& piece) const {
  return !sequence::allows_end(reference_, max_ambiguous_.with_edits(limits.max_edits_of(piece.length())),
                               piece.length(), locus.end);
}

}  // namespace trawl::clip
