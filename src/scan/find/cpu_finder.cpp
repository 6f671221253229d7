#include "scan/find/cpu_finder.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <utility>

#include "base/stop.hpp"

namespace trawl::scan {

void WindowCheck::check(const Query& query, std::uint32_t id, std::uint64_t first, std::uint64_t last,
                        std::vector<Hit>& ends) {
  if (options_.metric == Metric::hamming) {
    check_mismatches(query, id, first, last, ends);
  } else {
    check_edits(query, id, first, last, ends);
  }
}

void WindowCheck::check_edits(const Query& query, std::uint32_t id, std::uint64_t first, std::uint64_t last,
                              std::vector<Hit>& ends) {
  const std::size_t m = query.length();
  const std::size_t words = (m + 63) / 64;
  if (loaded_ != &query) {
    eq_.assign(16 * words, 0);
    for (std::size_t i = 0; i < m; ++i) {
      for (unsigned set = 0; set < 16; ++set) {
        if ((set & query.set(static_cast<std::uint32_t>(i))) != 0) {
          eq_[set * words + i / 64] |= std::uint64_t{1} << (i % 64);
        }
      }
    }
    loaded_ = &query;
  }
  // A match with max_edits edits is at most this long.
  const auto reach = static_cast<std::int64_t>(m + options_.max_edits);
  const auto begin = static_cast<std::int64_t>(first) - reach;
  const auto length = static_cast<std::size_t>(static_cast<std::int64_t>(last) + 1 - begin);
  text_.load(reference_, begin, length, options_.ambiguous_matches);
  column_.assign(words, {});
  const std::uint64_t last_row = std::uint64_t{1} << ((m - 1) % 64);
  auto distance = static_cast<std::int64_t>(m);
  for (std::size_t i = 0; i < length; ++i) {
    distance +=
        match::myers_step(column_.data(), eq_.data() + text_.set_at(i) * words, static_cast<unsigned>(words), last_row);
    const std::int64_t at = begin + static_cast<std::int64_t>(i);
    if (distance <= static_cast<std::int64_t>(options_.max_edits) && at >= static_cast<std::int64_t>(first)) {
      ends.push_back({static_cast<std::uint64_t>(at), id, static_cast<std::uint16_t>(distance)});
    }
  }
}

void WindowCheck::check_mismatches(const Query& query, std::uint32_t id, std::uint64_t first, std::uint64_t last,
                                   std::vector<Hit>& ends) {
  const std::size_t m = query.length();
  const std::int64_t begin = static_cast<std::int64_t>(first) + 1 - static_cast<std::int64_t>(m);
  const std::size_t windows = last + 1 - first;
  text_.load(reference_, begin, windows + m, options_.ambiguous_matches);
  for (std::size_t w = 0; w < windows; ++w) {
    std::uint32_t mismatches = 0;
    for (std::size_t i = 0; i < m && mismatches <= options_.max_edits; ++i) {
      mismatches += (text_.set_bits(query.set(static_cast<std::uint32_t>(i)), w + i) & 1) == 0;
    }
    if (mismatches <= options_.max_edits) {
      ends.push_back({first + w, id, static_cast<std::uint16_t>(mismatches)});
    }
  }
}

namespace {

// Positions per task: enough that starting a task costs little, few enough that threads share the work evenly.
constexpr std::uint64_t kMostStretch = std::uint64_t{1} << 19;
constexpr std::uint64_t kLeastStretch = std::uint64_t{1} << 14;
constexpr std::uint64_t kStretchesAThread = 4;
// After this many hits, hits of parts are checked and ends are counted. This limits the memory if hits are frequent.
constexpr std::size_t kMostHits = std::size_t{1} << 16;
constexpr std::uint64_t kLettersALook = 4096;
// The cost of the checks of places is estimated from one place in this many.
constexpr std::size_t kCountedPlaces = 16;

// Parts of hits are anywhere in memory: they are fetched this many hits ahead.
constexpr std::size_t kAhead = 16;

// Drops most places that several parts of a match have in common.
class RecentPlaces {
 public:
  explicit RecentPlaces(std::uint64_t origin) : origin_(origin), recent_(kSize, ~std::uint64_t{0}) {}

  // Whether the place is new, or was forgotten.
  bool add(const QueryPlace& place) {
    const std::uint64_t key = (place.end - origin_) << 32 | place.query;
    std::uint64_t& recent = recent_[(key * 0x9E3779B97F4A7C15u) >> (64 - kBits)];
    return std::exchange(recent, key) != key;
  }

 private:
  static constexpr unsigned kBits = 11;
  static constexpr std::size_t kSize = std::size_t{1} << kBits;

