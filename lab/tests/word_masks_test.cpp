// The masks of bit-parallel matchers, compared with their definitions: the bits that are left after a part of a window
// has been read are exactly the places of the pattern where this part occurs.
#include <memory>
#include <string>

#include "lab/matchers/backward_masks.hpp"
#include "lab/matchers/cpu_driver.hpp"
#include "lab/matchers/factorized_masks.hpp"
#include "lab/matchers/superimposed_masks.hpp"
#include "tests/catch.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;
using namespace trawl::matchers;

namespace {

std::string random_word(tests::RandomCases& random, std::size_t shortest, std::size_t longest, unsigned letters) {
  std::string word(random.number(shortest, longest), 'a');
  for (char& c : word) {
    c = static_cast<char>('a' + random.number(0, letters - 1));
  }
  return word;
}

unsigned char byte(char c) { return static_cast<unsigned char>(c); }

}  // namespace

TEST_CASE("backward masks keep the places of what was read", "[matchers]") {
  tests::RandomCases random(84);
  for (int n = 0; n < 300; ++n) {
    const std::string pattern = random_word(random, 4, 60, 2);
    const auto table = std::make_unique<BackwardSearch::Table>();
    BackwardSearch::prepare(pattern, *table);
    const std::string part = random_word(random, 4, 6, 2);
    std::uint64_t state = table->masks[byte(part.back())];
    for (std::size_t i = part.size() - 1; i-- > 0;) {
      state = (state << 1) & table->masks[byte(part[i])];
    }
    std::uint64_t expected = 0;
    for (std::size_t at = pattern.find(part); at != std::string::npos; at = pattern.find(part, at + 1)) {
      expected |= std::uint64_t{1} << (pattern.size() - 1 - at);
    }
    CAPTURE(pattern, part);
    REQUIRE(state == expected);
    const std::uint64_t gram = read_gram<4>(table->masks, HostText(part), 3);
    REQUIRE((gram != 0) == (pattern.find(part.substr(0, 4)) != std::string::npos));
    // The period is the smallest distance at which the pattern agrees with itself.
    std::size_t period = 1;
    while (pattern.compare(period, std::string::npos, pattern, 0, pattern.size() - period) != 0) {
      ++period;
    }
    REQUIRE(table->period == period);
  }
}

TEST_CASE("a factorized automaton ends where the pattern's prefix or its reverse ends", "[matchers]") {
  const auto example = std::make_unique<FactorizedMasks>();
  example->prepare("abacbca", false);  // ab acb ca
  REQUIRE(example->factors == 3);
  tests::RandomCases random(85);
  for (int n = 0; n < 300; ++n) {
    const bool backward = random.chance(0.5);
    const std::string pattern = random_word(random, 1, n % 3 == 0 ? 400 : 8, n % 2 == 0 ? 3 : 20);
    const auto masks = std::make_unique<FactorizedMasks>();
    masks->prepare(pattern, backward);
    REQUIRE(masks->factors <= 64);
    REQUIRE((masks->factors == 64 || masks->length == pattern.size()));
    std::string word = pattern.substr(0, masks->length);
    word = backward ? std::string(word.rbegin(), word.rend()) : word;
    // Reads suffixes of the word, some of them with one character changed.
    for (std::size_t first = 0; first < word.size(); ++first) {
      std::string part = word.substr(first);
      if (random.chance(0.5)) {
        part[random.number(0, part.size() - 1)] = static_cast<char>('a' + random.number(0, 20));
      }
      std::uint32_t c = masks->class_of[byte(part[0])];
      std::uint64_t state = masks->members[c];
      for (std::size_t i = 1; i < part.size(); ++i) {
        const std::uint32_t next = masks->class_of[byte(part[i])];
        state = masks->step(state, c, next);
        c = next;
      }
      CAPTURE(word, part);
      REQUIRE((state != 0) == (word.find(part) != std::string::npos));
      REQUIRE(((state & masks->lasts[c] & masks->whole()) != 0) == word.ends_with(part));
    }
  }
}

TEST_CASE("characters that share a bit leave the filter sharp", "[matchers]") {
  std::uint64_t masks[256];
  REQUIRE(fill_superimposed("abbb", masks, [](std::size_t i) { return i % 2; }) == 7.0 / 8);
  REQUIRE(masks['a'] == 1);
  REQUIRE(masks['b'] == 3);
  const auto share = [](const std::string& pattern) {
    std::uint64_t filled[256];
    return fill_shared(pattern.size(), [&](std::uint32_t pieces) {
      return fill_superimposed(std::string_view(pattern).substr(0, pieces * 64), filled,
                               [](std::size_t i) { return i % 64; });
    });
  };
  tests::RandomCases random(86);
  REQUIRE(share(std::string(4096, 'a')) == 1);
  REQUIRE(share(random_word(random, 64, 64, 4)) == 1);
  REQUIRE(share(random_word(random, 65, 65, 20)) == 2);
  REQUIRE(share(random_word(random, 4096, 4096, 4)) == 3);
  REQUIRE(share(random_word(random, 4096, 4096, 20)) > 10);
}
