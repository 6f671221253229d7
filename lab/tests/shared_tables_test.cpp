// What exact matchers share, compared with its definition: automata, masks of bit-parallel matchers (the bits that are
// left after a part of a window has been read are the places of the pattern where this part occurs), and the shift by
// two characters.
#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include "lab/matchers/cpu_matchers.hpp"
#include "lab/matchers/exact/automata.hpp"
#include "lab/matchers/exact/bndm.hpp"
#include "lab/matchers/exact/shift_rules.hpp"
#include "lab/matchers/exact/word_masks.hpp"
#include "tests/catch.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;
using namespace trawl::matchers;

namespace {

constexpr std::uint32_t kRows = 64;
using Automaton = TransitionTable<kRows>;

std::unique_ptr<Automaton> automaton_for(const std::string& word) {
  auto table = std::make_unique<Automaton>();
  table->set_letters(word);
  return table;
}

// Calls f for all words of up to `longest` letters a and b; if `letters` is 3, also c.
template <class F>
void for_each_word(std::size_t longest, char letters, F&& f) {
  std::set<std::string> words = {""};
  for (std::size_t length = 1; length <= longest; ++length) {
    std::set<std::string> longer;
    for (const std::string& word : words) {
      for (char c = 'a'; c < 'a' + letters; ++c) {
        f(*longer.insert(word + c).first);
      }
    }
    words = std::move(longer);
  }
}

// The state after `word`, as add_suffix_automaton() and add_reversed_oracle() number them, with its mark; 0: none.
std::uint16_t read(const Automaton& table, const std::string& word) {
  std::uint16_t cell = 0;
  for (const char c : word) {
    cell = table.at(cell & kStateBits, static_cast<unsigned char>(c));
    if (cell == 0) {
      break;
    }
  }
  return cell;
}

std::string random_word(tests::RandomCases& random, std::size_t shortest, std::size_t longest, unsigned letters) {
  std::string word(random.number(shortest, longest), 'a');
  for (char& c : word) {
    c = static_cast<char>('a' + random.number(0, letters - 1));
  }
  return word;
}

unsigned char byte(char c) { return static_cast<unsigned char>(c); }

}  // namespace

TEST_CASE("the suffix automaton reads the factors, and marks the suffixes", "[matchers]") {
  for_each_word(8, 2, [](const std::string& word) {
    const auto table = automaton_for(word);
    const SuffixStates states = add_marked_suffix_automaton(word, *table);
    REQUIRE(states.length.size() <= std::max<std::size_t>(2, 2 * word.size() - 1));
    for_each_word(word.size(), 3, [&](const std::string& part) {
      const std::uint16_t cell = read(*table, part);
      const std::size_t at = word.find(part);
      const std::size_t state = cell & kStateBits;
      const bool suffix = at != word.npos && word.compare(word.size() - part.size(), part.size(), part) == 0;
      const bool right = (cell != 0) == (at != word.npos) && ((cell & kSuffixMark) != 0) == suffix &&
                         (cell == 0 || (states.end[state] == at + part.size() && states.length[state] >= part.size() &&
                                        states.length[states.link[state]] < part.size()));
      if (!right) {
        CAPTURE(word, part);
        FAIL("a factor is not read, or its state is wrong");
      }
    });
  });
}

TEST_CASE("the oracle reads the factors, and no other word of the pattern's length", "[matchers]") {
  for_each_word(8, 2, [](const std::string& pattern) {
    const auto table = automaton_for(pattern);
    add_reversed_oracle(pattern, *table);
    const std::string word = reversed(pattern);
    for_each_word(word.size() + 1, 3, [&](const std::string& part) {
      const bool reads = read(*table, part) != 0;
      if ((word.find(part) != word.npos && !reads) || (part.size() >= word.size() && reads && part != word)) {
        CAPTURE(pattern, part);
        FAIL("the oracle is wrong");
      }
    });
  });
}

TEST_CASE("backward masks keep the places of what was read", "[matchers]") {
  tests::RandomCases random(84);
  for (int n = 0; n < 300; ++n) {
    const std::string pattern = random_word(random, 4, 60, 2);
    const auto table = std::make_unique<BackwardSearch>();
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

TEST_CASE("a pair shift is the smallest that agrees with both characters", "[matchers]") {
  tests::RandomCases random(83);
  const auto shift = std::make_unique<PairShift>();
  for (int n = 0; n < 200; ++n) {
    const std::string pattern = random_word(random, 1, 12, 3);
    const std::size_t m = pattern.size();
    const std::size_t at = m >= 2 && n % 2 == 0 ? m - 2 : m;
    shift->set(pattern, at);
    for (const char first : std::string("abcx")) {
      for (const char second : std::string("abcx")) {
        // Whether the pattern, moved to the right by s, has c at place i of the window, or does not lie there.
        const auto agrees = [&](std::size_t s, std::size_t i, char c) {
          return i < s || i - s >= m || pattern[i - s] == c;
        };
        std::size_t smallest = 1;
        while (!agrees(smallest, at, first) || !agrees(smallest, at + 1, second)) {
          ++smallest;
        }
        CAPTURE(pattern, at, first, second);
        REQUIRE((*shift)(static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(second)) == smallest);
      }
    }
  }
}
