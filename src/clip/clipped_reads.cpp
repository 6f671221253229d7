#include "clip/clipped_reads.hpp"

#include <algorithm>

#include "align/mapq.hpp"
#include "base/stopwatch.hpp"

namespace trawl::clip {

namespace {

// Limits kept. Reads of very many lengths must not fill the memory.
constexpr std::size_t kMostKnown = 4096;
// The penalties up to which reads are searched while no locus is found.
constexpr std::uint32_t kPenalties[] = {60, WantedPieces::kAnyPenalty};

}  // namespace

ClippedReads::ClippedReads(const sequence::Reference& reference, const map::MapOptions& options,
                           std::unique_ptr<engine::RangeFinder> finder, std::uint32_t min_piece)
    : reference_(reference),
      options_(options),
      min_piece_(min_piece),
      range_(align::kEditPoints *
             std::max(align::MapqModel::kClipStrata, options.report == map::Report::strata ? options.strata : 0u)),
      finder_(std::move(finder)),
      planner_(reference.bases(), finder_->shares_seeds()),
      pieces_(reference, ambiguous_matches()),
      ends_(reference, ambiguous_matches()) {}

void ClippedReads::start() {
  count_ = 0;
  if (limits_.size() > kMostKnown) {
    limits_.clear();
  }
}

const align::PieceLimits& ClippedReads::limits(std::size_t length, bool leaves_out) {
  const auto [at, is_new] = limits_.try_emplace({length, leaves_out});
  if (is_new) {
    const auto spare_beside = [&](std::uint64_t needed) {
      return static_cast<std::uint32_t>(length - std::min<std::uint64_t>(length, needed));
    };
    const std::uint32_t clip = leaves_out ? std::min(options_.clip.most.of(length), spare_beside(min_piece_)) : 0;
    at->second = align::piece_limits(static_cast<std::uint32_t>(length), clip,
                                     [&](std::uint32_t bases) { return options_.allowed_edits(bases); });
    std::uint64_t needed = options_.clip.least_score;
    for (std::uint32_t& most : at->second.most_clipped) {
      most = std::min(most, spare_beside(needed));
      needed += align::kEditPoints;
    }
  }
  return at->second;
}

std::uint32_t ClippedRead::best() const {
  std::uint32_t best = WantedPieces::kAnyPenalty;
  for (const align::Locus& locus : found.loci) {
    best = std::min<std::uint32_t>(best, locus.distance);
  }
  return best;
}

void ClippedReads::add(const sequence::ReadBatch& batch, std::uint32_t read, const align::PieceLimits& limits,
                       bool whole, std::uint32_t bound) {
  if (count_ == reads_.size()) {
    reads_.emplace_back();
  }
  ClippedRead& added = reads_[count_];
  added.bases = batch.bases(read);
  added.second_mate = batch.is_second(read);
  added.limits = &limits;
  added.whole = whole;
  added.read = read;
  added.strands[0].encode(added.bases, ambiguous_matches());
  added.strands[1].encode_reverse_complement(added.strands[0]);
  added.found.clear();
  added.known = 0;
  added.bound = bound;
  const bool all_at_once = options_.report == map::Report::all || options_.search == map::SearchMethod::scan;
  if (all_at_once || limits.clip() == 0) {
    ask_for(count_, WantedPieces::kAnyPenalty);
  }
  ++count_;
}

std::uint32_t ClippedReads::needed(std::size_t i) const {
  const ClippedRead& read = reads_[i];
  const std::uint32_t best = read.known == 0 ? read.bound : read.best();
  if (best == WantedPieces::kAnyPenalty) {
    return *std::upper_bound(std::begin(kPenalties), std::end(kPenalties) - 1, read.known);
  }
  return best + range_;
}

void ClippedReads::ask_for(std::size_t i, std::uint32_t most_penalty) {
  ClippedRead& read = reads_[i];
  if (read.known < most_penalty) {
    const bool is_all = most_penalty >= read.limits->most_penalty();
    read.known = is_all ? WantedPieces::kAnyPenalty : most_penalty;
    work_.searches.push_back({i, {read.known, read.whole}});
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
  work_.queries.clear();
  for (auto& [i, wanted, plan] : work_.searches) {
    const ClippedRead& read = reads_[i];
    if (read.limits->clip() == 0) {
      plan.cores = {{0, read.limits->length, read.limits->max_edits()}};
    } else {
      plan = planner_.plan(*read.limits, wanted);
    }
    for (const Core& core : plan.cores) {
      engine::RangeQuery query{read.bases.substr(core.begin, core.end - core.begin), core.max_edits};
      query.read = read.bases;
      query.second_mate = read.second_mate;
      query.most_penalty = wanted.most_penalty;
      if (plan.seeds > 0) {
        query.region = read.bases.substr(plan.region_begin, plan.region_end - plan.region_begin);
        query.seeds = plan.seeds;
        query.seed_length = plan.seed_length;
      }
      work_.queries.push_back(query);
    }
  }
  watch.lap(seconds_.clip);
  if (!work_.queries.empty()) {
    finder_->find(work_.queries, work_.ranges);
    Stopwatch after;
    std::size_t first_query = 0;
    for (const CoreSearch& search : work_.searches) {
      add_found(reads_[search.i], search.plan.cores, first_query);
      first_query += search.plan.cores.size();
    }
    after.lap(seconds_.clip);
  }
  work_.searches.clear();
}

void ClippedReads::add_found(ClippedRead& read, const std::vector<Core>& cores, std::size_t first_query) {
  const auto length = static_cast<std::uint32_t>(read.bases.size());
  for (const bool reverse : {false, true}) {
    const sequence::EncodedRead& strand = read.strands[reverse];
    work_.diagonals.clear();
    for (std::size_t c = 0; c < cores.size(); ++c) {
      for (const engine::EndRange& range : work_.ranges.of(first_query + c, reverse)) {
        if (read.limits->clip() == 0) {
          ends_.add_whole(strand, reverse, read.limits->max_edits(), range,
                          options_.max_ambiguous.with_edits(read.limits->max_edits()), read.found);
          continue;
        }
        // After the core come the bases up to the end of its strand.
        const std::int64_t core_end = reverse ? length - cores[c].begin : cores[c].end;
        work_.diagonals.push_back({static_cast<std::int64_t>(range.first) + 1 - core_end,
                                   static_cast<std::int64_t>(range.last) + 1 - core_end});
      }
    }
    if (!work_.diagonals.empty()) {
      std::sort(work_.diagonals.begin(), work_.diagonals.end(),
                [](const DiagonalRange& a, const DiagonalRange& b) { return a.first < b.first; });
      pieces_.find(strand, reverse, *read.limits, work_.diagonals, read.found, read.known);
    }
  }
  read.found.sort_and_unite();
  // Those of a further search may have been found by the first one, too.
  read.found.erase_if([&](std::size_t i) {
    const align::Locus& locus = read.found.loci[i];
    return locus.distance > read.known || (ambiguous_matches() && leans(*read.limits, locus, read.found.pieces[i])) ||
           (reference_.has_repeats() && !reference_.contigs()[reference_.contig_at(locus.end)].is_own(locus.end));
  });
}

// Whether the place of a piece leans too much on ambiguous bases.
bool ClippedReads::leans(const align::PieceLimits& limits, const align::Locus& locus, const align::Piece& piece) const {
  return !sequence::allows_end(reference_, options_.max_ambiguous.with_edits(limits.max_edits_of(piece.length())),
                               piece.length(), locus.end);
}

}  // namespace trawl::clip
