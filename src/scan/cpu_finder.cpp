#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>

#include "scan/end_check.hpp"
#include "scan/finder.hpp"
#include "scan/row_scan.hpp"
#include "scan/search_plan.hpp"

namespace trawl::scan {

namespace {

// Positions a task: enough for its start to cost little, few enough to share the work evenly.
constexpr std::uint64_t kStretch = 128 * kStretchUnit;
// Positions that tell how frequent parts are, and of how many stretches they are made.
constexpr std::uint64_t kSample = 32 * kStretchUnit;
constexpr std::uint64_t kSampleStretches = 8;

class CpuFinder final : public Finder {
 public:
  CpuFinder(const std::vector<Query>& queries, const Options& options)
      : queries_(queries), options_(options), by_parts_(queries.size()) {
    for (std::size_t q = 0; q < queries.size(); ++q) {
      by_parts_[q] = choose_parts(queries[q], options);
    }
    plan_ = make_plan(queries_, by_parts_, options_);
  }

  void find(const sequence::Reference& reference, std::vector<RowHit>& ends) override {
    if (!sampled_) {
      sampled_ = true;
      drop_frequent_parts(reference);
    }
    ends.clear();
    const std::uint64_t stretches = (reference.size() + kStretch - 1) / kStretch;
    std::vector<std::vector<RowHit>> found(stretches);
    tbb::parallel_for(std::uint64_t{0}, stretches, [&](std::uint64_t s) {
      scan_rows(reference, plan_.programs, options_.ambiguous_matches, s * kStretch,
                std::min((s + 1) * kStretch, reference.size()), found[s]);
    });
    std::vector<RowHit> of_parts;
    for (auto& hits : found) {
      for (const RowHit& hit : hits) {
        (hit.id < queries_.size() ? ends : of_parts).push_back(hit);
      }
      hits = {};
    }
    check_parts(reference, of_parts, ends);
    tidy_ends(reference, queries_, options_, ends);
  }

  std::string description() const override {
    return "cpu (" + std::string(row_scan_target()) + ", " + std::to_string(options_.threads) + " threads)";
  }

 private:
  struct Window {
    std::uint32_t query;
    std::uint64_t first;  // end position
    std::uint64_t last;
  };

  // Where the text holds parts so often that checking them costs more than they save, the queries are searched whole.
  void drop_frequent_parts(const sequence::Reference& reference) {
    if (plan_.parts.empty() || reference.size() < 2 * kSample) {
      return;
    }
    std::vector<RowHit> hits;
    const std::uint64_t step = reference.size() / kSampleStretches / kStretchUnit * kStretchUnit;
    for (std::uint64_t s = 0; s < kSampleStretches; ++s) {
      scan_rows(reference, plan_.programs, options_.ambiguous_matches, s * step, s * step + kSample / kSampleStretches,
                hits);
    }
    std::vector<std::uint64_t> counts(queries_.size());
    for (const RowHit& hit : hits) {
      if (hit.id >= queries_.size()) {
        ++counts[plan_.parts[hit.id - queries_.size()].query];
      }
    }
    bool dropped = false;
    for (std::size_t q = 0; q < queries_.size(); ++q) {
      const PartCosts costs = part_costs(queries_[q], by_parts_[q], options_);
      if (!by_parts_[q].empty() && static_cast<double>(counts[q]) / kSample * costs.of_check > costs.saving) {
        by_parts_[q].clear();
        dropped = true;
      }
    }
    if (dropped) {
      plan_ = make_plan(queries_, by_parts_, options_);
    }
  }

  void check_parts(const sequence::Reference& reference, const std::vector<RowHit>& hits, std::vector<RowHit>& ends) {
    std::vector<Window> windows;
    const std::uint64_t slack = options_.metric == Metric::hamming ? 0 : options_.max_edits;
    for (const RowHit& hit : hits) {
      const Part& part = plan_.parts[hit.id - queries_.size()];
      const std::uint64_t end = hit.end + queries_[part.query].length() - part.first - part.length;
      windows.push_back({part.query, end - std::min(end, slack), end + slack});
    }
    std::sort(windows.begin(), windows.end(), [](const Window& a, const Window& b) {
      return a.query != b.query ? a.query < b.query : a.first < b.first;
    });
    std::size_t count = 0;
    for (const Window& window : windows) {
      if (count > 0 && windows[count - 1].query == window.query && window.first <= windows[count - 1].last + 1) {
        windows[count - 1].last = std::max(windows[count - 1].last, window.last);
      } else {
        windows[count++] = window;
      }
    }
    windows.resize(count);
    tbb::enumerable_thread_specific<std::vector<RowHit>> found;
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, windows.size(), 64), [&](const auto& range) {
      EndCheck check(reference, options_);
      auto& local = found.local();
      for (std::size_t w = range.begin(); w < range.end(); ++w) {
        check.check(queries_[windows[w].query], windows[w].query, windows[w].first, windows[w].last, local);
      }
    });
    for (const auto& local : found) {
      ends.insert(ends.end(), local.begin(), local.end());
    }
  }

  const std::vector<Query>& queries_;
  Options options_;
  std::vector<std::vector<Part>> by_parts_;
  SearchPlan plan_;
  bool sampled_ = false;
};

}  // namespace

std::unique_ptr<Finder> make_cpu_finder(const std::vector<Query>& queries, const Options& options) {
  return std::make_unique<CpuFinder>(queries, options);
}

}  // namespace trawl::scan
