#include "scan/pam.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "sequence/alphabet.hpp"

namespace trawl::scan {

namespace {

// The share of random letters that the motif matches.
double rate_of(std::string_view motif) {
  double rate = 1;
  for (const char letter : motif) {
    rate *= std::popcount(sequence::iupac_set(letter)) / 4.0;
  }
  return rate;
}

char letter_of(std::uint8_t set) {
  constexpr std::string_view letters = "ACGTRYSWKMBDHVN";
  return *std::find_if(letters.begin(), letters.end(), [&](char letter) { return sequence::iupac_set(letter) == set; });
}

}  // namespace

Pam make_pam(std::vector<std::string> motifs, bool is_last, std::uint32_t max_mismatches) {
  Pam pam;
  pam.is_last = is_last;
  pam.max_mismatches = max_mismatches;
  pam.bases = motifs.front();
  for (std::size_t i = 0; i < pam.bases.size(); ++i) {
    std::uint8_t set = max_mismatches > 0 ? sequence::iupac_set('N') : std::uint8_t{0};
    for (const std::string& motif : motifs) {
      set |= sequence::iupac_set(motif[i]);
    }
    pam.bases[i] = letter_of(set);
  }
  pam.motifs = std::move(motifs);
  return pam;
}

sequence::PatternList with_pam(const sequence::PatternList& patterns, const Pam& pam) {
  if (pam.bases.empty()) {
    return patterns;
  }
  sequence::PatternList all;
  for (const auto [name, bases] : patterns) {
    all.add(name, pam.is_last ? std::string(bases) + pam.bases : pam.bases + std::string(bases));
  }
  return all;
}

double site_rate(const Pam& pam) {
  if (!pam.is_relaxed()) {
    return rate_of(pam.bases);
  }
  double rate = 0;
  for (const std::string& motif : pam.motifs) {
    // with[j]: the share that has j mismatches with the letters so far.
    std::vector<double> with(pam.max_mismatches + 1);
    with[0] = 1;
    for (const char letter : motif) {
      const double match = rate_of({&letter, 1});
      for (std::size_t j = with.size(); j-- > 0;) {
        with[j] = with[j] * match + (j > 0 ? with[j - 1] * (1 - match) : 0);
      }
    }
    for (const double share : with) {
      rate += share;
    }
  }
  return std::min(rate, rate_of(pam.bases));
}

PamSites::PamSites(const Pam& pam, bool reverse) : max_mismatches_(pam.max_mismatches) {
  const std::vector<std::string> only{pam.bases};
  for (const std::string& motif : pam.motifs.empty() ? only : pam.motifs) {
    auto& sets = motifs_.emplace_back();
    for (const char letter : reverse ? sequence::reverse_complement(motif) : motif) {
      sets.push_back(sequence::iupac_set(letter));
    }
  }
}

}  // namespace trawl::scan