  std::uint64_t origin_;
  std::vector<std::uint64_t> recent_;
};

}  // namespace

CpuFinder::CpuFinder(const std::vector<Query>& queries, const ScanOptions& options)
    : queries_(queries), options_(options), plan_(queries_, options_) {
  if (plan_.parts_are_looked_up()) {
    places_.emplace(queries_, options_);
  }
}

std::uint64_t CpuFinder::find(const Region& region, std::size_t most, std::vector<Hit>& ends) {
  ends.clear();
  const auto threads = static_cast<std::uint64_t>(tbb::this_task_arena::max_concurrency());
  const std::uint64_t wanted = (region.end - region.begin) / (kStretchesAThread * threads);
  const std::uint64_t length = std::clamp(wanted / kStretchUnit * kStretchUnit, kLeastStretch, kMostStretch);
  const std::uint64_t first = region.begin / length;
  const std::uint64_t stretches = (region.end + length - 1) / length - first;
  std::vector<std::vector<Hit>> parts(stretches);
  std::vector<std::uint64_t> stops(stretches);  // 0: not started
  EndCount found{most};
  // Stretches start in order. So if one has too many ends, all stretches before it are complete.
  std::atomic<std::uint64_t> next{0};
  const auto search_some = Stop::carry([&](std::uint64_t) {
    for (std::uint64_t s = next++; s < stretches && (s == 0 || found.ends <= most); s = next++) {
      const Region stretch{std::max(region.begin, (first + s) * length),
                           std::min(region.end, (first + s + 1) * length)};
      stops[s] = find_in(stretch, s == 0, found, parts[s]);
    }
  });
  tbb::parallel_for(std::uint64_t{0}, std::min(stretches, threads), search_some);
  std::uint64_t stop = region.begin;
  std::size_t complete = 0;
  for (; complete < stretches && stops[complete] > 0; ++complete) {
    stop = stops[complete];
    if (stop < std::min(region.end, (first + complete + 1) * length)) {
      ++complete;
      break;
    }
  }
  parts.resize(complete);
  join_ends(parts, ends);
  return stop;
}

std::string CpuFinder::description() const {
  return "cpu (" + std::string(wu_manber_scan_target()) + ", " + std::to_string(options_.threads) + " threads" +
         searched_by(!plan_.plan()->programs.empty(), !plan_.literals().empty() || plan_.near() != nullptr,
                     plan_.guides() != nullptr) +
         ")";
}

// Appends the ends in the stretch, some perhaps twice, up to a position, and returns this position. It is the end of
// the stretch, or less if there are too many ends in the region. In the first stretch of a region it always gets past
// the start of the stretch.
std::uint64_t CpuFinder::find_in(const Region& stretch, bool is_first, EndCount& found, std::vector<Hit>& ends) {
  const std::uint64_t begin = stretch.begin;
  const std::uint64_t end = stretch.end;
  const sequence::Reference& reference = *reference_;
  const std::uint64_t slack = options_.metric == Metric::hamming ? 0 : options_.max_edits;
  EndFilter filter(reference, queries_, options_);
  WindowCheck check(reference, options_);
  // They keep their memory from stretch to stretch.
  static thread_local std::vector<Hit> hits, new_ends;
  static thread_local std::vector<QueryPlace> places;
  std::vector<EndWindow> windows;
  std::vector<AdaptivePlan::Spent> spent;
  auto plan = plan_.plan();
  // A match that ends after `begin` may have a part that is hit before `begin`.
  std::uint64_t at = begin - std::min(begin, plan->lead);
  std::uint64_t width = end - at;
  RecentPlaces recent(at);
  while (at < end) {
    Stop::look();
    new_ends.clear();
    windows.clear();
    places.clear();
    spent.clear();
    WuManberScanOptions scan;
    scan.ambiguous_matches = options_.ambiguous_matches;
    scan.reach = plan->reach;
    scan.most_hits = std::clamp<std::size_t>(found.most, 1, kMostHits);
    scan.whole_ids = static_cast<std::uint32_t>(queries_.size());
    scan.limit = end_limit(options_);
    std::uint64_t next = 0;
    double of_guides = 0;
    // A block of the scan may have one hit per position and query. If that is too many, the block is searched in
    // smaller pieces.
    for (width = std::min(2 * width, end - at);; width = (width + 1) / 2) {
      scan.room = width > 1 ? 2 * scan.most_hits : SIZE_MAX;
      hits.clear();
      next = search(*plan, scan, at, at + width, hits, of_guides);
      if (next > at) {
        break;
      }
    }
    const auto parts = plan->parts->all();
    for (std::size_t h = 0; h < hits.size(); ++h) {
      const Hit& hit = hits[h];
      if (hit.id >= queries_.size()) {
        const QueryPart& part = parts[hit.id - queries_.size()];
        const std::size_t ahead = hits[std::min(h + kAhead, hits.size() - 1)].id;  // perhaps of a whole pattern
        __builtin_prefetch(parts.data() + (std::max(ahead, queries_.size()) - queries_.size()));
        if (!plan->given_up.empty() && plan->given_up[part.query]) {
          continue;
        }
        const std::uint64_t whole = hit.end + part.after;
        const std::uint64_t first = std::max(whole - std::min(whole, slack), begin);
        const std::uint64_t last = std::min(whole + slack, end - 1);
        if (first > last) {
          continue;
        }
        if (!places_ || !(places_->takes_all() || places_->takes(part.query))) {
          windows.push_back({part.query, first, last});
        } else if (const QueryPlace place{whole, part.query}; recent.add(place)) {
          places.push_back(place);
        }
      } else if (hit.end >= begin) {
        new_ends.push_back(hit);
      }
    }
    check_windows(windows, check, new_ends, spent);
    check_places(places, new_ends, spent);
    plan_.add(next - at, spent, of_guides);
    const std::size_t before = ends.size();
    std::copy_if(new_ends.begin(), new_ends.end(), std::back_inserter(ends),
                 [&](const Hit& hit) { return hit.end >= begin && hit.end < end && filter.keeps(hit); });
    found.ends += ends.size() - before;
    plan = plan_.plan();
    at = next;
    if (at > begin && at < end && found.ends > found.most && (!is_first || ends.size() > found.most)) {
      std::erase_if(ends, [&](const Hit& hit) { return hit.end >= at; });
      return at;
    }
  }
  return end;
}

// Appends the hits of all searches of the plan, by rows and looked up; returns the position up to which they are
// complete, as wu_manber_scan() does. Adds the cost of the comparisons of guides.
std::uint64_t CpuFinder::search(const SearchPlan& plan, const WuManberScanOptions& options, std::uint64_t begin,
                                std::uint64_t end, std::vector<Hit>& hits, double& of_guides) {
  std::uint64_t next = end;
  if (!plan.programs.empty()) {
    next = wu_manber_scan(*reference_, plan.programs, options, begin, end, hits);
  }
  const auto until = [&](std::uint64_t stop) {
    if (stop < next) {
      std::erase_if(hits, [&](const Hit& hit) { return hit.end >= stop; });
      next = stop;
    }
  };
  if (!plan_.literals().empty()) {
    until(literal_scan(*reference_, plan_.literals(), options, begin, next, hits));
  }
  if (plan_.near() != nullptr) {
    until(plan_.near()->scan(*reference_, options, begin, next, hits));
  }
  if (plan.has_guides) {
    until(guide_scan(*reference_, *plan_.guides(), options, begin, next, hits, of_guides));
  }
  return next;
}

// Appends the ends in the windows, and the cost of the checks.
void CpuFinder::check_windows(std::vector<EndWindow>& windows, WindowCheck& check, std::vector<Hit>& ends,
                              std::vector<AdaptivePlan::Spent>& spent) const {
  std::sort(windows.begin(), windows.end(), [](const EndWindow& a, const EndWindow& b) {
    return a.query != b.query ? a.query < b.query : a.first < b.first;
  });
  std::uint64_t since_look = 0;  // letters
  for (std::size_t w = 0; w < windows.size();) {
    EndWindow joined = windows[w];
    for (++w; w < windows.size() && windows[w].query == joined.query && windows[w].first <= joined.last + 1; ++w) {
      joined.last = std::max(joined.last, windows[w].last);
    }
    if ((since_look += joined.last + 1 - joined.first + queries_[joined.query].length()) > kLettersALook) {
      since_look = 0;
      Stop::look();
    }
    check.check(queries_[joined.query], joined.query, joined.first, joined.last, ends);
    if (spent.empty() || spent.back().query != joined.query) {
      spent.push_back({joined.query, 0});
    }
    const PartCosts& costs = plan_.costs(joined.query);
    spent.back().cost += costs.of_check + static_cast<double>(joined.last - joined.first) * costs.of_end;
  }
}

// Appends the ends around the places, and the cost of the checks. Some ends are found at several places.
void CpuFinder::check_places(const std::vector<QueryPlace>& places, std::vector<Hit>& ends,
                             std::vector<AdaptivePlan::Spent>& spent) const {
  if (places.empty()) {
    return;
  }
  places_->check(*reference_, places, ends);
  for (std::size_t i = kCountedPlaces - 1; i < places.size(); i += kCountedPlaces) {
    const std::uint32_t query = places[i].query;
    spent.push_back({query, kCountedPlaces * plan_.costs(query).of_check});
  }
}

std::unique_ptr<Finder> make_cpu_finder(const std::vector<Query>& queries, const ScanOptions& options) {
  return std::make_unique<CpuFinder>(queries, options);
}

}  // namespace trawl::scan
