// Sets of patterns with texts for the matchers of sets. What is right says expected_set() of lab/bench_check.hpp.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "lab/matchers/sets/cpu_set_matchers.hpp"
#include "lab/tests/hostile_text.hpp"

namespace trawl::tests {

using Patterns = std::vector<std::string>;

struct SetCase {
  Patterns patterns;
  std::string text;
  std::uint64_t stretch;  // characters, to cut the text at many places
};

/// Pieces of the patterns, copies with edits, and random letters.
inline std::string text_with(RandomCases& random, const Patterns& patterns, std::size_t length, unsigned sigma) {
  std::string text;
  while (text.size() < length) {
    const std::string& pattern = patterns[random.number(0, patterns.size() - 1)];
    switch (random.number(0, 4)) {
      case 0:
        text += pattern;
        break;
      case 1:
        text += mutate_letters(random, pattern, 1, sigma);
        break;
      case 2:
        text += pattern.substr(random.number(0, pattern.size() - 1));
        break;
      default:
        text += random_letters(random, random.number(1, 40), sigma);
    }
  }
  text.resize(length);
  return text;
}

inline Patterns random_patterns(RandomCases& random, unsigned sigma) {
  Patterns patterns;
  const std::size_t count = random.chance(0.1) ? 1 : random.number(1, random.chance(0.1) ? 3000 : 60);
  const std::size_t longest = random.chance(0.2) ? random.number(1, 4) : random.number(1, 40);
  const std::size_t shortest = random.chance(0.5) ? longest : random.number(1, longest);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t m = random.number(shortest, longest);
    if (!patterns.empty() && random.chance(0.3)) {  // shares a part with another one, or is the same
      std::string other = patterns[random.number(0, patterns.size() - 1)];
      other.resize(std::max<std::size_t>(1, std::min(m, random.number(1, other.size()))));
      patterns.push_back(random_letters(random, m - std::min(m, other.size()), sigma) + other);
    } else {
      patterns.push_back(random_letters(random, m, sigma));
    }
  }
  return patterns;
}

/// Letter number c of `letters` in place of each byte c.
inline std::string letters_of(std::string text, const char* letters) {
  for (char& c : text) {
    c = letters[static_cast<unsigned char>(c)];
  }
  return text;
}

inline SetCase random_set_case(RandomCases& random) {
  const unsigned sigmas[] = {1, 2, 4, 20, 256};
  const unsigned sigma = sigmas[random.number(0, 4)];
  SetCase c{random_patterns(random, sigma), {}, 0};
  c.text = text_with(random, c.patterns, random.chance(0.1) ? random.number(0, 10) : random.number(1, 1500), sigma);
  if (sigma == 4) {  // DNA, with other characters in the text only
    for (std::string& pattern : c.patterns) {
      pattern = letters_of(pattern, "ACGT");
    }
    c.text = letters_of(c.text, "ACGT");
    for (std::size_t i = 0; i < c.text.size() / 50; ++i) {
      c.text[random.number(0, c.text.size() - 1)] = "NaB\xFF"[random.number(0, 3)];
    }
  }
  c.stretch = random.number(2, 200);
  return c;
}

/// Prefixes and ends of a word, its rotations, all words of a length, runs of one letter, duplicates.
inline std::vector<SetCase> hostile_set_cases() {
  RandomCases random(152);
  const std::string poly(300, 'A');
  Patterns prefixes, rotations, words, ends;
  const std::string word = letters_of(random_letters(random, 33, 4), "ACGT");
  for (std::size_t m = 1; m <= word.size(); ++m) {
    prefixes.push_back(word.substr(0, m));
    ends.push_back(word.substr(word.size() - m));
    rotations.push_back(word.substr(m) + word.substr(0, m));
  }
  for (unsigned w = 0; w < 256; ++w) {  // all words of 4 letters
    words.push_back({"ACGT"[w >> 6], "ACGT"[w >> 4 & 3], "ACGT"[w >> 2 & 3], "ACGT"[w & 3]});
  }
  std::string repeated;
  for (int i = 0; i < 12; ++i) {
    repeated += word;
  }
  const std::string all = repeated + poly + word;
  return {
      {prefixes, all, 17},
      {ends, all, 17},
      {rotations, all, 17},
      {words, all, 17},
      {{"A", "AA", "AAA", "AAAAAAAA", std::string(200, 'A')}, poly + "C" + poly, 13},
      {{std::string(200, 'A'), std::string(199, 'A') + "C", "C" + std::string(199, 'A')}, poly + "C" + poly, 13},
      {Patterns(50, "ACAC"), "ACACACACAC", 3},
      {{"A"}, "", 1},
      {{"A"}, "A", 1},
      {{"ACGT", "CGTA"}, "ACG", 1},
      {{"he", "she", "his", "hers"}, "ushers, hishe", 2},
      {{std::string("\0\0", 2), std::string("\0", 1)}, std::string(20, '\0'), 3},
  };
}

/// Patterns of 700 and 1,000 characters.
inline SetCase long_set_case() {
  RandomCases random(153);
  SetCase c{{letters_of(random_letters(random, 1000, 4), "ACGT"), letters_of(random_letters(random, 700, 4), "ACGT")},
            {},
            333};
  for (int i = 0; i < 5; ++i) {
    c.text += std::string(random.number(0, 900), 'N') + c.patterns[i % 2];
  }
  return c;
}

}  // namespace trawl::tests
