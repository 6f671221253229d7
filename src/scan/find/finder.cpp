#include "scan/find/finder.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <bit>
#include <cstdint>

#include "base/radix_sort.hpp"
#include "scan/find/dead_text.hpp"

namespace trawl::scan {

namespace {

// Fewer ends are sorted by one thread.
constexpr std::size_t kManyEnds = std::size_t{1} << 14;
// Ends are divided into this many ranges for each thread, by about this many samples for each range.
constexpr std::size_t kRangesAThread = 4, kSamplesARange = 16;

bool comes_before(const Hit& a, const Hit& b) { return a.id != b.id ? a.id < b.id : a.end < b.end; }

}  // namespace

void Finder::find(const sequence::Reference& reference, std::vector<Hit>& ends) {
  load(reference);
  ends.clear();
  std::vector<Hit> some;
  Region region{0, reference.size()};
  while (region.begin < region.end) {
    region.begin = find(region, SIZE_MAX, some);
    ends.insert(ends.end(), some.begin(), some.end());
  }
  sort_ends(ends);
}

std::string searched_by(bool rows, bool pieces, bool sites) {
  std::string by;
  const auto add = [&](bool is_used, const char* what) {
    if (is_used) {
      by += (by.empty() ? ", by " : " and ") + std::string(what);
    }
  };
  add(rows, "rows");
  add(pieces, "pieces");
  add(sites, "sites of the PAM");
  return by;
}

bool EndFilter::keeps(const Hit& hit) {
  if (contig_ == nullptr || hit.end < contig_->offset || hit.end >= contig_->offset + contig_->length) {
    contig_ = &reference_.contigs()[reference_.contig_at(hit.end)];
  }
  if (hit.end < contig_->offset || hit.end >= contig_->offset + contig_->length) {
    return false;
  }
  if (options_.metric != Metric::hamming && !options_.ambiguous_matches) {
    return true;
  }
  const Query& query = queries_[hit.id];
  const std::uint64_t window = std::min<std::uint64_t>(query.length(), hit.end + 1 - contig_->offset);
  if (options_.metric == Metric::hamming && window < query.length()) {
    return false;
  }
  return !options_.ambiguous_matches || sequence::allows_end(reference_, end_limit(options_), query.length(), hit.end);
}

void sort_ends(std::vector<Hit>& ends) {
  if (ends.empty()) {
    return;
  }
  const auto [least, most] =
      std::minmax_element(ends.begin(), ends.end(), [](const Hit& a, const Hit& b) { return a.end < b.end; });
  const std::uint64_t base = least->end;
  const auto bits = static_cast<unsigned>(std::bit_width(most->end - base));
  const std::uint32_t last =
      std::max_element(ends.begin(), ends.end(), [](const Hit& a, const Hit& b) { return a.id < b.id; })->id;
  static thread_local std::vector<Hit> room;
  if (bits + static_cast<unsigned>(std::bit_width(last)) <= 64) {
    radix_sort(ends, room, [&](const Hit& hit) { return std::uint64_t{hit.id} << bits | (hit.end - base); });
  } else {
    radix_sort(ends, room, [](const Hit& hit) { return hit.end; });
    radix_sort(ends, room, [](const Hit& hit) { return std::uint64_t{hit.id}; });
  }
  // Of an end that was found with several distances the smallest stays.
  std::size_t kept = 0;
  for (std::size_t i = 1; i < ends.size(); ++i) {
    if (ends[i].id == ends[kept].id && ends[i].end == ends[kept].end) {
      ends[kept].distance = std::min(ends[kept].distance, ends[i].distance);
    } else {
      ends[++kept] = ends[i];
    }
  }
  ends.resize(kept + 1);
}

void merge_ends(std::span<const std::vector<Hit>> parts, std::vector<Hit>& ends) {
  ends.clear();
  std::size_t total = 0;
  for (const auto& part : parts) {
    total += part.size();
  }
  if (total < kManyEnds) {
    for (const auto& part : parts) {
      ends.insert(ends.end(), part.begin(), part.end());
    }
    sort_ends(ends);
    return;
  }
  // The ranges are of about equal size. A range takes from each part what lies in it.
  const std::size_t ranges = kRangesAThread * static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
  std::vector<Hit> samples;
  const std::size_t step = std::max<std::size_t>(1, total / (ranges * kSamplesARange));
  for (const auto& part : parts) {
    for (std::size_t i = 0; i < part.size(); i += step) {
      samples.push_back(part[i]);
    }
  }
  std::sort(samples.begin(), samples.end(), comes_before);
  std::vector<std::vector<std::size_t>> begins(ranges + 1, std::vector<std::size_t>(parts.size()));
  tbb::parallel_for(std::size_t{1}, ranges + 1, [&](std::size_t r) {
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const auto& part = parts[p];
      const auto at =
          r == ranges ? part.end()
                      : std::lower_bound(part.begin(), part.end(), samples[r * samples.size() / ranges], comes_before);
      begins[r][p] = static_cast<std::size_t>(at - part.begin());
    }
  });
  ends.resize(total);
  tbb::parallel_for(std::size_t{0}, ranges, [&](std::size_t r) {
    static thread_local std::vector<Hit> of_range;
    of_range.clear();
    std::size_t before = 0;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      before += begins[r][p];
      of_range.insert(of_range.end(), parts[p].begin() + static_cast<std::ptrdiff_t>(begins[r][p]),
                      parts[p].begin() + static_cast<std::ptrdiff_t>(begins[r + 1][p]));
    }
    sort_ends(of_range);
    std::copy(of_range.begin(), of_range.end(), ends.begin() + static_cast<std::ptrdiff_t>(before));
  });
}

void tidy_ends(const sequence::Reference& reference, const std::vector<Query>& queries, const Options& options,
               std::vector<Hit>& ends) {
  sort_ends(ends);
  EndFilter filter(reference, queries, options);
  std::erase_if(ends, [&](const Hit& hit) { return !filter.keeps(hit); });
}

}  // namespace trawl::scan
