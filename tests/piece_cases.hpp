// Random and hostile sets of patterns to be searched with edits by their pieces, and texts with many of their matches.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "scan/options.hpp"
#include "sequence/alphabet.hpp"
#include "tests/random_cases.hpp"

namespace trawl::tests {

struct PieceCase {
  std::vector<std::string> contigs;
  scan::PatternList patterns;
  scan::Options options;
};

/// Runs of one base, all rotations of a word, patterns that contain others or are alike, duplicates, IUPAC codes, long
/// patterns, matches at the ends of contigs, runs of N.
inline PieceCase make_piece_case(RandomCases& random, std::size_t most_letters = 1500, std::size_t most_patterns = 12) {
  PieceCase c;
  scan::Options& options = c.options;
  options.max_edits = static_cast<std::uint32_t>(random.chance(0.9) ? random.number(1, 3) : random.number(4, 15));
  options.metric = random.chance(0.4) ? scan::Metric::hamming : scan::Metric::levenshtein;
  options.strands = static_cast<scan::Strands>(random.chance(0.8) ? 0 : random.number(1, 2));
  const std::size_t least = options.max_edits + 1;
  std::vector<std::string> patterns;
  const std::string word = random.bases(random.number(std::max<std::size_t>(least, 8), 40));
  for (std::size_t n = random.number(1, most_patterns); n > 0; --n) {
    std::string pattern = random.bases(random.chance(0.9)   ? random.number(std::max<std::size_t>(least, 8), 40)
                                       : random.chance(0.5) ? random.number(least, std::max<std::size_t>(least, 12))
                                                            : random.number(least, 200));
    if (random.chance(0.2)) {
      pattern = std::string(pattern.size(), pattern[0]);
    } else if (random.chance(0.2)) {
      const std::size_t at = n % word.size();
      pattern = word.substr(at) + word.substr(0, at);
    } else if (!patterns.empty() && random.chance(0.4)) {
      pattern = random.mutate(patterns[random.number(0, patterns.size() - 1)], random.number(0, 2));
    }
    if (random.chance(0.05)) {
      pattern[random.number(0, pattern.size() - 1)] = random.ambiguous_letter();
    }
    if (pattern.size() > options.max_edits) {
      patterns.push_back(pattern);
    }
  }
  if (patterns.empty()) {
    patterns.push_back(random.bases(least + 8));
  }
  for (const std::string& pattern : patterns) {
    c.patterns.add("p", pattern);
  }
  for (std::size_t n = random.number(1, 3); n > 0; --n) {
    std::string& contig = c.contigs.emplace_back();
    const std::size_t length = random.number(1, most_letters);
    const double planted = random.chance(0.5) ? 0.05 : 0.7;
    while (contig.size() < length) {
      if (!random.chance(planted)) {
        contig +=
            random.chance(0.1) ? std::string(random.number(1, 80), random.base()) : random.bases(random.number(1, 40));
      } else {
        std::string match = patterns[random.number(0, patterns.size() - 1)];
        for (char& letter : match) {
          letter = sequence::base_code(letter) == sequence::kAmbiguous ? random.base() : letter;
        }
        match = random.mutate(match, random.number(0, options.max_edits + 1));
        contig += random.chance(0.5) ? match : sequence::reverse_complement(match);
      }
      if (random.chance(0.03)) {
        contig += random.chance(0.5) ? "N" : std::string(random.number(1, 100), random.ambiguous_letter());
      }
    }
  }
  return c;
}

}  // namespace trawl::tests
