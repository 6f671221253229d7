#include "clip/clipped_reads.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "align/mapq.hpp"
#include "base/stopwatch.hpp"

namespace trawl::clip {

namespace {

// Pieces with more edits are searched only if those found first do not show that they do not matter.
constexpr std::uint32_t kFirstEdits = 2;

// Sorts the loci that a second search added among those of the first, and drops what was found twice.
void sort_and_unite(ClippedLoci& found) {
  std::vector<std::uint32_t> order(found.loci.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto key = [&](std::uint32_t i) {
    const align::Locus& locus = found.loci[i];
    const align::Piece& piece = found.pieces[i];
    return std::tuple(locus.reverse, locus.end, piece.begin, piece.end, piece.edits);
  };
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  order.erase(
      std::unique(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return key(a) == key(b); }),
      order.end());
  ClippedLoci sorted;
  for (const std::uint32_t i : order) {
    sorted.loci.push_back(found.loci[i]);
    sorted.pieces.push_back(found.pieces[i]);
  }
  found = std::move(sorted);
}

}  // namespace

ClippedReads::ClippedReads(const sequence::Reference& reference, const map::Options& options,
                           std::unique_ptr<engine::RangeFinder> ranges)
    : ambiguous_matches_(options.ambiguous == map::Ambiguous::match),
      all_at_once_(options.report == map::Report::all || options.search == map::Search::scan),
      range_(align::kEditPoints *
             std::max(align::MapqModel::kStrata, options.report == map::Report::strata ? options.strata : 0u)),
      planner_(reference.bases(), ranges->shares_seeds()),
      pieces_(reference, ambiguous_matches_),
      whole_(reference, ambiguous_matches_),
      finder_(std::move(ranges)) {}

map::StageSeconds ClippedReads::seconds() const {
  map::StageSeconds sum = finder_->seconds();
  sum += seconds_;
  return sum;
}

std::uint32_t ClippedRead::best() const {
  std::uint32_t best = Wanted::kAnyPenalty;
  for (const align::Locus& locus : found.loci) {
    best = std::min<std::uint32_t>(best, locus.distance);
  }
  return best;
}

std::uint32_t ClippedRead::least_penalty() const {
  return complete ? best() : std::min(best(), align::kEditPoints * (kFirstEdits + 1));
}

void ClippedReads::add(std::string_view bases, const align::PieceLimits& limits, bool whole, std::uint32_t read) {
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
  added.complete = all_at_once_ || limits.clip() == 0 || limits.max_edits() <= kFirstEdits;
  Wanted wanted;
  wanted.whole = whole;
  wanted.last_edits = added.complete ? wanted.last_edits : kFirstEdits;
  searches_.push_back({count_++, wanted});
}

std::uint32_t ClippedReads::needed(std::size_t i) const {
  const std::uint32_t best = reads_[i].best();
  return best == Wanted::kAnyPenalty ? best : best + range_;
}

void ClippedReads::find_rest(std::size_t i, std::uint32_t most_penalty) {
  ClippedRead& read = reads_[i];
  Wanted wanted;
  wanted.first_edits = kFirstEdits + 1;
  wanted.most_penalty = most_penalty;
  wanted.whole = read.whole;
  if (!read.complete && most_clipped(*read.limits, wanted, wanted.first_edits) >= 0) {
    searches_.push_back({i, wanted});
  }
  read.complete = read.complete || most_penalty == Wanted::kAnyPenalty;
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
    finder_->find(queries_, ranges_);
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
  const bool again = !read.found.loci.empty();
  for (const bool reverse : {false, true}) {
    const sequence::EncodedRead& strand = read.strands[reverse];
    diagonals_.clear();
    for (std::size_t c = 0; c < cores.size(); ++c) {
      for (const engine::EndRange& range : ranges_.of(first_query + c, reverse)) {
        if (read.limits->clip() == 0) {
          whole_.add(strand, reverse, read.limits->max_edits(), range, read.found);
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
      pieces_.find(strand, reverse, *read.limits, diagonals_, read.found);
    }
  }
  if (again) {
    sort_and_unite(read.found);
  }
}

}  // namespace trawl::clip
