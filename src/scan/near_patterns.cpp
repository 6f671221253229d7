#include "scan/near_patterns.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "sequence/alphabet.hpp"

namespace trawl::scan {
namespace {

constexpr std::uint64_t kMostCells = 2'000'000'000;  // of all tables

// The edit distance, or most + 1 if it is larger. Only cells near the diagonal are computed.
std::uint32_t bounded_distance(std::string_view a, std::string_view b, std::uint32_t most,
                               std::vector<std::uint32_t>& row) {
  const auto difference = static_cast<std::uint32_t>(std::max(a.size(), b.size()) - std::min(a.size(), b.size()));
  if (difference > most) {
    return most + 1;
  }
  row.assign(b.size() + 1, most + 1);
  for (std::size_t j = 0; j <= std::min<std::size_t>(b.size(), most); ++j) {
    row[j] = static_cast<std::uint32_t>(j);
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    const std::size_t first = i > most ? i - most : 1;
    const std::size_t last = std::min(b.size(), i + most);
    std::uint32_t diagonal = row[first - 1];
    row[first - 1] = first == 1 ? std::min(static_cast<std::uint32_t>(i), most + 1) : most + 1;
    std::uint32_t smallest = row[first - 1];
    for (std::size_t j = first; j <= last; ++j) {
      const bool is_match = (sequence::iupac_set(a[i - 1]) & sequence::iupac_set(b[j - 1])) != 0;
      const std::uint32_t above = j == i + most ? most + 1 : row[j];
      const std::uint32_t cell = std::min({diagonal + (is_match ? 0 : 1), above + 1, row[j - 1] + 1, most + 1});
      diagonal = row[j];
      row[j] = cell;
      smallest = std::min(smallest, cell);
    }
    if (smallest > most) {
      return most + 1;
    }
  }
  return row[b.size()];
}

}  // namespace

std::optional<NearPatterns> near_patterns(const sequence::PatternList& patterns, std::uint32_t most,
                                          bool both_strands) {
  std::uint64_t longest = 0;
  for (const auto pattern : patterns) {
    longest = std::max<std::uint64_t>(longest, pattern.bases.size());
  }
  const std::uint64_t count = patterns.size();
  if (count > 100'000 || count * count * longest * (most + std::uint64_t{1}) * (both_strands ? 2 : 1) > kMostCells) {
    return std::nullopt;
  }
  const auto joined = [](const NearPatterns& a, const NearPatterns& b) {
    const auto key = [](const NearPatterns& near) {
      return std::tuple(near.pairs == 0, near.distance, near.first, near.second);
    };
    NearPatterns best = key(b) < key(a) ? b : a;
    best.pairs = a.pairs + b.pairs;
    return best;
  };
  return tbb::parallel_reduce(
      tbb::blocked_range<std::uint32_t>(0, static_cast<std::uint32_t>(count)), NearPatterns{},
      [&](const tbb::blocked_range<std::uint32_t>& range, NearPatterns found) {
        std::vector<std::uint32_t> row;
        for (std::uint32_t a = range.begin(); a < range.end(); ++a) {
          const std::string reverse = both_strands ? sequence::reverse_complement(patterns[a].bases) : "";
          for (std::uint32_t b = a + 1; b < count; ++b) {
            NearPatterns one{1, bounded_distance(patterns[a].bases, patterns[b].bases, most, row), a, b, false};
            if (both_strands) {
              const std::uint32_t distance = bounded_distance(reverse, patterns[b].bases, most, row);
              if (distance < one.distance) {
                one.distance = distance;
                one.is_reverse = true;
              }
            }
            if (one.distance <= most) {
              found = joined(found, one);
            }
          }
        }
        return found;
      },
      joined);
}

}  // namespace trawl::scan
