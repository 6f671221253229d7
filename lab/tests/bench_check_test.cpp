// What `trawl-bench` takes for right, what it reports for wrong results, and its made texts.
#include "lab/bench_check.hpp"

#include <set>

#include "base/error.hpp"
#include "lab/tests/hostile_text.hpp"
#include "tests/catch.hpp"

using namespace trawl;
using matchers::Output;
using matchers::PatternSet;
using matchers::SetFound;
using matchers::SetMatch;
using matchers::SetOutput;

namespace {

// Ends as an algorithm would return them; the tests put errors in.
struct Ends {
  std::vector<std::uint8_t> values;
  lab::FetchEnds fetch() const {
    return [this](std::uint64_t first, std::uint64_t count) {
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first);
      return std::vector<std::uint8_t>(begin, begin + static_cast<std::ptrdiff_t>(count));
    };
  }
};

// Of a text of 70 characters in which matches end at 5, 6 and 69.
std::string fault(Output output, std::uint64_t count, const std::vector<std::uint8_t>& bytes,
                  const std::vector<std::uint64_t>& bits, const std::vector<std::uint64_t>& list) {
  return fault_of(lab::found_ends(output, 70, count, bytes, bits, list), output, {5, 6, 69});
}

}  // namespace

TEST_CASE("the check of a long text sees matches, near misses and what is not written", "[long]") {
  constexpr std::uint64_t size = std::uint64_t{1} << 21;
  for (const unsigned sigma : {1u, 4u, 256u}) {
    for (const unsigned k : {0u, 2u}) {
      lab::BenchText text(size, sigma, 5);
      const std::string pattern = lab::cut_pattern(text, 48, k);
      text.plant(lab::plants_for(text, pattern, k));
      const std::string letters = text.characters();
      CAPTURE(sigma, k);
      const Ends right{matchers::sequential_ends(letters, pattern, k)};
      REQUIRE_NOTHROW(check_ends(text, pattern, k, right.fetch()));
      const Ends nothing{std::vector<std::uint8_t>(size, 0)};
      REQUIRE_THROWS_AS(check_ends(text, pattern, k, nothing.fetch()), Error);
      const Ends not_written{std::vector<std::uint8_t>(size, 0xFF)};
      REQUIRE_THROWS_AS(check_ends(text, pattern, k, not_written.fetch()), Error);
      if (sigma == 1) {
        continue;  // with any k everything matches
      }
      const Ends too_few{matchers::sequential_ends(letters, pattern, k == 0 ? 0 : k - 1)};
      const Ends too_many{matchers::sequential_ends(letters, pattern, k + 1)};
      REQUIRE((too_few.values == right.values) == (k == 0));
      REQUIRE_THROWS_AS(check_ends(text, pattern, k, too_many.fetch()), Error);
      // Each window contains matches, some of them across multiples of 512, and near misses.
      for (const lab::Window& window : lab::checked_windows(size)) {
        Ends spoilt = right;
        unsigned matches = 0, near_misses = 0, across = 0;
        for (std::uint64_t j = window.first; j < window.first + window.count; ++j) {
          matches += right.values[j];
          across += right.values[j] != 0 && j % 512 < 40;
          near_misses += right.values[j] == 0 && too_many.values[j] != 0;
          spoilt.values[j] = 0;
        }
        REQUIRE(matches >= 20);
        REQUIRE(near_misses >= 10);
        REQUIRE(across >= 5);
        REQUIRE_THROWS_AS(check_ends(text, pattern, k, spoilt.fetch()), Error);
      }
      REQUIRE(right.values.back() == 1);
    }
  }
}

TEST_CASE("a short text is checked from begin to end") {
  for (const std::uint64_t size : {std::uint64_t{48}, std::uint64_t{70000}}) {
    lab::BenchText text(size, 4, 6);
    const std::string pattern = lab::cut_pattern(text, 48, 1);
    text.plant(lab::plants_for(text, pattern, 1));
    const Ends right{matchers::sequential_ends(text.characters(), pattern, 1)};
    REQUIRE_NOTHROW(check_ends(text, pattern, 1, right.fetch()));
    for (std::uint64_t j = 0; j < size; j += size / 30 + 1) {
      Ends spoilt = right;
      spoilt.values[j] ^= 1;
      CAPTURE(size, j);
      REQUIRE_THROWS_AS(check_ends(text, pattern, 1, spoilt.fetch()), Error);
    }
  }
}

