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
      always_all_(options.report == map::Report::all),
      strata_(std::max(align::MapqModel::kStrata, options.report == map::Report::strata ? options.strata : 0u)),
      planner_(reference.bases()),
      pieces_(reference, ambiguous_matches_),
      whole_(reference, ambiguous_matches_),
      finder_(std::move(ranges)) {}

map::StageSeconds ClippedReads::seconds() const {
  map::StageSeconds sum = finder_->seconds();
  sum += seconds_;
  return sum;
}

void ClippedReads::add(std::string_view bases, const align::PieceLimits& limits, bool whole, bool all,
                       std::uint32_t read) {
  if (count_ == reads_.size()) {
    reads_.emplace_back();
  }
  ClippedRead& added = reads_[count_++];
  added.bases = bases;
  added.limits = &limits;
  added.whole = whole;
  added.all = all || always_all_;
  added.read = read;
  added.strands[0].encode(bases, ambiguous_matches_);
  added.strands[1].encode_reverse_complement(added.strands[0]);
  added.found.clear();
}

void ClippedReads::find() {
  searches_.clear();
  for (std::size_t i = searched_; i < count_; ++i) {
    const ClippedRead& read = reads_[i];
    Wanted wanted{.whole = read.whole};
    wanted.last_edits = read.all || read.limits->clip() == 0 ? wanted.last_edits : kFirstEdits;
    searches_.push_back({i, wanted});
  }
  search(searches_);
  std::erase_if(searches_, [&](const Search& done) { return done.wanted.last_edits != kFirstEdits; });
  for (Search& again : searches_) {
    again.wanted = rest(reads_[again.i]);
  }
  search(searches_);
  searched_ = count_;
}

// What is still to be searched after the pieces with few edits.
Wanted ClippedReads::rest(const ClippedRead& read) const {
  Wanted wanted{.first_edits = kFirstEdits + 1, .whole = read.whole};
  if (!read.found.loci.empty()) {
    std::uint32_t best = Wanted::kAnyPenalty;
    for (const align::Locus& locus : read.found.loci) {
      best = std::min<std::uint32_t>(best, locus.distance);
    }
    wanted.most_penalty = best + align::kEditPoints * strata_;
  }
  return wanted;
}

void ClippedReads::search(const std::vector<Search>& searches) {
  Stopwatch watch;
  queries_.clear();
  cores_.resize(std::max(cores_.size(), searches.size()));
  for (std::size_t s = 0; s < searches.size(); ++s) {
    const ClippedRead& read = reads_[searches[s].i];
    if (read.limits->clip() == 0) {
      cores_[s] = {{0, read.limits->length, read.limits->max_edits()}};
    } else {
      cores_[s] = planner_.plan(*read.limits, searches[s].wanted);
    }
    for (const Core& core : cores_[s]) {
      queries_.push_back({read.bases.substr(core.begin, core.end - core.begin), core.max_edits});
    }
  }
  watch.lap(seconds_.clip);
  if (queries_.empty()) {
    return;
  }
  finder_->find(queries_, ranges_);
  Stopwatch after;
  std::size_t first_query = 0;
  for (std::size_t s = 0; s < searches.size(); ++s) {
    add_found(reads_[searches[s].i], cores_[s], first_query);
    first_query += cores_[s].size();
  }
  after.lap(seconds_.clip);
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
