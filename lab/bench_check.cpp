#include "lab/bench_check.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <map>
#include <numeric>

#include "base/error.hpp"
#include "base/made_text.hpp"

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
  return changed_in_places(text.characters().substr(third(text.size(), m), m), max_edits);
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
    const auto expected =
        matchers::sequential_ends(text.characters().substr(begin, before + window.count), pattern, max_edits);
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
    auto substring = matchers::sequential_nearest(text.characters().substr(begin, end - begin), pattern);
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

namespace {

using matchers::kNone;
using matchers::PatternSet;
using matchers::SetMatch;
using matchers::SetOutput;

constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15u;  // of the rolling hash, a polynomial modulo 2^64

// The patterns of one length.
class Words {
 public:
  Words(const PatternSet& set, const std::vector<std::uint32_t>& patterns)
      : set_(set), m_(set[patterns[0]].size()), slots_(std::bit_ceil(patterns.size() * 4), {0, kNone}) {
    for (const std::uint32_t p : patterns) {
      const std::uint64_t hash = hash_of(set[p]);
      std::size_t at = place(hash);
      while (slots_[at].pattern != kNone) {
        at = (at + 1) & (slots_.size() - 1);
      }
      slots_[at] = {hash, p};
    }
    for (std::size_t i = 1; i < m_; ++i) {
      weight_ *= kFactor;
    }
  }

  // Calls f(end, pattern) for all occurrences that end in [begin, end).
  template <class F>
  void search(std::string_view text, std::uint64_t begin, std::uint64_t end, F&& f) const {
    std::uint64_t window = matchers::first_window(begin, m_);
    if (window + m_ > end) {
      return;
    }
    std::uint64_t hash = hash_of(text.substr(window, m_));
    for (;; ++window) {
      for (std::size_t at = place(hash); slots_[at].pattern != kNone; at = (at + 1) & (slots_.size() - 1)) {
        if (slots_[at].hash == hash && text.substr(window, m_) == set_[slots_[at].pattern]) {
          f(window + m_ - 1, slots_[at].pattern);
        }
      }
      if (window + m_ >= end) {
        return;
      }
      hash = (hash - code(text[window]) * weight_) * kFactor + code(text[window + m_]);
    }
  }

 private:
  struct Slot {
    std::uint64_t hash;
    std::uint32_t pattern;
  };

  static std::uint64_t code(char c) { return static_cast<unsigned char>(c) + 1u; }
  static std::uint64_t hash_of(std::string_view word) {
    std::uint64_t hash = 0;
    for (const char c : word) {
      hash = hash * kFactor + code(c);
    }
    return hash;
  }
  std::size_t place(std::uint64_t hash) const { return mixed(hash) & (slots_.size() - 1); }

  const PatternSet& set_;
  std::uint64_t m_;
  std::uint64_t weight_ = 1;  // of a window's first character
  std::vector<Slot> slots_;
};

constexpr std::uint64_t kTask = std::uint64_t{1} << 18;

// Calls f(end, pattern) for every occurrence, on all threads. Those that end in one task of kTask characters come in
// ascending order if all patterns are of one length.
template <class F>
void for_each_occurrence(std::string_view text, const PatternSet& set, F&& f) {
  std::map<std::size_t, std::vector<std::uint32_t>> by_length;
  for (std::uint32_t p = 0; p < set.size(); ++p) {
    by_length[set[p].size()].push_back(p);
  }
  for (const auto& [length, patterns] : by_length) {
    const Words words(set, patterns);
    tbb::parallel_for(std::uint64_t{0}, (text.size() + kTask - 1) / kTask, [&](std::uint64_t b) {
      words.search(text, b * kTask, std::min<std::uint64_t>(text.size(), (b + 1) * kTask), f);
    });
  }
}

void add(std::uint64_t& to, std::uint64_t value) {
  std::atomic_ref<std::uint64_t>(to).fetch_add(value, std::memory_order_relaxed);
}

[[noreturn]] void report(const std::string& who, const std::string& what) {
  throw Error(who + ": " + what + "; please report this");
}

}  // namespace

std::vector<std::uint64_t> expected_ends(std::string_view text, std::string_view pattern) {
  const PatternSet set({std::string(pattern)});
  std::vector<std::vector<std::uint64_t>> parts(text.size() / kTask + 1);
  for_each_occurrence(text, set, [&](std::uint64_t end, std::uint32_t) { parts[end / kTask].push_back(end); });
  std::vector<std::uint64_t> ends;
  for (const auto& part : parts) {
    ends.insert(ends.end(), part.begin(), part.end());
  }
  return ends;
}

std::string fault_of(const FoundEnds& found, matchers::Output output, const std::vector<std::uint64_t>& expected) {
  std::string fault;
  if (found.count != expected.size()) {
    fault =
        "finds " + std::to_string(found.count) + " matches where a hash table finds " + std::to_string(expected.size());
  }
  const auto [at, right] = std::mismatch(found.list.begin(), found.list.end(), expected.begin(), expected.end());
  const bool differs = output != matchers::Output::count && (at != found.list.end() || right != expected.end());
  if (!found.wrong.empty() || differs) {
    fault += fault.empty() ? "" : "; ";
    fault += !found.wrong.empty()
                 ? found.wrong
                 : "match " + std::to_string(at - found.list.begin() + 1) + " ends at position " +
                       (at == found.list.end() ? std::to_string(*right) + " for a hash table, and is not there"
                        : right == expected.end()
                            ? std::to_string(*at) + ", and a hash table has no more"
                            : std::to_string(*at) + ", and at " + std::to_string(*right) + " for a hash table");
  }
  return fault;
}

void check_found(const std::string& who, const FoundEnds& found, matchers::Output output,
                 const std::vector<std::uint64_t>& expected) {
  if (const std::string fault = fault_of(found, output, expected); !fault.empty()) {
    report(who, fault);
  }
}

std::uint64_t digest_of(const std::vector<SetMatch>& matches) {
  std::uint64_t digest = 0;
  for (const SetMatch& match : matches) {
    digest += hash_of(match);
  }
  return digest;
}

ExpectedSet expected_set(std::string_view text, const PatternSet& set, std::uint64_t stretch) {
  ExpectedSet expected;
  expected.patterns.resize(set.size());
  expected.stretches.resize((text.size() + stretch - 1) / stretch);
  for_each_occurrence(text, set, [&](std::uint64_t end, std::uint32_t pattern) {
    add(expected.digest, matchers::hash_of({end, pattern}));
    add(expected.patterns[pattern], 1);
    add(expected.stretches[end / stretch], 1);
  });
  expected.count = std::accumulate(expected.patterns.begin(), expected.patterns.end(), std::uint64_t{0});
  return expected;
}

void check_set(const std::string& who, const matchers::SetFound& found, SetOutput output, const ExpectedSet& expected,
               std::uint64_t stretch, std::uint64_t digest) {
  if (found.count != expected.count) {
    report(who, "it finds " + std::to_string(found.count) + " occurrences, and a hash table of the patterns " +
                    std::to_string(expected.count));
  }
  if (output == SetOutput::patterns && found.patterns != expected.patterns) {
    report(who, "the numbers of occurrences of each pattern differ from those of a hash table");
  }
  if (output == SetOutput::positions && digest != expected.digest) {
    report(who, "the positions differ from those of a hash table");
  }
  if (output == SetOutput::stretches && found.stretch == stretch && found.stretches != expected.stretches) {
    report(who, "the numbers of occurrences of each stretch differ from those of a hash table");
  }
}

}  // namespace trawl::lab
