// The edits of a guide's alignment are those of plain dynamic programming: short and long guides, few and many bulges,
// texts that are too short, letters that match several bases or none, repeats.
#include "scan/report/guide_alignment.hpp"

#include <algorithm>
#include <string>

#include "tests/catch.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;

namespace {

using Sets = std::vector<std::uint8_t>;

struct Limits {
  std::uint32_t edits, mismatches, bulges;
  std::uint32_t dna = ~std::uint32_t{0}, rna = ~std::uint32_t{0};  // of one kind
};

// By all cells: the fewest mismatches of the first i bases of the guide with the first j of the text, with exactly b
// bases in bulges.
class Oracle {
 public:
  Oracle(const Sets& guide, const Sets& text, const Limits& limits)
      : guide_(guide),
        text_(text),
        limits_(limits),
        cells_((guide.size() + 1) * (text.size() + 1) * (limits.bulges + 1), kNever) {
    for (std::size_t i = 0; i <= guide.size(); ++i) {
      for (std::size_t j = 0; j <= text.size(); ++j) {
        for (std::uint32_t b = 0; b <= limits.bulges; ++b) {
          unsigned& here = cell(i, j, b);
          if (i + j + b == 0) {
            here = 0;
          }
          if (i > 0 && j > 0) {
            here = std::min(here, cell(i - 1, j - 1, b) + differ(i, j));
          }
          if (i > 0 && b > 0) {
            here = std::min(here, cell(i - 1, j, b - 1));
          }
          if (j > 0 && b > 0) {
            here = std::min(here, cell(i, j - 1, b - 1));
          }
        }
      }
    }
  }

  std::optional<scan::GuideScore> score() {
    std::optional<scan::GuideScore> best;
    for (std::uint32_t b = 0; b <= limits_.bulges; ++b) {
      for (std::size_t j = 0; j <= text_.size(); ++j) {
        const unsigned mismatches = cell(guide_.size(), j, b);
        // More text than guide is in DNA bulges.
        const std::size_t dna = (b + j - guide_.size()) / 2, rna = (b + guide_.size() - j) / 2;
        if (mismatches < kNever && (dna > limits_.dna || rna > limits_.rna)) {
          continue;
        }
        if (mismatches <= limits_.mismatches && mismatches + b <= limits_.edits &&
            (!best || mismatches + b < best->distance())) {
          best = {static_cast<std::uint16_t>(mismatches), static_cast<std::uint16_t>(b)};
        }
      }
    }
    if (best && guide_.size() <= text_.size()) {
      if (const unsigned mismatches = cell(guide_.size(), guide_.size(), 0); mismatches <= limits_.mismatches) {
        best->ungapped = static_cast<std::uint16_t>(mismatches);
      }
    }
    return best;
  }

 private:
  static constexpr unsigned kNever = 1u << 20;

  unsigned differ(std::size_t i, std::size_t j) const { return (guide_[i - 1] & text_[j - 1]) == 0 ? 1 : 0; }
  unsigned& cell(std::size_t i, std::size_t j, std::uint32_t b) {
    return cells_[(i * (text_.size() + 1) + j) * (limits_.bulges + 1) + b];
  }

  Sets guide_;
  Sets text_;
  Limits limits_;
  std::vector<unsigned> cells_;
};

Sets sets_of(const std::string& letters) {
  Sets sets;
  for (const char letter : letters) {
    sets.push_back(letter == 'X' ? 0 : sequence::iupac_set(letter));
  }
  return sets;
}

void check(scan::GuideAligner& aligner, const Sets& guide, const Sets& text, const Limits& limits) {
  scan::GuideLetters of_guide, of_text;
  of_guide.assign(guide);
  of_text.assign(text);
  Oracle oracle(guide, text, limits);
  const auto expected = oracle.score();
  const auto score = aligner.align(of_guide, of_text);
  REQUIRE(score.has_value() == expected.has_value());
  if (expected) {
    REQUIRE(score->mismatches == expected->mismatches);
    REQUIRE(score->bulges == expected->bulges);
    REQUIRE(score->ungapped == expected->ungapped);
  }
}

}  // namespace

TEST_CASE("guides are aligned as by dynamic programming") {
  tests::RandomCases random(20261122);
  std::size_t found = 0, with_bulges = 0;
  for (int round = 0; round < 400; ++round) {
    Limits limits;
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
      check(aligner, sets_of(guide), sets_of(text), limits);
      Oracle oracle(sets_of(guide), sets_of(text), limits);
      if (const auto score = oracle.score()) {
        ++found;
        with_bulges += score->bulges > 1;
      }
    }
  }
  REQUIRE(found > 1000);
  REQUIRE(with_bulges > 200);
}

TEST_CASE("the letters of a window, in both directions, are those of the text") {
  tests::RandomCases random(7);
  for (int round = 0; round < 200; ++round) {
    const std::string contig = random.contig(random.number(1, 400), 0.05);
    const sequence::Reference reference = tests::make_reference({contig});
    const std::uint64_t first = reference.contigs()[0].offset;
    const std::size_t begin = random.number(0, contig.size());
    const std::size_t length = random.number(0, contig.size() - begin);
    const bool ambiguous_matches = random.chance(0.5);
    sequence::TextWindow window;
    window.load(reference, static_cast<std::int64_t>(first + begin), length, ambiguous_matches);
    for (const bool backwards : {false, true}) {
      scan::GuideLetters letters;
      letters.assign(window, backwards);
      REQUIRE(letters.size() == length);
      for (std::size_t i = 0; i < length; ++i) {
        const char letter = contig[begin + (backwards ? length - 1 - i : i)];
        const unsigned set =
            sequence::base_code(letter) == sequence::kAmbiguous && !ambiguous_matches ? 0 : sequence::iupac_set(letter);
        for (unsigned code = 0; code < 4; ++code) {
          REQUIRE(((letters.plane(code)[i / 64] >> (i % 64)) & 1) == ((set >> code) & 1));
        }
      }
    }
  }
}
