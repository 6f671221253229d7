#include "lab/bench_check.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace trawl::lab {

namespace {

// Texts up to this length are compared completely.
constexpr std::uint64_t kWhole = std::uint64_t{1} << 20;
// Distance between planted copies. It is a prime, so that the copies fall on all places of tiles and blocks.
constexpr std::uint64_t kPlantStep = 4093;
constexpr std::uint64_t kBorder = 512;

std::uint64_t third(std::uint64_t size, std::uint64_t m) { return (size - m) / 3; }

// The pattern with `edits` edits, spread over it; `which` selects the kind of the first edit.
std::string edited(const std::string& pattern, unsigned edits, const std::string& alphabet, std::size_t which) {
  std::string copy;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    // Edit e is in the middle of part e of `edits` equal parts.
    const std::size_t e = i * edits / pattern.size();
    const bool here = edits > 0 && i == (2 * e + 1) * pattern.size() / (2 * edits);
    const char other = alphabet[(alphabet.find(pattern[i]) + 1 + which) % alphabet.size()];
    if (!here) {
      copy += pattern[i];
    } else if ((which + e) % 3 == 0) {
      copy += other;
    } else if ((which + e) % 3 == 1) {
      copy += {other, pattern[i]};
    }
  }
  return copy;
}

[[noreturn]] void fail(std::uint64_t position) {
  throw Error("the result differs from plain dynamic programming at position " + std::to_string(position) +
              "; please report this");
}

}  // namespace

std::vector<Window> checked_windows(std::uint64_t size) {
  if (size <= kWhole) {
    return {{0, size}};
  }
  const std::uint64_t last = size - kCheckedPositions;
  return {{0, kCheckedPositions},
          {third(size, 0) - kCheckedPositions / 2, kCheckedPositions},
          {last / 2, kCheckedPositions},
          {last, kCheckedPositions}};
}

std::string changed_in_places(std::string piece, unsigned max_edits) {
  const std::string letters = piece;
  const std::size_t m = piece.size();
  for (std::size_t e = 0; e < max_edits && e < m; ++e) {
    const std::size_t at = (2 * e + 1) * m / (2 * std::min<std::size_t>(max_edits, m));
    const std::size_t other = letters.find_first_not_of(letters[at], (at + 1) % m);
    piece[at] = letters[other != std::string::npos ? other : std::min(letters.find_first_not_of(letters[at]), at)];
  }
  return piece;
}

std::string cut_pattern(const BenchText& text, unsigned m, unsigned max_edits) {
  if (m == 0 || m > text.size()) {
    throw UsageError("-m " + std::to_string(m) + ": the pattern has 1 to as many characters as the text");
  }
  return changed_in_places(text.read(third(text.size(), m), m), max_edits);
}

std::vector<Plant> plants_for(const BenchText& text, const std::string& pattern, unsigned max_edits) {
  std::vector<Plant> plants = {{0, pattern.substr(1)}};
  for (const Window& window : checked_windows(text.size())) {
    for (std::size_t i = 0; i * kPlantStep < window.count; ++i) {
      std::uint64_t position = window.first + i * kPlantStep + pattern.size();
      if (i % 2 == 1) {
        position = (position / kBorder + 1) * kBorder - std::min<std::uint64_t>(kBorder, 1 + i % pattern.size());
      }
      std::string copy = edited(pattern, static_cast<unsigned>(i / 2 % (max_edits + 2)), text.alphabet(), i);
      if (position + copy.size() <= text.size()) {
        plants.push_back({position, std::move(copy)});
      }
    }
  }
  plants.push_back({text.size() - pattern.size(), pattern});
  return plants;
}

void check_ends(const BenchText& text, const std::string& pattern, unsigned max_edits, const FetchEnds& ends) {
  const std::uint64_t reach = pattern.size() + max_edits;
  for (const Window& window : checked_windows(text.size())) {
    const std::uint64_t begin = window.first > reach ? window.first - reach : 0;
    const std::uint64_t before = window.first - begin;
    const auto expected = matchers::sequential_ends(text.read(begin, before + window.count), pattern, max_edits);
    const auto found = ends(window.first, window.count);
    const auto differ =
        std::mismatch(found.begin(), found.end(), expected.begin() + static_cast<std::ptrdiff_t>(before));
    if (differ.first != found.end()) {
      fail(window.first + static_cast<std::uint64_t>(differ.first - found.begin()));
    }
  }
}

void check_nearest(const BenchText& text, const std::string& pattern, const matchers::NearestSubstring& found) {
  const std::uint64_t m = pattern.size();
  const auto nearest = [&](std::uint64_t begin, std::uint64_t end) {
    auto substring = matchers::sequential_nearest(text.read(begin, end - begin), pattern);
    substring.begin += begin;
    substring.end += begin;
    return substring;
  };
  if (found.distance > m || found.end > text.size() ||
      !(nearest(matchers::nearest_window(found.end, m, found.distance), found.end) == found)) {
    fail(found.end);
  }
  for (const Window& window : checked_windows(text.size())) {
    const auto here = nearest(window.first - std::min(window.first, 2 * m), window.first + window.count);
    if (here.distance < found.distance || (here.distance == found.distance && here.end < found.end)) {
      fail(here.end);
    }
  }
}

}  // namespace trawl::lab
