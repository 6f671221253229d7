#include "scan/report/guide_scores.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "sequence/alphabet.hpp"

namespace trawl::scan {

namespace {

constexpr char kBulge = '-';

// clang-format off
// What is left of the activity with one mismatch: the base of the guide, that of the text on the same strand, and the
// place in the guide, from its 5' end. Doench et al. 2016 (Nature Biotechnology 34:184-191, doi:10.1038/nbt.3437),
// supplementary table 19, as published with the authors' program (their pair rA:dC is guide A, text G here). Checked to
// be the same in CRISPOR, FlashFry and iGWOS.
// A bulge is the fifth letter, of the guide (a base of the text that the guide lacks, a DNA bulge) or of the text (an RNA
// bulge). From the same table ("deletions" and "insertions" of the guide), which has no values for the first
// place. Checked to be the same in CRISPRme and GUIDEseq. The letters are those of the guide's strand: the numbers of
// guides that the values are from show that. (CRISPRme takes the complement for DNA bulges.)
constexpr double kCfd[5][5][kScoredLength] = {
    {
        {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},  // A, A
        // guide A, text C
        {0.857142857, 0.785714286, 0.428571429, 0.352941176, 0.5, 0.454545455, 0.4375, 0.428571429, 0.571428571, 0.333333333,
         0.4, 0.263157895, 0.210526316, 0.214285714, 0.272727273, 0, 0.176470588, 0.19047619, 0.206896552, 0.227272727},
        // guide A, text G
        {1, 0.8, 0.611111111, 0.625, 0.72, 0.714285714, 0.705882353, 0.733333333, 0.666666667, 0.555555556,
         0.65, 0.722222222, 0.652173913, 0.466666667, 0.65, 0.192307692, 0.176470588, 0.4, 0.375, 0.764705882},
        // guide A, text T
        {1, 0.727272727, 0.705882353, 0.636363636, 0.363636364, 0.714285714, 0.4375, 0.428571429, 0.6, 0.882352941,
         0.307692308, 0.333333333, 0.3, 0.533333333, 0.2, 0, 0.133333333, 0.5, 0.538461538, 0.6},
        // guide A, in a bulge
        {1, 0.969230769, 0.888888889, 0.580645161, 0.328125, 0.276923077, 0.430769231, 0.234375, 0.276923077, 0.569230769,
         0.276923077, 0.061538462, 0.03125, 0.046153846, 0.03125, 0.015384615, 0, 0, 0, 0.061538462},
    },
    {
        // guide C, text A
        {1, 0.727272727, 0.866666667, 0.842105263, 0.571428571, 0.928571429, 0.75, 0.65, 0.857142857, 0.866666667,
         0.75, 0.714285714, 0.384615385, 0.35, 0.222222222, 1, 0.466666667, 0.538461538, 0.428571429, 0.5},
        {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},  // C, C
        // guide C, text G
        {0.913043478, 0.695652174, 0.5, 0.5, 0.6, 0.5, 0.470588235, 0.642857143, 0.619047619, 0.388888889,
         0.25, 0.444444444, 0.136363636, 0, 0.05, 0.153846154, 0.058823529, 0.133333333, 0.125, 0.058823529},
        // guide C, text T
        {1, 0.909090909, 0.6875, 0.8, 0.636363636, 0.928571429, 0.8125, 0.875, 0.875, 0.941176471,
         0.307692308, 0.538461538, 0.7, 0.733333333, 0.066666667, 0.307692308, 0.466666667, 0.642857143, 0.461538462, 0.3},
        // guide C, in a bulge
        {1, 0.96875, 0.933333333, 0.682539683, 0.365079365, 0.4375, 0.569230769, 0.123076923, 0.415384615, 0.615384615,
         0.169230769, 0.046875, 0, 0.046153846, 0, 0, 0, 0, 0, 0.03125},
    },
    {
        // guide G, text A
        {0.9, 0.846153846, 0.75, 0.9, 0.866666667, 1, 1, 1, 0.642857143, 0.933333333,
         1, 0.933333333, 0.923076923, 0.75, 0.941176471, 1, 0.933333333, 0.692307692, 0.714285714, 0.9375},
        // guide G, text C
        {0.714285714, 0.692307692, 0.384615385, 0.529411765, 0.785714286, 0.681818182, 0.6875, 0.615384615, 0.538461538, 0.4,
         0.428571429, 0.529411765, 0.421052632, 0.428571429, 0.272727273, 0, 0.235294118, 0.476190476, 0.448275862, 0.428571429},
        {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},  // G, G
        // guide G, text T
        {1, 0.636363636, 0.5, 0.363636364, 0.3, 0.666666667, 0.571428571, 0.625, 0.533333333, 0.8125,
         0.384615385, 0.384615385, 0.3, 0.266666667, 0.142857143, 0, 0.25, 0.666666667, 0.666666667, 0.7},
        // guide G, in a bulge
        {1, 0.921875, 0.822580645, 0.523076923, 0.296875, 0.390625, 0.492063492, 0.301587302, 0.328125, 0.587301587,
         0.25, 0.125, 0.046875, 0.063492063, 0, 0, 0, 0, 0.063492063, 0.09375},
    },
    {
        // guide T, text A
        {1, 0.846153846, 0.714285714, 0.476190476, 0.5, 0.866666667, 0.875, 0.8, 0.928571429, 0.857142857,
         0.75, 0.8, 0.692307692, 0.619047619, 0.578947368, 0.909090909, 0.533333333, 0.666666667, 0.285714286, 0.5625},
        // guide T, text C
        {0.857142857, 0.857142857, 0.428571429, 0.647058824, 1, 0.909090909, 0.6875, 1, 0.923076923, 0.533333333,
         0.666666667, 0.947368421, 0.789473684, 0.285714286, 0.272727273, 0.666666667, 0.705882353, 0.428571429, 0.275862069, 0.090909091},
        // guide T, text G
        {0.956521739, 0.84, 0.5, 0.625, 0.64, 0.571428571, 0.588235294, 0.733333333, 0.619047619, 0.5,
         0.4, 0.5, 0.260869565, 0, 0.05, 0.346153846, 0.117647059, 0.333333333, 0.25, 0.176470588},
        {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},  // T, T
        // guide T, in a bulge
        {1, 0.953125, 0.921875, 0.65625, 0.215384615, 0.446153846, 0.553846154, 0.296875, 0.609375, 0.650793651,
         0.323076923, 0.030769231, 0, 0.061538462, 0, 0, 0, 0, 0, 0},
    },
    {
        // text A, in a bulge
        {1, 0.692307692, 0.4375, 0.15, 0.133333333, 0.066666667, 0, 0, 0.142857143, 0.4,
         0.3125, 0.071428571, 0.076923077, 0.047619048, 0.052631579, 0, 0, 0.153846154, 0.142857143, 0.6},
        // text C, in a bulge
        {1, 0.714285714, 0.461538462, 0.176470588, 0.071428571, 0, 0, 0, 0, 0.133333333,
         0.133333333, 0, 0, 0, 0, 0, 0.058823529, 0.142857143, 0.035714286, 0.045454545},
        // text G, in a bulge
        {1, 0.96, 0.666666667, 0.375, 0.24, 0.142857143, 0.058823529, 0.133333333, 0.238095238, 0.333333333,
         0.1, 0.055555556, 0.043478261, 0, 0, 0, 0, 0.2, 0.4375, 0.529411765},
        // text T, in a bulge
        {1, 0.727272727, 0.6, 0.1, 0, 0.083333333, 0, 0.0625, 0.1875, 0.25,
         0.076923077, 0.076923077, 0, 0, 0, 0, 0, 0, 0.307692308, 0.6},
    },
};
// The same for the last two letters of the PAM.
constexpr double kCfdPam[4][4] = {
    {0, 0, 0.259259259, 0},                      // AA, AC, AG, AT
    {0, 0, 0.107142857, 0},                      // CA, CC, CG, CT
    {0.069444444, 0.022222222, 1, 0.016129032},  // GA, GC, GG, GT
    {0, 0, 0.038961039, 0},                      // TA, TC, TG, TT
};
// How much a mismatch at each place takes away. Hsu et al. 2013 (Nature Biotechnology 31:827-832, doi:10.1038/nbt.2647).
constexpr double kMit[kScoredLength] = {0,     0,     0.014, 0,     0,     0.395, 0.317, 0,     0.389, 0.079,
                                        0.445, 0.508, 0.613, 0.851, 0.732, 0.828, 0.615, 0.804, 0.685, 0.583};
// clang-format on

// A bulge is no letter.
bool is_unambiguous(std::string_view letters) {
  unsigned other = 0;
  for (const char letter : letters) {
    other |= letter != kBulge && sequence::base_code(letter) == sequence::kAmbiguous ? 1u : 0u;
  }
  return other == 0;
}

std::size_t code_of(char letter) { return letter == kBulge ? kBulgeCode : sequence::base_code(letter); }

// By guide, text and column, as cfd_cost().
const auto kCosts = [] {
  constexpr double kUnit = 1 << 28;
  std::array<std::array<std::array<std::uint64_t, kScoredLength>, 6>, 6> costs{};
  for (std::size_t g = 0; g < 6; ++g) {
    for (std::size_t t = 0; t < 6; ++t) {
      for (std::size_t i = 0; i < kScoredLength; ++i) {
        const double weight = g < 5 && t < 5 ? kCfd[g][t][i] : 0;
        costs[g][t][kScoredLength - 1 - i] =
            weight > 0 ? static_cast<std::uint64_t>(std::llround(-std::log2(weight) * kUnit)) : kNoActivity;
      }
    }
  }
  return costs;
}();

}  // namespace

std::uint64_t cfd_cost(std::uint8_t guide, std::uint8_t text, std::size_t column) {
  return column < kScoredLength ? kCosts[guide][text][column] : 0;
}

double cfd_of_pam(unsigned pair) { return kCfdPam[pair / 4][pair % 4]; }

double cfd_weight(unsigned guide, unsigned text, std::size_t place) { return kCfd[guide][text][place]; }

double mit_weight(std::size_t place) { return 1 - kMit[place]; }

double mit_spread(std::size_t mismatches, std::size_t from_first_to_last) {
  // The mean distance between neighbouring mismatches.
  const double distance = static_cast<double>(from_first_to_last) / static_cast<double>(mismatches - 1);
  constexpr double kMost = kScoredLength - 1;
  return (kMost - distance) / kMost * 4 + 1;
}

double specificity(std::uint64_t sum, double of_target, double percent) {
  const double rest = std::max(0.0, static_cast<double>(sum) * kScoreUnit - of_target);
  return 100.0 * 100.0 / (100.0 + percent * rest);
}

bool has_scores(std::string_view guide, const Pam& pam) {
  return has_scores(guide.size(), pam) && is_unambiguous(guide);
}

std::optional<GuideScores> guide_scores(std::string_view guide, std::string_view text, std::string_view pam) {
  const auto dna_bulges = static_cast<std::size_t>(std::count(guide.begin(), guide.end(), kBulge));
  const auto rna_bulges = static_cast<std::size_t>(std::count(text.begin(), text.end(), kBulge));
  if (guide.size() != kScoredLength + dna_bulges || text.size() != guide.size() || pam.size() != 3 ||
      !is_unambiguous(guide) || !is_unambiguous(text) || !is_unambiguous(pam.substr(1))) {
    return std::nullopt;
  }
  GuideScores scores;
  scores.pam_pair = 4u * sequence::base_code(pam[1]) + sequence::base_code(pam[2]);
  scores.cfd = 1;
  double mit = 100;
  std::size_t mismatches = 0, first = 0, last = 0;
  // The places are counted from the PAM, beside which the last one is. What is further away has no values.
  for (std::size_t i = 0; i < kScoredLength; ++i) {
    const std::size_t base = code_of(guide[dna_bulges + i]), other = code_of(text[dna_bulges + i]);
    if (base == other) {
      continue;
    }
    scores.cfd *= kCfd[base][other][i];
    if (base != kBulgeCode && other != kBulgeCode) {
      mit *= mit_weight(i);
      first = mismatches == 0 ? i : first;
      last = i;
      ++mismatches;
    }
  }
  scores.cfd *= cfd_of_pam(scores.pam_pair);
  if (mismatches > 1) {
    mit /= mit_spread(mismatches, last - first);
    mit /= static_cast<double>(mismatches * mismatches);
  }
  if (dna_bulges + rna_bulges == 0) {
    scores.mit = mit;
  }
  return scores;
}

}  // namespace trawl::scan
