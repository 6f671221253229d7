// What `trawl-bench` takes for right, what it reports for wrong results, and its made texts.
#include "lab/bench_check.hpp"

#include <set>

#include "base/error.hpp"
#include "lab/matchers/sequential.hpp"
#include "lab/tests/hostile_text.hpp"
#include "tests/catch.hpp"

using namespace trawl;
using matchers::PatternSet;
using matchers::SetFound;
using matchers::SetOutput;

namespace {

std::vector<std::uint64_t> positions_of(const std::vector<std::uint8_t>& bytes) {
  std::vector<std::uint64_t> positions;
  for (std::uint64_t j = 0; j < bytes.size(); ++j) {
    if (bytes[j] != 0) {
      positions.push_back(j);
    }
  }
  return positions;
}

}  // namespace

TEST_CASE("the expected ends are those of plain dynamic programming") {
  tests::RandomCases random(160);
  for (int n = 0; n < 600; ++n) {
    const unsigned sigmas[] = {1, 2, 4, 60, 256};
    const auto [text, pattern] =
        tests::hostile_case(random, random.number(1, random.chance(0.8) ? 40 : 300), 2000, sigmas[random.number(0, 4)]);
    const auto k = static_cast<unsigned>(random.chance(0.3) ? 0 : random.number(0, pattern.size() + 2));
    CAPTURE(n, k, pattern.size(), text.size());
    const auto bytes = matchers::sequential_ends(text, pattern, k);
    const auto expected = positions_of(bytes);
    REQUIRE(lab::ends_of(text, pattern, k) == expected);
    REQUIRE(lab::digest_of_ends(text, pattern, k) == lab::digest_of(expected));
    REQUIRE(lab::digest_of(bytes) == lab::digest_of(expected));
  }
}

TEST_CASE("the expected ends cross the borders of the parts that threads search") {
  constexpr std::uint64_t border = std::uint64_t{1} << 18;
  std::string text(border * 2 + 10, 'x');
  std::vector<std::uint64_t> expected;
  for (const std::uint64_t begin : {border - 9, border - 6, border - 3, border, 2 * border + 5}) {
    text.replace(begin, 5, "abcab");
    expected.push_back(begin + 4);
  }
  REQUIRE(lab::digest_of_ends(text, "abcab", 0) == lab::digest_of(expected));
  REQUIRE(lab::digest_of_ends(text, "abcaba", 1).count > expected.size());
}

TEST_CASE("a random text gets matches, near misses and matches across borders") {
  constexpr std::uint64_t size = std::uint64_t{1} << 21;
  for (const unsigned sigma : {4u, 256u}) {
    for (const unsigned k : {0u, 2u}) {
      lab::BenchText text(size, sigma, 5);
      const std::string pattern = lab::cut_pieces(text, {48, 48}, 1, false, 1).front();
      text.plant(lab::plants_for(text, pattern, k));
      CAPTURE(sigma, k);
      const auto ends = lab::ends_of(text.characters(), pattern, k);
      const auto more = lab::ends_of(text.characters(), pattern, k + 1);
      REQUIRE(ends.size() >= 80);
      REQUIRE(more.size() >= ends.size() + 40);
      REQUIRE(std::ranges::count_if(ends, [](std::uint64_t j) { return j % 512 < 40; }) >= 20);
      REQUIRE(ends.back() == size - 1);
    }
  }
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

TEST_CASE("a wrong result is reported, whatever its form") {
  std::vector<std::uint8_t> bytes(70, 0);
  bytes[5] = bytes[6] = bytes[69] = 1;
  const auto expected = lab::digest_of(std::vector<std::uint64_t>{5, 6, 69});
  const auto check = [&](const matchers::EndsDigest& found) { lab::check_ends("a matcher", found, expected); };
  REQUIRE_NOTHROW(check(lab::digest_of(bytes)));
  REQUIRE_THROWS_WITH(check({2, expected.hash}),
                      "a matcher: finds 2 matches where plain dynamic programming finds 3; please report this");
  REQUIRE_THROWS_AS(check(lab::digest_of(std::vector<std::uint64_t>{5, 7, 69})), Error);
  for (const std::uint8_t wrong : {0xFF, 0}) {
    bytes[6] = wrong;
    REQUIRE_THROWS_AS(check(lab::digest_of(bytes)), Error);
  }
  bytes[7] = 1;
  REQUIRE_THROWS_AS(check(lab::digest_of(bytes)), Error);
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
    const bool is_long = n == 0;
    const unsigned sigma = is_long ? 4 : random.chance(0.5) ? 2 : 256;
    std::vector<std::string> patterns;
    for (std::size_t i = random.number(1, 30); i > 0; --i) {
      patterns.push_back(tests::random_letters(random, random.number(1, 9), sigma));
    }
    const std::string text = is_long ? tests::random_letters(random, 600'000, sigma)
                                     : tests::hostile_text(random, patterns[0], random.number(0, 2000), sigma);
    const PatternSet set(patterns);
    const std::uint64_t stretch = random.number(1, 300);
    std::uint64_t count = 0;
    std::vector<std::uint64_t> of_patterns(set.size()), of_stretches((text.size() + stretch - 1) / stretch);
    for (std::uint32_t p = 0; p < set.size(); ++p) {
      for (std::size_t at = text.find(set[p]); at != std::string::npos; at = text.find(set[p], at + 1)) {
        ++count;
        ++of_patterns[p];
        ++of_stretches[(at + set[p].size() - 1) / stretch];
      }
    }
    CAPTURE(n, sigma, text.size(), set.size(), stretch);
    const lab::ExpectedSet expected = lab::expected_set(text, set, stretch);
    REQUIRE(expected.count == count);
    REQUIRE((expected.patterns == of_patterns));
    REQUIRE((expected.stretches == of_stretches));
  }
}

TEST_CASE("each wrong result of a set is reported") {
  const lab::ExpectedSet expected = lab::expected_set("ACACCA", PatternSet({"AC", "CA"}), 4);
  SetFound right;
  right.count = 4;
  right.patterns = {2, 2};
  right.stretches = {3, 1};
  right.stretch = 4;
  const auto rejects = [&](SetOutput output, auto&& change) {
    REQUIRE_NOTHROW(lab::check_set("a matcher", right, output, expected, 4));
    SetFound wrong = right;
    change(wrong);
    REQUIRE_THROWS_AS(lab::check_set("a matcher", wrong, output, expected, 4), Error);
  };
  using enum SetOutput;
  for (const SetOutput output : {count, stretches, patterns}) {
    rejects(output, [](SetFound& f) { f.count = 5; });
  }
  rejects(patterns, [](SetFound& f) { f.patterns = {1, 3}; });
  rejects(patterns, [](SetFound& f) { f.patterns = {2}; });
  rejects(stretches, [](SetFound& f) { f.stretches = {2, 2}; });
}
