// `trawl-bench exact`: the right result, what is reported for wrong ones, and its made texts.
#include <set>

#include "base/error.hpp"
#include "lab/bench_check.hpp"
#include "lab/bench_text.hpp"
#include "lab/matchers/sequential.hpp"
#include "tests/catch.hpp"

using namespace trawl;
using matchers::Output;

namespace {

std::vector<std::uint64_t> positions(const std::vector<std::uint8_t>& ends) {
  std::vector<std::uint64_t> list;
  for (std::size_t j = 0; j < ends.size(); ++j) {
    if (ends[j] != 0) {
      list.push_back(j);
    }
  }
  return list;
}

// Of a text of 70 characters in which matches end at 5, 6 and 69.
std::string fault(Output output, std::uint64_t count, const std::vector<std::uint8_t>& bytes,
                  const std::vector<std::uint64_t>& bits, const std::vector<std::uint64_t>& list) {
  return fault_of(lab::found_ends(output, 70, count, bytes, bits, list), output, {5, 6, 69});
}

}  // namespace

TEST_CASE("the expected ends are those of plain dynamic programming") {
  const std::string ones(3000, 'a');
  std::string pairs, almost(3000, 'a');
  for (int i = 0; i < 1500; ++i) {
    pairs += "ab";
  }
  for (std::size_t i = 97; i < almost.size(); i += 97) {
    almost[i] = 'b';
  }
  for (const std::string& text : {ones, pairs, almost, lab::made_text("dna", 3000, 3), std::string("a")}) {
    for (const std::string& pattern :
         {std::string("a"), std::string("aa"), std::string("ab"), std::string("aba"), std::string(50, 'a'),
          std::string(96, 'a') + "b", text, text + "a", text.substr(0, 3), text.substr(text.size() / 2)}) {
      CAPTURE(text.substr(0, 8), pattern);
      REQUIRE(lab::expected_ends(text, pattern) == positions(matchers::sequential_ends(text, pattern, 0)));
    }
  }
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