TEST_CASE("a substring that is not the nearest is refused") {
  constexpr std::uint64_t size = std::uint64_t{1} << 21;
  lab::BenchText text(size, 4, 7);
  const std::string pattern = lab::BenchText(30, 4, 8).characters();
  const std::string near = lab::changed_in_places(pattern, 2), further = lab::changed_in_places(pattern, 3);
  const auto& windows = lab::checked_windows(size);
  const std::uint64_t at = windows[1].first + 1000, later = windows[2].first + 1000;
  text.plant({{at, near}, {later, further}});
  const std::string letters = text.characters();
  const auto right = matchers::sequential_nearest(letters, pattern);
  REQUIRE(right.distance == 2);
  REQUIRE_NOTHROW(check_nearest(text, pattern, right));
  auto wrong = right;
  ++wrong.begin;
  REQUIRE_THROWS_AS(check_nearest(text, pattern, wrong), Error);
  wrong = right;
  wrong.distance = 1;
  REQUIRE_THROWS_AS(check_nearest(text, pattern, wrong), Error);
  wrong = matchers::sequential_nearest(letters.substr(later), pattern);
  wrong.begin += later;
  wrong.end += later;
  REQUIRE(wrong.distance == 3);
  REQUIRE_THROWS_AS(check_nearest(text, pattern, wrong), Error);
}

TEST_CASE("a pattern is changed in as many places as edits are allowed") {
  for (const std::string piece : {"ACGTACGTAC", "AAAAAAAAAC", "AC", "CAAAAAAAAA"}) {
    for (unsigned k = 0; k <= piece.size(); ++k) {
      const std::string changed = lab::changed_in_places(piece, k);
      unsigned differ = 0;
      for (std::size_t i = 0; i < piece.size(); ++i) {
        differ += changed[i] != piece[i];
      }
      REQUIRE(differ == k);
    }
  }
  REQUIRE(lab::changed_in_places("AAAA", 2) == "AAAA");
}

TEST_CASE("the expected ends cross the borders of the parts that threads search") {
  constexpr std::uint64_t border = std::uint64_t{1} << 22;
  std::string text(border * 2 + 10, 'x');
  const std::string pattern = "abcab";
  std::vector<std::uint64_t> expected;
  for (const std::uint64_t begin : {border - 9, border - 6, border - 3, border, 2 * border + 5}) {
    text.replace(begin, pattern.size(), pattern);
    expected.push_back(begin + pattern.size() - 1);
  }
  REQUIRE(lab::expected_ends(text, pattern) == expected);
}

TEST_CASE("a wrong result is reported, whatever its form, with where it differs first") {
  std::vector<std::uint8_t> bytes(70, 0);
  bytes[5] = bytes[6] = bytes[69] = 1;
  const std::vector<std::uint64_t> bits = {std::uint64_t{3} << 5, std::uint64_t{1} << 5};
  REQUIRE(fault(Output::bytes, 3, bytes, {}, {}).empty());
  REQUIRE(fault(Output::bits, 3, {}, bits, {}).empty());
  REQUIRE(fault(Output::list, 3, {}, {}, {5, 6, 69}).empty());
  REQUIRE(fault(Output::count, 3, {}, {}, {}).empty());
  const std::string form = "its result has another size than the text, or another form";
  REQUIRE(fault(Output::count, 3, {}, {}, {5, 6, 69}) == form);
  REQUIRE(fault(Output::bits, 3, {}, {bits[0]}, {}) == form);
  REQUIRE(fault(Output::count, 2, {}, {}, {}) == "finds 2 matches where a hash table finds 3");
  REQUIRE(fault(Output::list, 3, {}, {}, {5, 7, 69}) == "match 2 ends at position 7, and at 6 for a hash table");
  REQUIRE(fault(Output::list, 3, {}, {}, {6, 5, 69}) == "match 1 ends at position 6, and at 5 for a hash table");
  REQUIRE(fault(Output::list, 2, {}, {}, {5, 6}) ==
          "finds 2 matches where a hash table finds 3; match 3 ends at position 69 for a hash table, and is not there");
  REQUIRE(fault(Output::list, 3, {}, {}, {5, 6, 69, 69}) ==
          "match 4 ends at position 69, and a hash table has no more");
  REQUIRE(fault(Output::bits, 3, {}, {std::uint64_t{3} << 4, bits[1]}, {}) ==
          "match 1 ends at position 4, and at 5 for a hash table");
  bytes[6] = 0;
  REQUIRE(fault(Output::bytes, 3, bytes, {}, {}) == "match 2 ends at position 69, and at 6 for a hash table");
  bytes[6] = 0xFF;
  REQUIRE(fault(Output::bytes, 3, bytes, {}, {}) == "a byte is not 0 or 1");
  REQUIRE_THROWS_AS(lab::check_found("a matcher", {2, {}}, Output::count, {5, 6, 69}), Error);
}

