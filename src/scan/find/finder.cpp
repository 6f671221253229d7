#include "scan/find/finder.hpp"

#include <tbb/task_arena.h>

#include <algorithm>
#include <bit>

#include "base/parallel_sort.hpp"
#include "base/radix_sort.hpp"

namespace trawl::scan {

namespace {

// Fewer ends are sorted by one thread.
constexpr std::size_t kManyEnds = std::size_t{1} << 14;

}  // namespace

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
  const bool in_parallel = ends.size() >= kManyEnds && tbb::this_task_arena::max_concurrency() > 1;
  const auto sort_by = [&](unsigned key_bits, const auto& key) {
    if (in_parallel) {
      room.resize(ends.size());
      parallel_sort<Hit>(ends, room, key_bits, key, [](const Hit&, const Hit&) { return false; });
    } else {
      radix_sort(ends, room, key);
    }
  };
  const auto id_bits = static_cast<unsigned>(std::bit_width(last));
  if (bits + id_bits <= 64) {
    sort_by(bits + id_bits, [&](const Hit& hit) { return std::uint64_t{hit.id} << bits | (hit.end - base); });
  } else {
    sort_by(bits, [&](const Hit& hit) { return hit.end - base; });
    sort_by(id_bits, [](const Hit& hit) { return std::uint64_t{hit.id}; });
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

void join_ends(std::vector<std::vector<Hit>>& parts, std::vector<Hit>& ends) {
  concatenate(parts, ends);
  sort_ends(ends);
}

void tidy_ends(const sequence::Reference& reference, const std::vector<Query>& queries, const ScanOptions& options,
               std::vector<Hit>& ends) {
  sort_ends(ends);
  EndFilter filter(reference, queries, options);
  std::erase_if(ends, [&](const Hit& hit) { return !filter.keeps(hit); });
}

}  // namespace trawl::scan
