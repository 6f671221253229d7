// Compares every matcher of sets (src/matchers/sets/list.txt) with an oracle: a hash table of words for each length.
#include <map>
#include <set>
#include <unordered_map>

#include "base/error.hpp"
#include "matchers/sets/cpu_set_matchers.hpp"
#include "tests/catch.hpp"
#include "tests/guarded_text.hpp"
#include "tests/hostile_text.hpp"

using namespace trawl;
using matchers::cpu_set_matchers;
using matchers::CpuSetMatcher;
using matchers::PatternSet;
using matchers::SetMatch;
using matchers::SetOutput;
using Patterns = std::vector<std::string>;

namespace {

// All occurrences, by end, then by pattern.
std::vector<SetMatch> expected_matches(std::string_view text, const PatternSet& set) {
  std::map<std::size_t, std::unordered_map<std::string_view, std::uint32_t>> words;  // of each length
  for (std::uint32_t p = 0; p < set.size(); ++p) {
    words[set[p].size()].emplace(set[p], p);
  }
  std::vector<SetMatch> matches;
  for (std::size_t j = 0; j < text.size(); ++j) {
    for (const auto& [length, of_length] : words) {
      if (length <= j + 1) {
        const auto found = of_length.find(text.substr(j + 1 - length, length));
        if (found != of_length.end()) {
          matches.push_back({j, found->second});
        }
      }
    }
  }
  std::sort(matches.begin(), matches.end());
  return matches;
}

void check(const matchers::PreparedSet& prepared, std::string_view text, const PatternSet& set,
           const std::vector<SetMatch>& expected, const matchers::SetWork& work) {
  auto how = work;
  CAPTURE(how.all_threads, how.stretch);
  how.output = SetOutput::positions;
  const auto positions = prepared.search(text, how);
  REQUIRE(positions.count == expected.size());
  REQUIRE((positions.positions == expected));

  how.output = SetOutput::count;
  REQUIRE(prepared.search(text, how).count == expected.size());

  how.output = SetOutput::patterns;
  std::vector<std::uint64_t> of_patterns(set.size());
  for (const SetMatch& match : expected) {
    ++of_patterns[match.pattern];
  }
  const auto by_pattern = prepared.search(text, how);
  REQUIRE(by_pattern.count == expected.size());
  REQUIRE((by_pattern.patterns == of_patterns));

  if (how.stretch != 0) {
    how.output = SetOutput::stretches;
    std::vector<std::uint64_t> of_stretches((text.size() + how.stretch - 1) / how.stretch);
    for (const SetMatch& match : expected) {
      ++of_stretches[match.end / how.stretch];
    }
    const auto by_stretch = prepared.search(text, how);
    REQUIRE(by_stretch.count == expected.size());
    REQUIRE((by_stretch.stretches == of_stretches));
  }
}

// Every matcher, in the whole text and in stretches of many sizes.
void check_all(const Patterns& patterns, const std::string& text, std::uint64_t stretch) {
  const PatternSet set(patterns);
  const auto expected = expected_matches(text, set);
  const tests::GuardedText at_end(text, tests::GuardedText::At::end);
  const tests::GuardedText at_begin(text, tests::GuardedText::At::begin);
  for (const CpuSetMatcher& matcher : cpu_set_matchers()) {
    CAPTURE(matcher.facts->name, set.size(), set.shortest(), set.longest(), text.size());
    const auto prepared = matcher.prepare(set);
    check(*prepared, at_end.view(), set, expected, {});
    check(*prepared, at_begin.view(), set, expected, {});
    check(*prepared, at_end.view(), set, expected, {.stretch = 1});
    check(*prepared, at_begin.view(), set, expected, {.stretch = stretch});
    check(*prepared, at_end.view(), set, expected, {.all_threads = true, .stretch = stretch});
    check(*prepared, at_end.view(), set, expected, {.all_threads = true});
  }
}

// Pieces of the patterns, copies with edits, and random letters.
std::string text_with(tests::RandomCases& random, const Patterns& patterns, std::size_t length, unsigned sigma) {
  std::string text;
  while (text.size() < length) {
    const std::string& pattern = patterns[random.number(0, patterns.size() - 1)];
    switch (random.number(0, 4)) {
      case 0:
        text += pattern;
        break;
      case 1:
        text += tests::mutate_letters(random, pattern, 1, sigma);
        break;
      case 2:
        text += pattern.substr(random.number(0, pattern.size() - 1));
        break;
      default:
        text += tests::random_letters(random, random.number(1, 40), sigma);
    }
  }
  text.resize(length);
  return text;
}

Patterns random_patterns(tests::RandomCases& random, unsigned sigma) {
  Patterns patterns;
  const std::size_t count = random.chance(0.1) ? 1 : random.number(1, random.chance(0.1) ? 3000 : 60);
  const std::size_t longest = random.chance(0.2) ? random.number(1, 4) : random.number(1, 40);
  const std::size_t shortest = random.chance(0.5) ? longest : random.number(1, longest);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t m = random.number(shortest, longest);
    if (!patterns.empty() && random.chance(0.3)) {  // shares a part with another one, or is the same
      std::string other = patterns[random.number(0, patterns.size() - 1)];
      other.resize(std::max<std::size_t>(1, std::min(m, random.number(1, other.size()))));
      patterns.push_back(tests::random_letters(random, m - std::min(m, other.size()), sigma) + other);
    } else {
      patterns.push_back(tests::random_letters(random, m, sigma));
    }
  }
  return patterns;
}

