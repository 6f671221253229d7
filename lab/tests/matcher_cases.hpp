// Test cases for the matchers, on the CPU and on a GPU.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "lab/matchers/matcher.hpp"
#include "lab/tests/hostile_text.hpp"

namespace trawl::tests {

struct MatcherCase {
  std::string text;
  matchers::MatcherSettings settings;
};

/// The possible alphas, or 0.
inline std::vector<unsigned> alphas_of(const matchers::MatcherFacts& facts) {
  std::vector<unsigned> alphas = {facts.alphas[0]};
  for (std::size_t i = 1; i < std::size(facts.alphas) && facts.alphas[i] != 0; ++i) {
    alphas.push_back(facts.alphas[i]);
  }
  return alphas;
}

/// Calls f(matcher, alpha, k) for every matcher with edits, each of its alphas and numbers of edits.
template <class Matcher, class F>
void for_each_with_edits(const std::vector<Matcher>& matchers, F&& f) {
  for (const Matcher& matcher : matchers) {
    for (const unsigned alpha : alphas_of(*matcher.facts)) {
      for (unsigned k = 0; matcher.facts->most_edits > 0 && k <= matcher.facts->most_edits; ++k) {
        f(matcher, alpha, k);
      }
    }
  }
}

/// A pattern, and a text with many copies and near misses of it. Often the pattern is the shortest or the longest
/// allowed, or one letter repeated. Often the text is empty, shorter than the pattern, the pattern itself, or one
/// letter repeated.
inline MatcherCase matcher_case(RandomCases& random, const matchers::MatcherFacts& facts, unsigned k, unsigned alpha,
                                std::size_t longest_text) {
  MatcherCase c;
  const unsigned sigmas[] = {1, 2, 4, 60, 256};
  const unsigned sigma = sigmas[random.number(0, 4)];
  const std::size_t m = random.chance(0.1)   ? 1
                        : random.chance(0.1) ? facts.longest
                        : random.chance(0.8) ? random.number(1, std::min(facts.longest, 64u))
                                             : random.number(1, facts.longest);
  std::string pattern = random_letters(random, m, sigma);
  if (random.chance(0.1)) {
    pattern = std::string(m, pattern[0]);
  } else if (random.chance(0.2)) {  // a periodic pattern
    const std::size_t period = random.number(1, m);
    for (std::size_t i = period; i < m; ++i) {
      pattern[i] = pattern[i - period];
    }
  }
  if (random.chance(0.05)) {
    c.text = pattern;
  } else if (random.chance(0.05)) {
    c.text = std::string(random.number(0, longest_text), pattern[0]);
  } else {
    c.text = hostile_text(random, pattern, hostile_length(random, m, longest_text), sigma);
  }
  c.settings = {pattern, k, alpha};
  return c;
}

}  // namespace trawl::tests