TEST_CASE("a made text depends on its kind and seed, and a longer one begins with the shorter one") {
  for (const std::string kind : {"english", "protein", "dna"}) {
    CAPTURE(kind);
    const std::string text = lab::made_text(kind, 200'000, 1);
    REQUIRE(text.size() == 200'000);
    for (const std::uint64_t size : {1, 65'536, 65'537, 131'000}) {
      REQUIRE(lab::made_text(kind, size, 1) == text.substr(0, size));
    }
    REQUIRE(lab::made_text(kind, 200'000, 2) != text);
    REQUIRE(text.substr(0, 65'536) != text.substr(65'536, 65'536));
  }
  const auto letters = [](const std::string& text) { return std::set<char>(text.begin(), text.end()).size(); };
  REQUIRE(letters(lab::made_text("dna", 10'000, 1)) == 4);
  REQUIRE(letters(lab::made_text("protein", 10'000, 1)) == 20);
  REQUIRE(letters(lab::made_text("english", 100'000, 1)) > 40);
}

TEST_CASE("the expected result of a set is that of comparing every window") {
  tests::RandomCases random(161);
  for (int n = 0; n < 100; ++n) {
    const unsigned sigma = random.chance(0.5) ? 2 : 256;
    std::vector<std::string> patterns;
    for (std::size_t i = random.number(1, 30); i > 0; --i) {
      patterns.push_back(tests::random_letters(random, random.number(1, 9), sigma));
    }
    const std::string text = tests::hostile_text(random, patterns[0], random.number(0, 2000), sigma);
    const PatternSet set(patterns);
    const std::uint64_t stretch = random.number(1, 300);
    std::vector<SetMatch> matches;
    std::vector<std::uint64_t> of_patterns(set.size()), of_stretches((text.size() + stretch - 1) / stretch);
    for (std::size_t j = 0; j < text.size(); ++j) {
      for (std::uint32_t p = 0; p < set.size(); ++p) {
        if (std::string_view(text).substr(0, j + 1).ends_with(set[p])) {
          matches.push_back({j, p});
          ++of_patterns[p];
          ++of_stretches[j / stretch];
        }
      }
    }
    std::vector<std::uint64_t> of_first;
    for (const SetMatch& match : matches) {
      if (set[match.pattern] == patterns[0]) {
        of_first.push_back(match.end);
      }
    }
    CAPTURE(n, sigma, text.size(), set.size(), stretch);
    REQUIRE(lab::expected_ends(text, patterns[0]) == of_first);
    const lab::ExpectedSet expected = lab::expected_set(text, set, stretch);
    REQUIRE(expected.count == matches.size());
    REQUIRE(expected.digest == lab::digest_of(matches));
    REQUIRE((expected.patterns == of_patterns));
    REQUIRE((expected.stretches == of_stretches));
  }
}

TEST_CASE("a long text has the same expected result as its parts") {
  tests::RandomCases random(162);
  const std::string text = tests::random_letters(random, 600'000, 4);
  const PatternSet set({text.substr(5, 6), text.substr((1u << 18) - 4, 8), text.substr((1u << 18) - 1, 2)});
  std::vector<std::uint64_t> of_patterns(set.size());
  for (std::uint32_t p = 0; p < set.size(); ++p) {
    for (std::size_t at = text.find(set[p]); at != std::string::npos; at = text.find(set[p], at + 1)) {
      ++of_patterns[p];
    }
  }
  REQUIRE((lab::expected_set(text, set, 4096).patterns == of_patterns));
}

TEST_CASE("each wrong result of a set is reported") {
  const PatternSet set({"AC", "CA"});
  const std::string text = "ACACCA";
  const lab::ExpectedSet expected = lab::expected_set(text, set, 4);
  SetFound right;
  right.count = 4;
  right.patterns = {2, 2};
  right.stretches = {3, 1};
  right.positions = {{1, 0}, {2, 1}, {3, 0}, {5, 1}};
  right.stretch = 4;
  const auto check = [&](const SetFound& found, SetOutput output) {
    lab::check_set("a matcher", found, output, expected, 4, lab::digest_of(found.positions));
  };
  using enum SetOutput;
  for (const SetOutput output : {count, stretches, patterns, positions}) {
    REQUIRE_NOTHROW(check(right, output));
    SetFound wrong = right;
    wrong.count = 5;
    REQUIRE_THROWS_AS(check(wrong, output), Error);
  }
  const auto rejects = [&](SetOutput output, auto&& change) {
    SetFound wrong = right;
    change(wrong);
    REQUIRE_THROWS_AS(check(wrong, output), Error);
  };
  rejects(patterns, [](SetFound& f) { f.patterns = {1, 3}; });
  rejects(patterns, [](SetFound& f) { f.patterns = {2}; });
  rejects(stretches, [](SetFound& f) { f.stretches = {2, 2}; });
  rejects(positions, [](SetFound& f) { f.positions[1].end = 4; });
  rejects(positions, [](SetFound& f) { f.positions[1].pattern = 0; });
  rejects(positions, [](SetFound& f) { f.positions.pop_back(); });
  rejects(positions, [](SetFound& f) { f.positions[3] = f.positions[2]; });
}
