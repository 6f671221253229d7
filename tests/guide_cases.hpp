// Random and hostile sets of guides, and texts with many of their sites.
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

struct GuideCase {
  std::vector<std::string> contigs;
  scan::PatternList patterns;
  scan::Options options;
};

inline GuideCase make_guide_case(RandomCases& random, std::size_t most_letters, std::size_t most_guides) {
  GuideCase c;
  scan::Options& options = c.options;
  options.max_edits = static_cast<std::uint32_t>(random.chance(0.9) ? random.number(0, 5) : random.number(6, 7));
  options.max_mismatches = options.max_edits;
  options.max_bulges = random.chance(0.3) ? 0 : static_cast<std::uint32_t>(random.number(0, options.max_edits));
  options.metric = random.chance(0.1) ? scan::Metric::hamming : scan::Metric::levenshtein;
  options.strands = static_cast<scan::Strands>(random.chance(0.8) ? 0 : random.number(1, 2));
  const char* pams[] = {"NGG", "TTTV", "NNGRRT", "N", "NRG", "AGG", "NGGNGGNNNNNNNNGG", "R"};
  options.pam = {pams[random.number(0, 7)], random.chance(0.6)};
  // A text of repeats, with sites wherever something was planted.
  const std::size_t usual = random.number(std::max<std::size_t>(14, 2 * options.max_edits + 4), 26);
  const std::string letters = random.chance(0.3) ? random.bases(random.number(1, 2)) : "ACGT";
  std::vector<std::string> guides;
  for (std::size_t n = random.number(1, most_guides); n > 0; --n) {
    const std::size_t length = random.chance(0.9)   ? usual
                               : random.chance(0.5) ? random.number(options.max_edits + 1, 20)
                                                    : random.number(20, 60);
    std::string guide;
    while (guide.size() < length) {
      guide += letters[random.number(0, letters.size() - 1)];
    }
    if (!guides.empty() && random.chance(0.4)) {  // one that is like another one
      guide = random.mutate(guides[random.number(0, guides.size() - 1)], random.number(0, 2));
    }
    if (random.chance(0.05)) {
      guide[random.number(0, guide.size() - 1)] = random.ambiguous_letter();
    }
    if (guide.size() > options.max_edits) {
      guides.push_back(guide);
    }
  }
  for (const std::string& guide : guides) {
    c.patterns.add("g", guide);
  }
  const auto bases_of = [&](const std::string& pattern) {
    std::string text = pattern;
    for (char& letter : text) {
      while (sequence::base_code(letter) == sequence::kAmbiguous) {
        const char base = random.base();
        letter = (sequence::iupac_set(letter) & sequence::iupac_set(base)) != 0 ? base : letter;
      }
    }
    return text;
  };
  for (std::size_t n = random.number(1, 3); n > 0; --n) {
    std::string& contig = c.contigs.emplace_back();
    const std::size_t length = random.number(1, most_letters);
    const double planted = random.chance(0.5) ? 0.05 : 0.7;
    while (contig.size() < length) {
      if (guides.empty() || !random.chance(planted)) {
        contig +=
            random.chance(0.05) ? std::string(random.number(1, 60), letters[0]) : random.bases(random.number(1, 30));
      } else {
        const std::string guide = random.mutate(bases_of(guides[random.number(0, guides.size() - 1)]),
                                                random.number(0, options.max_edits + 1));
        const std::string pam = bases_of(options.pam.bases);
        const std::string site = options.pam.is_last ? guide + pam : pam + guide;
        contig += random.chance(0.5) ? site : sequence::reverse_complement(site);
      }
      if (random.chance(0.05)) {
        contig += random.chance(0.5) ? "N" : std::string(1, random.ambiguous_letter());
      }
    }
  }
  return c;
}

}  // namespace trawl::tests
