#include "lab/bench_exact_check.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstring>

#include "base/error.hpp"

namespace trawl::lab {

namespace {

// The smallest distance at which two occurrences of the pattern can overlap.
std::uint64_t period_of(std::string_view pattern) {
  std::uint64_t period = 1;
  while (std::memcmp(pattern.data(), pattern.data() + period, pattern.size() - period) != 0) {
    ++period;
  }
  return period;
}

// Windows that begin in [begin, end).
void find_in(std::string_view text, std::string_view pattern, std::uint64_t period, std::uint64_t begin,
             std::uint64_t end, std::vector<std::uint64_t>& ends) {
  const std::uint64_t m = pattern.size();
  const char* const stop = text.data() + std::min<std::uint64_t>(text.size(), end + m - 1);
  const char* at = text.data() + begin;
  while (static_cast<std::uint64_t>(stop - at) >= m) {
    const auto* found =
        static_cast<const char*>(::memmem(at, static_cast<std::size_t>(stop - at), pattern.data(), pattern.size()));
    if (found == nullptr) {
      return;
    }
    // A run of occurrences at the distance of the period is followed here. So memmem, which looks at the whole pattern
    // each time, is not called for each of them.
    do {
      ends.push_back(static_cast<std::uint64_t>(found - text.data()) + m - 1);
      found += period;
    } while (stop - found >= static_cast<std::ptrdiff_t>(m) && std::memcmp(found, pattern.data(), m) == 0);
    at = std::min(found, stop);
  }
}

}  // namespace

std::vector<std::uint64_t> expected_ends(std::string_view text, std::string_view pattern) {
  constexpr std::uint64_t kStretch = std::uint64_t{1} << 22;
  const std::uint64_t period = period_of(pattern);
  std::vector<std::vector<std::uint64_t>> parts((text.size() + kStretch - 1) / kStretch);
  tbb::parallel_for(std::size_t{0}, parts.size(), [&](std::size_t i) {
    find_in(text, pattern, period, i * kStretch, std::min<std::uint64_t>(text.size(), (i + 1) * kStretch), parts[i]);
  });
  std::vector<std::uint64_t> ends;
  for (const auto& part : parts) {
    ends.insert(ends.end(), part.begin(), part.end());
  }
  return ends;
}

void check_found(const std::string& who, matchers::Output output, const FoundEnds& found, std::uint64_t size,
                 const std::vector<std::uint64_t>& expected) {
  const auto fail = [&](const std::string& what) { throw Error(who + ": " + what + "; please report this"); };
  if (found.count != expected.size()) {
    fail("finds " + std::to_string(found.count) + " matches where memmem finds " + std::to_string(expected.size()));
  }
  if (output == matchers::Output::list) {
    const auto differ = std::mismatch(found.list.begin(), found.list.end(), expected.begin(), expected.end());
    if (differ.first != found.list.end() || differ.second != expected.end()) {
      fail("the list differs from memmem's at match " + std::to_string(differ.first - found.list.begin()));
    }
    return;
  }
  // As many positions as expected are marked, and all expected ones: so there are no others.
  const auto compare = [&](std::uint64_t marked, auto&& is_marked) {
    if (marked != expected.size()) {
      fail("marks " + std::to_string(marked) + " positions where memmem finds " + std::to_string(expected.size()));
    }
    for (const std::uint64_t j : expected) {
      if (!is_marked(j)) {
        fail("lacks the match that ends at position " + std::to_string(j));
      }
    }
  };
  if (output == matchers::Output::bytes) {
    if (found.bytes.size() != size) {
      fail("gives " + std::to_string(found.bytes.size()) + " bytes for " + std::to_string(size) + " positions");
    }
    const auto none = static_cast<std::uint64_t>(std::count(found.bytes.begin(), found.bytes.end(), 0));
    compare(size - none, [&](std::uint64_t j) { return found.bytes[j] == 1; });
  } else if (output == matchers::Output::bits) {
    if (found.bits.size() != (size + 63) / 64) {
      fail("gives " + std::to_string(found.bits.size()) + " words of bits for " + std::to_string(size) + " positions");
    }
    std::uint64_t marked = 0;
    for (const std::uint64_t word : found.bits) {
      marked += static_cast<std::uint64_t>(__builtin_popcountll(word));
    }
    compare(marked, [&](std::uint64_t j) { return ((found.bits[j / 64] >> (j % 64)) & 1) != 0; });
  }
}

}  // namespace trawl::lab