std::string letters_of(std::string text, const char* letters) {
  for (char& c : text) {
    c = letters[static_cast<unsigned char>(c)];
  }
  return text;
}

}  // namespace

TEST_CASE("the list of matchers of sets has names of their own", "[sets]") {
  std::set<std::string> names;
  for (const CpuSetMatcher& matcher : cpu_set_matchers()) {
    const std::string name = matcher.facts->name;
    CAPTURE(name);
    REQUIRE(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos);
    REQUIRE(names.insert(name).second);
    REQUIRE(!std::string(matcher.facts->title).empty());
    REQUIRE(matcher.facts->year >= 1975);
  }
  REQUIRE(names.count("aho-corasick") == 1);
  REQUIRE(names.count("aho-corasick-full") == 1);
  REQUIRE(names.count("wu-manber") == 1);
}

TEST_CASE("a set of patterns has each of them once, in order", "[sets]") {
  const PatternSet set({"GATTACA", "ACA", "GATTACA", "AC", "\xFF", "ACA"});
  REQUIRE(set.size() == 4);
  REQUIRE(set.given() == 6);
  REQUIRE(set.shortest() == 1);
  REQUIRE(set.longest() == 7);
  REQUIRE(Patterns{std::string(set[0]), std::string(set[1]), std::string(set[2]), std::string(set[3])} ==
          Patterns{"AC", "ACA", "GATTACA", "\xFF"});
  const std::uint32_t numbers[] = {2, 1, 2, 0, 3, 1};
  for (std::size_t i = 0; i < set.given(); ++i) {
    REQUIRE(set.number_of(i) == numbers[i]);
  }
  REQUIRE_THROWS_AS(PatternSet({}), UsageError);
  REQUIRE_THROWS_AS(PatternSet({"ACA", ""}), UsageError);
}

TEST_CASE("every matcher of sets finds what the oracle finds", "[sets]") {
  tests::RandomCases random(151);
  for (int n = 0; n < 400; ++n) {
    const unsigned sigmas[] = {1, 2, 4, 20, 256};
    const unsigned sigma = sigmas[random.number(0, 4)];
    auto patterns = random_patterns(random, sigma);
    auto text = text_with(random, patterns, random.chance(0.1) ? random.number(0, 10) : random.number(1, 1500), sigma);
    if (sigma == 4) {  // DNA, with other characters in the text only
      for (std::string& pattern : patterns) {
        pattern = letters_of(pattern, "ACGT");
      }
      text = letters_of(text, "ACGT");
      for (std::size_t i = 0; i < text.size() / 50; ++i) {
        text[random.number(0, text.size() - 1)] = "NaB\xFF"[random.number(0, 3)];
      }
    }
    CAPTURE(n, sigma);
    check_all(patterns, text, random.number(2, 200));
  }
}

TEST_CASE("matchers of sets meet hostile sets", "[sets]") {
  tests::RandomCases random(152);
  const std::string poly(300, 'A');
  Patterns prefixes, rotations, words, ends;
  const std::string word = letters_of(tests::random_letters(random, 33, 4), "ACGT");
  for (std::size_t m = 1; m <= word.size(); ++m) {
    prefixes.push_back(word.substr(0, m));
    ends.push_back(word.substr(word.size() - m));
    rotations.push_back(word.substr(m) + word.substr(0, m));
  }
  for (unsigned w = 0; w < 256; ++w) {  // all words of 4 letters
    words.push_back({"ACGT"[w >> 6], "ACGT"[w >> 4 & 3], "ACGT"[w >> 2 & 3], "ACGT"[w & 3]});
  }
  std::string repeated;
  for (int i = 0; i < 12; ++i) {
    repeated += word;
  }
  check_all(prefixes, repeated + poly + word, 17);
  check_all(ends, repeated + poly + word, 17);
  check_all(rotations, repeated + poly + word, 17);
  check_all(words, repeated + poly + word, 17);
  check_all({"A", "AA", "AAA", "AAAAAAAA", std::string(200, 'A')}, poly + "C" + poly, 13);
  check_all({std::string(200, 'A'), std::string(199, 'A') + "C", "C" + std::string(199, 'A')}, poly + "C" + poly, 13);
  check_all(Patterns(50, "ACAC"), "ACACACACAC", 3);
  check_all({"A"}, "", 1);
  check_all({"A"}, "A", 1);
  check_all({"ACGT", "CGTA"}, "ACG", 1);
  check_all({"he", "she", "his", "hers"}, "ushers, hishe", 2);
  check_all({std::string("\0\0", 2), std::string("\0", 1)}, std::string(20, '\0'), 3);
}

TEST_CASE("a window of more than 255 characters shifts in more than one step", "[sets]") {
  tests::RandomCases random(153);
  const auto patterns = Patterns{letters_of(tests::random_letters(random, 1000, 4), "ACGT"),
                                 letters_of(tests::random_letters(random, 700, 4), "ACGT")};
  std::string text;
  for (int i = 0; i < 5; ++i) {
    text += std::string(random.number(0, 900), 'N') + patterns[i % 2];
  }
  check_all(patterns, text, 333);
}
