#include "scan/find/cpu_finder.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>

#include "scan/find/wu_manber_scan.hpp"

namespace trawl::scan {

namespace {

// Positions a task: enough for its start to cost little, few enough to share the work evenly.
constexpr std::uint64_t kStretch = std::uint64_t{1} << 19;
// Hits after which those of parts are checked: where parts are frequent, their hits shall not fill the memory.
constexpr std::size_t kMostHits = std::size_t{1} << 16;

}  // namespace

CpuFinder::CpuFinder(const std::vector<Query>& queries, const Options& options)
    : queries_(queries), options_(options), plan_(queries_, options_) {}

void CpuFinder::find(const sequence::Reference& reference, std::vector<Hit>& ends) {
  ends.clear();
  const std::uint64_t stretches = (reference.size() + kStretch - 1) / kStretch;
  std::vector<std::vector<Hit>> found(stretches);
  tbb::parallel_for(std::uint64_t{0}, stretches, [&](std::uint64_t s) {
    find_in(reference, s * kStretch, std::min((s + 1) * kStretch, reference.size()), found[s]);
  });
  for (auto& hits : found) {
    ends.insert(ends.end(), hits.begin(), hits.end());
    hits = {};
  }
  sort_ends(ends);
}

std::string CpuFinder::description() const {
  return "cpu (" + std::string(wu_manber_scan_target()) + ", " + std::to_string(options_.threads) + " threads)";
}

// Appends the ends in [begin, end), some perhaps twice.
void CpuFinder::find_in(const sequence::Reference& reference, std::uint64_t begin, std::uint64_t end,
                        std::vector<Hit>& ends) {
  const std::uint64_t slack = options_.metric == Metric::hamming ? 0 : options_.max_edits;
  EndFilter filter(reference, queries_, options_);
  EndCheck check(reference, options_);
  std::vector<Hit> hits;
  std::vector<Hit> new_ends;
  std::vector<Window> windows;
  auto plan = plan_.plan();
  // Parts of what ends behind `begin` may be hit before it.
  for (std::uint64_t at = begin - std::min(begin, plan->lead); at < end;) {
    hits.clear();
    new_ends.clear();
    windows.clear();
    const std::uint64_t next =
        wu_manber_scan(reference, plan->programs, {options_.ambiguous_matches, plan->reach, kMostHits}, at, end, hits);
    for (const Hit& hit : hits) {
      if (hit.id >= queries_.size()) {
        const Part& part = plan->parts[hit.id - queries_.size()];
        const std::uint64_t whole = hit.end + queries_[part.query].length() - part.first - part.length;
        const std::uint64_t first = std::max(whole - std::min(whole, slack), begin);
        const std::uint64_t last = std::min(whole + slack, end - 1);
        if (first <= last) {
          windows.push_back({part.query, first, last});
        }
      } else if (hit.end >= begin) {
        new_ends.push_back(hit);
      }
    }
    plan_.add(next - at, check_windows(windows, check, new_ends));
    std::copy_if(new_ends.begin(), new_ends.end(), std::back_inserter(ends),
                 [&](const Hit& hit) { return filter.keeps(hit); });
    plan = plan_.plan();
    at = next;
  }
}

// Appends the ends in the windows; what that has cost.
std::vector<AdaptivePlan::Spent> CpuFinder::check_windows(std::vector<Window>& windows, EndCheck& check,
                                                          std::vector<Hit>& ends) const {
  std::sort(windows.begin(), windows.end(), [](const Window& a, const Window& b) {
    return a.query != b.query ? a.query < b.query : a.first < b.first;
  });
  std::vector<AdaptivePlan::Spent> spent;
  for (std::size_t w = 0; w < windows.size();) {
    Window joined = windows[w];
    for (++w; w < windows.size() && windows[w].query == joined.query && windows[w].first <= joined.last + 1; ++w) {
      joined.last = std::max(joined.last, windows[w].last);
    }
    check.check(queries_[joined.query], joined.query, joined.first, joined.last, ends);
    if (spent.empty() || spent.back().query != joined.query) {
      spent.push_back({joined.query, 0});
    }
    const PartCosts& costs = plan_.costs(joined.query);
    spent.back().cost += costs.of_check + static_cast<double>(joined.last - joined.first) * costs.of_end;
  }
  return spent;
}

std::unique_ptr<Finder> make_cpu_finder(const std::vector<Query>& queries, const Options& options) {
  return std::make_unique<CpuFinder>(queries, options);
}

}  // namespace trawl::scan
