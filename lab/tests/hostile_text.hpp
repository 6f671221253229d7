// Hostile texts of any bytes for the pattern matchers. The letters are 0 to sigma - 1.
#pragma once

#include <string>

#include "tests/random_cases.hpp"

namespace trawl::tests {

inline std::string random_letters(RandomCases& random, std::size_t length, unsigned sigma) {
  std::string out;
  while (out.size() < length) {
    out += static_cast<char>(random.number(0, sigma - 1));
  }
  return out;
}

/// Makes `edits` substitutions and indels, with letters of the same alphabet.
inline std::string mutate_letters(RandomCases& random, std::string text, std::size_t edits, unsigned sigma) {
  for (std::size_t e = 0; e < edits && !text.empty(); ++e) {
    const std::size_t at = random.number(0, text.size() - 1);
    const char letter = random_letters(random, 1, sigma).front();
    switch (random.number(0, 3)) {
      case 0:
        text.erase(at, 1);
        break;
      case 1:
        text.insert(text.begin() + static_cast<std::ptrdiff_t>(at), letter);
        break;
      default:
        text[at] = letter;
    }
  }
  return text;
}

/// Runs of one letter; the pattern itself, also cut off by the text's end; and similar strings.
inline std::string hostile_text(RandomCases& random, const std::string& pattern, std::size_t length, unsigned sigma) {
  std::string text;
  while (text.size() < length) {
    switch (random.number(0, 4)) {
      case 0:
        text += std::string(random.number(1, 90), pattern[random.number(0, pattern.size() - 1)]);
        break;
      case 1:
        text += pattern;
        break;
      case 2:
        text += mutate_letters(random, pattern, random.number(1, 5), sigma);
        break;
      default:
        text += random_letters(random, random.number(1, 100), sigma);
    }
  }
  text.resize(length);
  return text;
}

/// A text length for a pattern of `m` characters; often a length where code takes another path.
inline std::size_t hostile_length(RandomCases& random, std::size_t m, std::size_t longest) {
  if (random.chance(0.7)) {
    return random.number(1, longest);
  }
  const std::size_t lengths[] = {0, 1, m - 1, m, m + 1, random.number(0, m), 31, 32, 511, 512, 513};
  return lengths[random.number(0, std::size(lengths) - 1)];
}

struct TextCase {
  std::string text, pattern;
};

/// A pattern of `m` characters, in a text with many copies of it, its letters and near misses; also empty texts, and
/// texts shorter than the pattern or as long. `sigma`: letters; 0: 2, 4 or 60.
inline TextCase hostile_case(RandomCases& random, std::size_t m, std::size_t longest, unsigned sigma = 0) {
  sigma = sigma != 0 ? sigma : random.chance(0.5) ? 4 : random.chance(0.5) ? 2 : 60;
  TextCase c;
  c.pattern = random_letters(random, m, sigma);
  c.text = hostile_text(random, c.pattern, hostile_length(random, m, longest), sigma);
  return c;
}

}  // namespace trawl::tests
