// The edits of a guide's alignment are those of plain dynamic programming: short and long guides, few and many bulges,
// texts that are too short, letters that match several bases or none, repeats. Its steps are those of the best of all
// alignments, beside a PAM on either side, with all limits.
#include "scan/report/guide_alignment.hpp"

#include <string>

#include "scan/report/guide_lanes.hpp"
#include "sequence/plane_window.hpp"
#include "tests/catch.hpp"
#include "tests/guide_oracle.hpp"
#include "tests/on_all_targets.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;

namespace {

using Sets = std::vector<std::uint8_t>;
using tests::GuideLimits;

// X matches nothing.
Sets sets_of(const std::string& letters) {
  Sets sets;
  for (const char letter : letters) {
    sets.push_back(letter == 'X' ? 0 : sequence::iupac_set(letter));
  }
  return sets;
}

std::string guide_of(tests::RandomCases& random, std::size_t length) {
  const std::string letters = random.chance(0.4) ? random.bases(random.number(1, 3)) : "ACGT";
  std::string guide;
  while (guide.size() < length) {
    guide += random.chance(0.02) ? 'R' : letters[random.number(0, letters.size() - 1)];
  }
  return guide;
}

}  // namespace

TEST_CASE(
    "of the alignments of a guide with the fewest edits, the one with the fewest gaps, or the largest CFD, is taken") {
  tests::RandomCases random(20261123);
  std::size_t of_one_gap = 0, of_more = 0, far_gaps = 0, changed_by_cfd = 0;
  for (int round = 0; round < 9000; ++round) {
    const auto edits = static_cast<std::uint32_t>(random.number(1, 4));
    tests::GuideLimits limits{edits, static_cast<std::uint32_t>(random.chance(0.5) ? edits : random.number(0, edits)),
                              static_cast<std::uint32_t>(random.chance(0.5) ? edits : random.number(1, edits))};
    if (random.chance(0.4)) {
      limits.dna = static_cast<std::uint32_t>(random.number(0, edits));
      limits.rna = static_cast<std::uint32_t>(random.number(0, edits));
    }
    scan::GuideAligner finder({limits.edits, limits.mismatches, limits.bulges, limits.dna, limits.rna});
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
      const auto best = tests::best_guide_order(guide.size(), text.size(), limits, pam_first,
                                                [&](std::size_t i, std::size_t j) { return guide[i] != text[j]; });
      if (!best || best->gaps == 0) {
        continue;
      }
      CAPTURE(round, n, guide, text, pam_first, limits.edits, limits.mismatches, limits.bulges, limits.dna, limits.rna);
      finder.find_steps(sets_of(guide), sets_of(text), best->edits, pam_first, false, steps);
      std::reverse(steps.begin(), steps.end());
      REQUIRE(steps == best->steps_from_right);
      const auto by_cfd = tests::best_guide_order(
          guide.size(), text.size(), limits, pam_first,
          [&](std::size_t i, std::size_t j) { return guide[i] != text[j]; },
          tests::cfd_of_steps(guide, text, pam_first));
      finder.find_steps(sets_of(guide), sets_of(text), best->edits, pam_first, true, steps);
      std::reverse(steps.begin(), steps.end());
      REQUIRE(steps == by_cfd->steps_from_right);
      changed_by_cfd += steps != best->steps_from_right;
      ++(best->gaps == 1 ? of_one_gap : of_more);
      far_gaps += best->far_gaps;
    }
  }
  REQUIRE(of_one_gap > 3000);
  REQUIRE(of_more > 300);
  REQUIRE(far_gaps > 300);
  REQUIRE(changed_by_cfd > 500);
}

TEST_CASE("guides in lanes have the scores that each has alone") {
  tests::RandomCases random(20261126);
  std::size_t scored = 0, without = 0;
  const auto check = [&] {
    const auto edits = static_cast<std::uint32_t>(random.chance(0.9) ? random.number(0, 6) : random.number(7, 14));
    const auto limit = [&](std::uint32_t most, double share) {
      return static_cast<std::uint32_t>(random.chance(share) ? most : random.number(0, most));
    };
    const std::uint32_t bulges = limit(edits, 0.6);
    const scan::GuideLimits limits(edits, limit(edits, 0.6), bulges, limit(bulges, 0.8), limit(bulges, 0.8));
    const std::size_t length = random.number(1, random.chance(0.8) ? 24 : 64 - bulges);
    scan::GuideAligner aligner(limits);
    scan::GuideLanes scores(limits);
    REQUIRE(scores.takes(length));
    std::vector<std::string> guides, texts;
    for (std::size_t n = random.number(1, scan::GuideLanes::kMost); n > 0; --n) {
      guides.push_back(guide_of(random, length));
      std::string plain = guides.back();
      std::replace(plain.begin(), plain.end(), 'R', 'G');
      std::string text = random.mutate(plain, random.number(0, edits + 1)) + random.bases(length + bulges);
      text.resize(length + bulges);
      texts.push_back(text);
      scores.add(sets_of(guides.back()), sequence::planes_of(text));
    }
    scores.align();
    for (std::size_t n = 0; n < guides.size(); ++n) {
      CAPTURE(n, guides[n], texts[n], edits, limits.mismatches, bulges, limits.dna, limits.rna);
      const auto expected = aligner.align(sets_of(guides[n]), sets_of(texts[n])), score = scores.score(n);
      REQUIRE(score.has_value() == expected.has_value());
      if (!score) {
        ++without;
        continue;
      }
      ++scored;
      REQUIRE(score->mismatches == expected->mismatches);
      REQUIRE(score->bulges == expected->bulges);
      REQUIRE(score->ungapped == expected->ungapped);
    }
  };
  tests::on_all_targets([&] {
    for (int round = 0; round < 400; ++round) {
      check();
    }
  });
  REQUIRE(scored > 5000);
  REQUIRE(without > 1000);
}

