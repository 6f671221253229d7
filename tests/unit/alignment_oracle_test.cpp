// Compares the oracle of alignments with all possible alignments, listed one by one.
#include "tests/alignment_oracle.hpp"

#include <functional>
#include <tuple>

#include "tests/catch.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;
using match::AmbiguityRule;
using match::OracleAlignment;
using match::OracleLocus;

namespace {

// All alignments of the read to letters of the text that cost `cost` and end in the run of ends.
std::vector<OracleAlignment> all_alignments(const std::string& read, const std::string& text, const OracleLocus& locus,
                                            AmbiguityRule rule) {
  std::vector<OracleAlignment> all;
  OracleAlignment now;
  const std::function<void(std::size_t, std::size_t, int)> go_on = [&](std::size_t i, std::size_t j, int left) {
    if (i == read.size() && left == 0 && locus.run_begin <= j && j <= locus.run_end) {
      now.end = j;
      all.push_back(now);
    }
    const auto step = [&](char letter, std::size_t reads, std::size_t texts, int cost) {
      if (i + reads <= read.size() && j + texts <= text.size() && cost <= left) {
        now.steps += letter;
        go_on(i + reads, j + texts, left - cost);
        now.steps.pop_back();
      }
    };
    if (i < read.size() && j < text.size()) {
      step('M', 1, 1, match::letters_match(read[i], text[j], rule) ? 0 : 1);
    }
    step('I', 1, 0, 1);
    step('D', 0, 1, 1);
  };
  for (std::size_t start = 0; start <= text.size(); ++start) {
    now = {start, start, ""};
    go_on(0, start, locus.distance);
  }
  return all;
}

// The rule as numbers: a smaller rank is better.
auto rank(const OracleAlignment& alignment) {
  const std::string& steps = alignment.steps;
  int gaps = 0;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    gaps += steps[k] != 'M' && (k == 0 || steps[k] != steps[k - 1]);
  }
  const int end_gaps = (steps.front() != 'M') + (steps.back() != 'M');
  std::string from_right;
  for (std::size_t k = steps.size(); k-- > 0;) {
    from_right += steps[k] == 'M' ? '0' : steps[k] == 'I' ? '1' : '2';
  }
  return std::make_tuple(gaps, end_gaps, from_right, alignment.end);
}

std::string text_of(const OracleAlignment& a) {
  return std::to_string(a.start) + "-" + std::to_string(a.end) + " " + a.steps;
}

std::string random_text(tests::RandomCases& random, std::size_t length, std::string_view letters) {
  std::string text;
  while (text.size() < length) {
    text += letters[random.number(0, letters.size() - 1)];
  }
  return text;
}

struct Counts {
  std::size_t loci = 0;
  std::size_t chosen_among_several = 0;
  std::size_t ends_elsewhere = 0;  // not at the locus' leftmost end
  std::size_t several_gaps = 0;
};

void check_against_all(tests::RandomCases& random, std::size_t cases, std::size_t longest_read,
                       std::size_t longest_text, std::string_view letters, AmbiguityRule rule, Counts& counts) {
  for (std::size_t n = 0; n < cases; ++n) {
    const std::string read = random_text(random, random.number(1, longest_read), letters);
    const std::string text = random_text(random, random.number(0, longest_text), letters);
    const int edits = static_cast<int>(random.number(0, 4));
    for (const auto& locus : match::oracle_loci(read, text, edits, rule)) {
      const auto all = all_alignments(read, text, locus, rule);
      INFO("case " << n << ": " << read << " in " << text << ", " << edits << " edits, end " << locus.end);
      REQUIRE(!all.empty());
      for (const auto& alignment : all) {
        REQUIRE(alignment.steps.front() != 'D');
        REQUIRE(alignment.steps.back() != 'D');
      }
      const auto expected =
          *std::min_element(all.begin(), all.end(), [](const auto& a, const auto& b) { return rank(a) < rank(b); });
      REQUIRE(text_of(match::best_alignment(read, text, locus, rule)) == text_of(expected));
      ++counts.loci;
      counts.chosen_among_several += all.size() > 1;
      counts.ends_elsewhere += expected.end != locus.end;
      counts.several_gaps += std::get<0>(rank(expected)) > 1;
    }
  }
}

// The alignment of the read's best locus.
OracleAlignment best_of(const std::string& read, const std::string& text, int edits) {
  const auto loci = match::oracle_loci(read, text, edits);
  const auto best =
      std::min_element(loci.begin(), loci.end(), [](const auto& a, const auto& b) { return a.distance < b.distance; });
  REQUIRE(best != loci.end());
  return match::best_alignment(read, text, *best);
}

}  // namespace

TEST_CASE("the oracle's alignment is the best of all that there are") {
  const std::uint64_t seed = 501;
  tests::RandomCases random(seed);
  INFO("seed " << seed);
  Counts counts;
  check_against_all(random, 6000, 7, 10, "AC", AmbiguityRule::matches_nothing, counts);
  check_against_all(random, 3000, 7, 12, "ACGT", AmbiguityRule::matches_nothing, counts);
  check_against_all(random, 1500, 7, 10, "ACN", AmbiguityRule::matches_nothing, counts);
  check_against_all(random, 1500, 6, 10, "ACNMY", AmbiguityRule::matches_its_set, counts);
  check_against_all(random, 300, 9, 14, "AC", AmbiguityRule::matches_nothing, counts);
  CHECK(counts.loci > 5000);
  CHECK(counts.chosen_among_several > 2000);
  CHECK(counts.ends_elsewhere > 100);
  CHECK(counts.several_gaps > 100);
}

TEST_CASE("each part of the rule for alignments") {
  // One gap instead of two; the leftmost position.
  CHECK(best_of("TCGACCGTAATTGACCGTCA", "TCGACCGTAATTAATTGACCGTCA", 4) ==
        OracleAlignment{0, 24, "MMMMMMMDDDDMMMMMMMMMMMMM"});
  CHECK(best_of("GCAAATCG", "TGCAAAATCGT", 1) == OracleAlignment{1, 10, "MMDMMMMMM"});
  CHECK(best_of("GCAAAAATCG", "TGCAAAATCGT", 1) == OracleAlignment{1, 10, "MMIMMMMMMM"});
  CHECK(best_of("GTCCAATCG", "TGTCCAAAATCGT", 2) == OracleAlignment{1, 12, "MMMMDDMMMMM"});
  // The last base differs: no gap there, although the locus' leftmost end would have one.
  CHECK(match::oracle_loci("ACGTGA", "TTACGTGCTT", 1)[0].end == 7);
  CHECK(best_of("ACGTGA", "TTACGTGCTT", 1) == OracleAlignment{2, 8, "MMMMMM"});
  // The same for the first base.
  CHECK(best_of("TACGTG", "CCACGTGCC", 1) == OracleAlignment{1, 7, "MMMMMM"});
  // At a contig's start and end there is no letter that the base could differ from.
  CHECK(best_of("TACGTG", "ACGTGCC", 1) == OracleAlignment{0, 5, "IMMMMM"});
  CHECK(best_of("ACGTGA", "CCACGTG", 1) == OracleAlignment{2, 7, "MMMMMI"});
}
