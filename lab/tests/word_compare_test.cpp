// The comparison of words, 16 places at a time, as each thread of the GPU's kernel does it.
#include "lab/matchers/packed/word_compare.hpp"

#include <memory>
#include <string>

#include "lab/tests/exact_cases.hpp"
#include "tests/catch.hpp"

using namespace trawl;
using matchers::WordFilter;
using matchers::WordFilterKind;

namespace {

// The starts in [at, at + 16) that the filter reports. After the text comes what is likely to be taken for a match.
template <WordFilterKind kKind>
std::uint32_t starts_of(const WordFilter& filter, const std::string& padded, std::size_t at) {
  std::uint32_t words[WordFilter::kWords] = {};
  for (unsigned i = 0; i < 4 * WordFilter::kWords; ++i) {
    words[i / 4] |= std::uint32_t{static_cast<unsigned char>(padded[at + i])} << (8 * (i % 4));
  }
  const std::uint32_t starts = matchers::begins<kKind>(filter, words);
  REQUIRE(matchers::begins_anywhere<kKind>(filter, words) == (starts != 0));
  return starts;
}

// How many starts are reported without the pattern's part being there.
template <WordFilterKind kKind>
unsigned check_case(const tests::ExactCase& c, const matchers::WordCompare& table) {
  const WordFilter& filter = table.filter;
  const std::string part = c.pattern.substr(filter.offset, 8);
  const std::string padded = c.text + c.pattern + std::string(32, '\0');
  unsigned wrong = 0;
  for (std::size_t at = 0; at < c.text.size(); at += WordFilter::kStarts) {
    const std::uint32_t starts = starts_of<kKind>(filter, padded, at);
    for (unsigned i = 0; i < WordFilter::kStarts; ++i) {
      const bool is_there = padded.compare(at + i, part.size(), part) == 0;
      const bool reported = (starts >> i & 1) != 0;
      if (is_there && !reported) {
        FAIL("a place is missed");
      }
      wrong += reported && !is_there ? 1 : 0;
    }
  }
  return wrong;
}

unsigned wrong_starts(const tests::ExactCase& c) {
  const auto table = matchers::prepare_table<matchers::WordCompare>(c.pattern);
  REQUIRE(table->filter.offset + std::min<std::size_t>(8, c.pattern.size()) <= c.pattern.size());
  switch (matchers::word_filter_kind(table->pattern.m)) {
    case WordFilterKind::one_word:
      return check_case<WordFilterKind::one_word>(c, *table);
    case WordFilterKind::two_words:
      return check_case<WordFilterKind::two_words>(c, *table);
    case WordFilterKind::sums:
      return check_case<WordFilterKind::sums>(c, *table);
  }
  return 0;
}

}  // namespace

TEST_CASE("the comparison of words reports every place where the pattern's part begins") {
  std::uint64_t wrong = 0, places = 0;
  for (const unsigned m : tests::exact_lengths()) {
    for (const tests::ExactCase& c : tests::exact_cases(m)) {
      CAPTURE(m, c.kind);
      const unsigned here = wrong_starts(c);
      // A short pattern is compared in full, and nothing follows the comparison.
      REQUIRE((here == 0 || m >= 8));
      wrong += here;
      places += c.text.size();
    }
  }
  CAPTURE(wrong, places);
  REQUIRE(wrong * 1000 < places);
}

TEST_CASE("the comparison of words takes a varied part of the pattern") {
  const auto offset = [](const std::string& pattern) {
    return matchers::prepare_table<matchers::WordCompare>(pattern)->filter.offset;
  };
  REQUIRE(offset("GATTACA") == 0);
  REQUIRE(offset("AAAAAAAAAAAAAAAA") == 0);
  REQUIRE(offset("AAAAAAAAAAAAGCTA") == 7);
  REQUIRE(offset("        with the same words") > 3);
}
