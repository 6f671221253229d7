// The steps of a guide's alignment are those of the best of all alignments: short guides beside their PAM on either
// side, texts that are too short, all limits, repeats.
#include "scan/report/guide_path.hpp"

#include <algorithm>
#include <string>

#include "tests/catch.hpp"
#include "tests/guide_oracle.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;

TEST_CASE("of the alignments of a guide with the fewest edits, the one with the fewest gaps is taken") {
  tests::RandomCases random(20261123);
  std::size_t of_one_gap = 0, of_more = 0, far_gaps = 0;
  for (int round = 0; round < 9000; ++round) {
    const auto edits = static_cast<std::uint32_t>(random.number(1, 4));
    tests::GuideLimits limits{edits, static_cast<std::uint32_t>(random.chance(0.5) ? edits : random.number(0, edits)),
                              static_cast<std::uint32_t>(random.chance(0.5) ? edits : random.number(1, edits))};
    if (random.chance(0.4)) {
      limits.dna = static_cast<std::uint32_t>(random.number(0, edits));
      limits.rna = static_cast<std::uint32_t>(random.number(0, edits));
    }
    scan::GuidePathFinder finder({limits.edits, limits.mismatches, limits.bulges, limits.dna, limits.rna});
    std::vector<match::Step> steps;
    for (int n = 0; n < 3; ++n) {
      const std::string letters = random.chance(0.6) ? random.bases(random.number(1, 3)) : "ACGT";
      std::string guide;
      for (std::size_t length = random.number(1, 10); guide.size() < length;) {
        guide += letters[random.number(0, letters.size() - 1)];
      }
      const bool pam_first = random.chance(0.5);
      const std::string around = random.bases(limits.bulges);
      const std::string site = random.mutate(guide, random.number(0, limits.edits));
      std::string text = pam_first ? site + around : around + site;
      if (random.chance(0.2)) {  // the contig ends
        const std::size_t left = random.number(0, text.size());
        text = pam_first ? text.substr(0, left) : text.substr(text.size() - left);
      }
      const auto sets_of = [](const std::string& bases) {
        std::vector<std::uint8_t> sets;
        std::transform(bases.begin(), bases.end(), std::back_inserter(sets), sequence::iupac_set);
        return sets;
      };
      const auto best = tests::best_guide_order(guide.size(), text.size(), limits, pam_first,
                                                [&](std::size_t i, std::size_t j) { return guide[i] != text[j]; });
      if (!best || best->gaps == 0) {
        continue;
      }
      CAPTURE(round, n, guide, text, pam_first, limits.edits, limits.mismatches, limits.bulges, limits.dna, limits.rna);
      scan::GuideLetters of_guide, of_text;
      of_guide.assign(sets_of(guide));
      of_text.assign(sets_of(text));
      finder.find(of_guide, of_text, best->edits, pam_first, steps);
      std::reverse(steps.begin(), steps.end());
      REQUIRE(steps == best->steps_from_right);
      ++(best->gaps == 1 ? of_one_gap : of_more);
      far_gaps += best->far_gaps;
    }
  }
  REQUIRE(of_one_gap > 3000);
  REQUIRE(of_more > 300);
  REQUIRE(far_gaps > 300);
}
