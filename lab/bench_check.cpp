#include "lab/bench_check.hpp"

#include <tbb/parallel_for.h>

#include <atomic>
#include <bit>
#include <map>

#include "base/error.hpp"
#include "base/made_text.hpp"

namespace trawl::lab {

namespace {

using matchers::EndsDigest;
using matchers::kNone;
using matchers::PatternSet;
using matchers::SetOutput;

constexpr std::uint64_t kTask = std::uint64_t{1} << 18;  // characters that a thread searches at a time

std::uint64_t tasks(std::string_view text) { return (text.size() + kTask - 1) / kTask; }

[[noreturn]] void report(const std::string& who, const std::string& what) {
  throw Error(who + ": " + what + "; please report this");
}

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

// Calls f(end, pattern) for every occurrence, on all threads.
template <class F>
void for_each_occurrence(std::string_view text, const PatternSet& set, F&& f) {
  std::map<std::size_t, std::vector<std::uint32_t>> by_length;
  for (std::uint32_t p = 0; p < set.size(); ++p) {
    by_length[set[p].size()].push_back(p);
  }
  for (const auto& [length, patterns] : by_length) {
    const Words words(set, patterns);
    tbb::parallel_for(std::uint64_t{0}, tasks(text), [&](std::uint64_t b) {
      words.search(text, b * kTask, std::min<std::uint64_t>(text.size(), (b + 1) * kTask), f);
    });
  }
}

void add(std::uint64_t& to, std::uint64_t value) {
  std::atomic_ref<std::uint64_t>(to).fetch_add(value, std::memory_order_relaxed);
}

}  // namespace

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

std::vector<Plant> plants_for(const BenchText& text, const std::string& pattern, unsigned max_edits) {
  // The steps between copies are no multiple of 2, so that these fall on all places of tiles and blocks.
  constexpr std::uint64_t kStep = 4093, kBorder = 512, kMost = 4096;
  const std::uint64_t step = std::max(kStep, text.size() / kMost | 1);
  std::vector<Plant> plants = {{0, pattern.substr(1)}};
  for (std::size_t i = 0; i * step < text.size(); ++i) {
    std::uint64_t position = i * step + pattern.size();
    if (i % 2 == 1) {
      position = (position / kBorder + 1) * kBorder - std::min<std::uint64_t>(kBorder, 1 + i % pattern.size());
    }
    std::string copy = edited(pattern, static_cast<unsigned>(i / 2 % (max_edits + 2)), text.alphabet(), i);
    if (position + copy.size() <= text.size()) {
      plants.push_back({position, std::move(copy)});
    }
  }
  plants.push_back({text.size() - pattern.size(), pattern});
  return plants;
}

std::vector<std::uint64_t> ends_of(std::string_view text, std::string_view pattern, unsigned max_edits) {
  std::vector<std::uint64_t> ends;
  for_each_end(text, pattern, max_edits, 0, text.size(), [&](std::uint64_t j) { ends.push_back(j); });
  return ends;
}

EndsDigest digest_of_ends(std::string_view text, std::string_view pattern, unsigned max_edits) {
  EndsDigest all;
  tbb::parallel_for(std::uint64_t{0}, tasks(text), [&](std::uint64_t b) {
    EndsDigest here;
    for_each_end(text, pattern, max_edits, b * kTask, std::min<std::uint64_t>(text.size(), (b + 1) * kTask),
                 [&](std::uint64_t j) { here.add(j); });
    add(all.count, here.count);
    add(all.hash, here.hash);
  });
  return all;
}

EndsDigest digest_of(const std::vector<std::uint64_t>& positions) {
  EndsDigest digest;
  for (const std::uint64_t j : positions) {
    digest.add(j);
  }
  return digest;
}

EndsDigest digest_of(const std::vector<std::uint8_t>& bytes) {
  EndsDigest digest;
  for (std::uint64_t j = 0; j < bytes.size(); ++j) {
    if (bytes[j] != 0) {
      digest.add(j);
      digest.hash += bytes[j] - 1u;
    }
  }
  return digest;
}

void check_ends(const std::string& who, const EndsDigest& found, const EndsDigest& expected) {
  if (found.count != expected.count) {
    report(who, "finds " + std::to_string(found.count) + " matches where plain dynamic programming finds " +
                    std::to_string(expected.count));
  }
  if (found.hash != expected.hash) {
    report(who, "the positions differ from those of plain dynamic programming");
  }
}

ExpectedSet expected_set(std::string_view text, const PatternSet& set, std::uint64_t stretch) {
  ExpectedSet expected;
  expected.patterns.resize(set.size());
  expected.stretches.resize((text.size() + stretch - 1) / stretch);
  for_each_occurrence(text, set, [&](std::uint64_t end, std::uint32_t pattern) {
    add(expected.patterns[pattern], 1);
    add(expected.stretches[end / stretch], 1);
  });
  expected.count = std::accumulate(expected.patterns.begin(), expected.patterns.end(), std::uint64_t{0});
  return expected;
}

void check_set(const std::string& who, const matchers::SetFound& found, SetOutput output, const ExpectedSet& expected,
               std::uint64_t stretch) {
  if (found.count != expected.count) {
    report(who, "it finds " + std::to_string(found.count) + " occurrences, and a hash table of the patterns " +
                    std::to_string(expected.count));
  }
  if (output == SetOutput::patterns && found.patterns != expected.patterns) {
    report(who, "the numbers of occurrences of each pattern differ from those of a hash table");
  }
  if (output == SetOutput::stretches && found.stretch == stretch && found.stretches != expected.stretches) {
    report(who, "the numbers of occurrences of each stretch differ from those of a hash table");
  }
}

}  // namespace trawl::lab
