#include "lab/bench_multi_check.hpp"

#include <tbb/parallel_for.h>

#include <atomic>
#include <bit>
#include <map>
#include <numeric>

#include "base/error.hpp"
#include "base/made_text.hpp"

namespace trawl::lab {

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

// Calls f(end, pattern) for every occurrence, on all threads.
template <class F>
void for_each_occurrence(std::string_view text, const PatternSet& set, F&& f) {
  std::map<std::size_t, std::vector<std::uint32_t>> by_length;
  for (std::uint32_t p = 0; p < set.size(); ++p) {
    by_length[set[p].size()].push_back(p);
  }
  constexpr std::uint64_t kTask = std::uint64_t{1} << 18;
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

[[noreturn]] void fail(const std::string& who, const std::string& what) {
  throw Error(who + ": " + what + "; please report this");
}

[[noreturn]] void fail_positions(const std::string& who) {
  fail(who, "the positions differ from those of a hash table");
}

}  // namespace

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
               std::uint64_t stretch) {
  if (found.count != expected.count) {
    fail(who, "it finds " + std::to_string(found.count) + " occurrences, and a hash table of the patterns " +
                  std::to_string(expected.count));
  }
  if (output == SetOutput::patterns && found.patterns != expected.patterns) {
    fail(who, "the numbers of occurrences of each pattern differ from those of a hash table");
  }
  if (output == SetOutput::positions &&
      (found.positions.size() != expected.count || digest_of(found.positions) != expected.digest)) {
    fail_positions(who);
  }
  if (output == SetOutput::stretches && found.stretch == stretch && found.stretches != expected.stretches) {
    fail(who, "the numbers of occurrences of each stretch differ from those of a hash table");
  }
}

void check_digest(const std::string& who, std::uint64_t digest, const ExpectedSet& expected) {
  if (digest != expected.digest) {
    fail_positions(who);
  }
}

}  // namespace trawl::lab
