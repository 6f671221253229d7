// Random and hostile sets of patterns and of guides, and texts with many of their matches.
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

struct ScanCase {
  std::vector<std::string> contigs;
  scan::PatternList patterns;
  scan::ScanOptions options;
};

/// Bases that a pattern matches.
inline std::string bases_of(RandomCases& random, std::string pattern) {
  for (char& letter : pattern) {
    while (sequence::base_code(letter) == sequence::kAmbiguous) {
      const char base = random.base();
      letter = (sequence::iupac_set(letter) & sequence::iupac_set(base)) != 0 ? base : letter;
    }
  }
  return pattern;
}

/// One to three contigs: runs of `letters`, random bases, ambiguous letters, and what `plant` makes of a pattern, on
/// both strands.
template <class Plant>
void add_contigs(ScanCase& c, RandomCases& random, std::size_t most_letters, const std::string& letters,
                 Plant&& plant) {
  for (std::size_t n = random.number(1, 3); n > 0; --n) {
    std::string& contig = c.contigs.emplace_back();
    const std::size_t length = random.number(1, most_letters);
    const double planted = c.patterns.empty() ? 0 : random.chance(0.5) ? 0.05 : 0.7;
    while (contig.size() < length) {
      if (!random.chance(planted)) {
        contig += random.chance(0.1) ? std::string(random.number(1, 80), letters[random.number(0, letters.size() - 1)])
                                     : random.bases(random.number(1, 40));
      } else {
        const std::string pattern(c.patterns[random.number(0, c.patterns.size() - 1)].bases);
        const std::string match =
            plant(random.mutate(bases_of(random, pattern), random.number(0, c.options.max_edits + 1)));
        contig += random.chance(0.5) ? match : sequence::reverse_complement(match);
      }
      if (random.chance(0.03)) {
        contig += random.chance(0.7) ? "N" : std::string(random.number(1, 100), random.ambiguous_letter());
      }
    }
  }
}

/// Patterns to be searched with edits by their pieces: runs of one base, all rotations of a word, patterns that contain
/// others or are alike, duplicates, IUPAC codes, long patterns; matches at the ends of contigs, runs of N.
inline ScanCase make_piece_case(RandomCases& random, std::size_t most_letters = 1500, std::size_t most_patterns = 12) {
  ScanCase c;
  scan::ScanOptions& options = c.options;
  options.max_edits = static_cast<std::uint32_t>(random.chance(0.9) ? random.number(1, 3) : random.number(4, 15));
  options.metric = random.chance(0.4) ? scan::Metric::hamming : scan::Metric::levenshtein;
  options.strands = static_cast<scan::Strands>(random.chance(0.8) ? 0 : random.number(1, 2));
  const std::size_t least = options.max_edits + 1;
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
    } else if (!c.patterns.empty() && random.chance(0.4)) {
      const std::string other(c.patterns[random.number(0, c.patterns.size() - 1)].bases);
      pattern = random.mutate(other, random.number(0, 2));
    }
    if (random.chance(0.05)) {
      pattern[random.number(0, pattern.size() - 1)] = random.ambiguous_letter();
    }
    if (pattern.size() > options.max_edits) {
      c.patterns.add("p", pattern);
    }
  }
  if (c.patterns.empty()) {
    c.patterns.add("p", random.bases(least + 8));
  }
  add_contigs(c, random, most_letters, "ACGT", [](const std::string& match) { return match; });
  return c;
}

/// Guides of repeats, some of them alike, and their sites.
inline ScanCase make_guide_case(RandomCases& random, std::size_t most_letters, std::size_t most_guides) {
  ScanCase c;
  scan::ScanOptions& options = c.options;
  options.max_edits = static_cast<std::uint32_t>(random.chance(0.9) ? random.number(0, 5) : random.number(6, 7));
  options.max_mismatches = options.max_edits;
  options.max_bulges = random.chance(0.3) ? 0 : static_cast<std::uint32_t>(random.number(0, options.max_edits));
  options.metric = random.chance(0.1) ? scan::Metric::hamming : scan::Metric::levenshtein;
  options.strands = static_cast<scan::Strands>(random.chance(0.8) ? 0 : random.number(1, 2));
  const char* pams[] = {"NGG", "TTTV", "NNGRRT", "N", "NRG", "AGG", "NGGNGGNNNNNNNNGG", "R"};
  options.pam = {pams[random.number(0, 7)], random.chance(0.6)};
  const std::size_t usual = random.number(std::max<std::size_t>(14, 2 * options.max_edits + 4), 26);
  const std::string letters = random.chance(0.3) ? random.bases(random.number(1, 2)) : "ACGT";
  for (std::size_t n = random.number(1, most_guides); n > 0; --n) {
    const std::size_t length = random.chance(0.9)   ? usual
                               : random.chance(0.5) ? random.number(options.max_edits + 1, 20)
                                                    : random.number(20, 60);
    std::string guide;
    while (guide.size() < length) {
      guide += letters[random.number(0, letters.size() - 1)];
    }
    if (!c.patterns.empty() && random.chance(0.4)) {  // one that is like another one
      const std::string other(c.patterns[random.number(0, c.patterns.size() - 1)].bases);
      guide = random.mutate(other, random.number(0, 2));
    }
    if (random.chance(0.05)) {
      guide[random.number(0, guide.size() - 1)] = random.ambiguous_letter();
    }
    if (guide.size() > options.max_edits) {
      c.patterns.add("g", guide);
    }
  }
  add_contigs(c, random, most_letters, letters, [&](const std::string& guide) {
    const std::string pam = bases_of(random, options.pam.bases);
    return options.pam.is_last ? guide + pam : pam + guide;
  });
  return c;
}

}  // namespace trawl::tests