namespace {

std::optional<scan::GuideScore> oracle(const Sets& guide, const Sets& text, const GuideLimits& limits) {
  const tests::FewestMismatches fewest(guide.size(), text.size(), limits.bulges,
                                       [&](std::size_t i, std::size_t j) { return (guide[i] & text[j]) == 0; });
  std::optional<scan::GuideScore> best;
  for (std::uint32_t b = 0; b <= limits.bulges; ++b) {
    for (std::size_t j = 0; j <= text.size(); ++j) {
      const unsigned mismatches = fewest.at(guide.size(), j, b);
      // More text than guide is in DNA bulges.
      const std::size_t dna = (b + j - guide.size()) / 2, rna = (b + guide.size() - j) / 2;
      if (mismatches < fewest.kNever && (dna > limits.dna || rna > limits.rna)) {
        continue;
      }
      if (mismatches <= limits.mismatches && mismatches + b <= limits.edits &&
          (!best || mismatches + b < best->distance())) {
        best = {static_cast<std::uint16_t>(mismatches), static_cast<std::uint16_t>(b)};
      }
    }
  }
  if (best && guide.size() <= text.size()) {
    if (const unsigned mismatches = fewest.at(guide.size(), guide.size(), 0); mismatches <= limits.mismatches) {
      best->ungapped = static_cast<std::uint16_t>(mismatches);
    }
  }
  return best;
}

}  // namespace

TEST_CASE("guides are aligned as by dynamic programming") {
  tests::RandomCases random(20261122);
  std::size_t found = 0, with_bulges = 0;
  for (int round = 0; round < 400; ++round) {
    GuideLimits limits{};
    limits.edits = static_cast<std::uint32_t>(random.chance(0.9) ? random.number(0, 6) : random.number(7, 12));
    limits.mismatches = static_cast<std::uint32_t>(random.chance(0.5) ? limits.edits : random.number(0, limits.edits));
    limits.bulges = static_cast<std::uint32_t>(random.chance(0.5) ? limits.edits : random.number(0, limits.edits));
    // One aligner for many guides: nothing of the last one may stay.
    if (random.chance(0.4)) {
      limits.dna = static_cast<std::uint32_t>(random.number(0, limits.bulges));
      limits.rna = static_cast<std::uint32_t>(random.number(0, limits.bulges));
    }
    scan::GuideAligner aligner({limits.edits, limits.mismatches, limits.bulges, limits.dna, limits.rna});
    for (int n = 0; n < 10; ++n) {
      const std::size_t usual = random.chance(0.8) ? random.number(1, 30) : random.number(60, 70);
      const std::size_t length = random.chance(0.97) ? usual : random.number(120, 200);
      std::string guide;
      const std::string letters = random.chance(0.4) ? random.bases(random.number(1, 2)) : "ACGT";
      while (guide.size() < length) {
        guide += letters[random.number(0, letters.size() - 1)];
      }
      std::string text = random.mutate(guide, random.number(0, limits.edits + 1)) + random.bases(limits.bulges);
      if (random.chance(0.1)) {
        text.resize(random.number(0, text.size()));
      }
      const auto change = [&](std::string& of, char letter) {
        if (!of.empty()) {
          of[random.number(0, of.size() - 1)] = letter;
        }
      };
      if (random.chance(0.3)) {
        change(guide, random.ambiguous_letter());
      }
      if (random.chance(0.3)) {
        change(text, random.chance(0.5) ? 'X' : random.ambiguous_letter());
      }
      CAPTURE(round, n, guide, text, limits.edits, limits.mismatches, limits.bulges, limits.dna, limits.rna);
      const auto expected = oracle(sets_of(guide), sets_of(text), limits);
      const auto score = aligner.align(sets_of(guide), sets_of(text));
      REQUIRE(score.has_value() == expected.has_value());
      if (expected) {
        REQUIRE(score->mismatches == expected->mismatches);
        REQUIRE(score->bulges == expected->bulges);
        REQUIRE(score->ungapped == expected->ungapped);
        ++found;
        with_bulges += expected->bulges > 1;
      }
    }
  }
  REQUIRE(found > 1000);
  REQUIRE(with_bulges > 200);
}
