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

namespace {

// As many positions as expected are marked, and all expected ones: so there are no others.
bool bytes_agree(const std::vector<std::uint8_t>& bytes, const std::vector<std::uint64_t>& expected) {
  const auto none = static_cast<std::uint64_t>(std::count(bytes.begin(), bytes.end(), 0));
  return bytes.size() - none == expected.size() &&
         std::all_of(expected.begin(), expected.end(), [&](std::uint64_t j) { return bytes[j] == 1; });
}

bool bits_agree(const std::vector<std::uint64_t>& bits, const std::vector<std::uint64_t>& expected) {
  std::uint64_t marked = 0;
  for (const std::uint64_t word : bits) {
    marked += static_cast<std::uint64_t>(__builtin_popcountll(word));
  }
  return marked == expected.size() && std::all_of(expected.begin(), expected.end(), [&](std::uint64_t j) {
           return ((bits[j / 64] >> (j % 64)) & 1) != 0;
         });
}

// The positions that a result in bytes or bits marks.
std::vector<std::uint64_t> marked_positions(matchers::Output output, const FoundEnds& found, std::uint64_t size) {
  std::vector<std::uint64_t> list;
  for (std::uint64_t j = 0; j < size; ++j) {
    if (output == matchers::Output::bytes ? found.bytes[j] != 0 : ((found.bits[j / 64] >> (j % 64)) & 1) != 0) {
      list.push_back(j);
    }
  }
  return list;
}

// What is wrong where two lists differ first; empty: they are equal.
std::string first_difference(const std::vector<std::uint64_t>& found, const std::vector<std::uint64_t>& expected) {
  const auto [at, right] = std::mismatch(found.begin(), found.end(), expected.begin(), expected.end());
  if (at == found.end() && right == expected.end()) {
    return "";
  }
  const std::string number = "match " + std::to_string(at - found.begin() + 1) + " ends at position ";
  if (at == found.end()) {
    return number + std::to_string(*right) + " in the result of memmem, and is not there";
  }
  return number + std::to_string(*at) +
         (right == expected.end() ? ", and memmem has no more" : ", and at " + std::to_string(*right) + " for memmem");
}

}  // namespace

void check_found(const std::string& who, matchers::Output output, const FoundEnds& found, std::uint64_t size,
                 const std::vector<std::uint64_t>& expected) {
  std::string wrong;
  if (found.count != expected.size()) {
    wrong = "finds " + std::to_string(found.count) + " matches where memmem finds " + std::to_string(expected.size());
  }
  std::string where;
  if (output == matchers::Output::list) {
    where = first_difference(found.list, expected);
  } else if (output == matchers::Output::bytes) {
    if (found.bytes.size() != size) {
      where = "it gives " + std::to_string(found.bytes.size()) + " bytes for " + std::to_string(size) + " positions";
    } else if (!bytes_agree(found.bytes, expected)) {
      where = first_difference(marked_positions(output, found, size), expected);
      where = where.empty() ? "a byte is not 0 or 1" : where;
    }
  } else if (output == matchers::Output::bits) {
    if (found.bits.size() != (size + 63) / 64) {
      where =
          "it gives " + std::to_string(found.bits.size()) + " words of bits for " + std::to_string(size) + " positions";
    } else if (!bits_agree(found.bits, expected)) {
      where = first_difference(marked_positions(output, found, size), expected);
      where = where.empty() ? "a bit after the text is 1" : where;
    }
  }
  if (!wrong.empty() || !where.empty()) {
    throw Error(who + ": " + wrong + (wrong.empty() || where.empty() ? "" : "; ") + where + "; please report this");
  }
}

}  // namespace trawl::lab
