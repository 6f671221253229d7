// The automata that exact matchers share, compared with their definitions.
#include <memory>
#include <set>
#include <string>

#include "lab/matchers/factor_oracle.hpp"
#include "lab/matchers/string_automaton.hpp"
#include "lab/matchers/suffix_automaton.hpp"
#include "tests/catch.hpp"

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

TEST_CASE("the string automaton is in the state of the longest prefix", "[matchers]") {
  for_each_word(6, 2, [](const std::string& word) {
    const auto table = automaton_for(word);
    table->add_rows(3);
    const std::uint32_t row = add_string_automaton(word, *table);
    for_each_word(word.size() + 2, 3, [&](const std::string& text) {
      std::uint32_t state = 0;
      for (const char c : text) {
        state = table->at(row + state, static_cast<unsigned char>(c));
      }
      std::size_t longest = std::min(word.size(), text.size());
      while (text.compare(text.size() - longest, longest, word, 0, longest) != 0) {
        --longest;
      }
      if (state != longest) {
        CAPTURE(word, text, state, longest);
        FAIL("not the longest prefix");
      }
    });
  });
}

TEST_CASE("a table of transitions has room for all letters", "[matchers]") {
  std::string letters;
  for (unsigned c = 0; c < 256; ++c) {
    letters += static_cast<char>(c);
    const auto table = automaton_for(letters);
    REQUIRE(table->row_cells() > std::min(c + 1, 255u));
    table->add_rows(2);
    for (const char letter : letters) {
      table->cell(1, letter) = static_cast<std::uint16_t>(1 + static_cast<unsigned char>(letter));
    }
    for (unsigned other = 0; other < 256; ++other) {
      REQUIRE(table->at(1, static_cast<unsigned char>(other)) == (other <= c ? other + 1 : 0));
      REQUIRE(table->at(0, static_cast<unsigned char>(other)) == 0);
    }
    REQUIRE(table->unused_bytes() == (kRows * 256 - 2 * table->row_cells()) * 2);
  }
}
