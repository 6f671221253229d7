// Cases for the exact matchers, on the CPU and on a GPU: patterns of the lengths where code takes another path, in
// texts that were made to break one kind of algorithm or another, with the positions where a match ends.
//
//   for (const unsigned m : exact_lengths()) {
//     for (const ExactCase& c : exact_cases(m)) { search c.text for c.pattern; expect c.ends; }
//   }
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "lab/bench_check.hpp"
#include "lab/tests/hostile_text.hpp"

namespace trawl::tests {

struct ExactCase {
  std::string kind;  // of the text
  std::string text;
  std::string pattern;
  std::vector<std::uint64_t> ends;  // text positions where a match ends, ascending
};

/// 1 to 130, and others around powers of two, up to the longest pattern.
inline std::vector<unsigned> exact_lengths() {
  std::vector<unsigned> lengths(130);
  std::iota(lengths.begin(), lengths.end(), 1u);
  lengths.insert(lengths.end(), {255, 256, 257, 258, 1023, 1024, 1025, 4096});
  return lengths;
}

/// What is wrong with a result; empty if nothing is.
inline std::string fault_of(const std::vector<std::uint64_t>& found, const std::vector<std::uint64_t>& expected) {
  if (found == expected) {
    return "";
  }
  const auto differ = std::mismatch(found.begin(), found.end(), expected.begin(), expected.end());
  return "finds " + std::to_string(found.size()) + " matches in place of " + std::to_string(expected.size()) +
         "; match " + std::to_string(differ.first - found.begin()) + " is another one";
}

namespace internal {

/// Makes the texts for patterns of m characters.
class ExactTexts {
 public:
  using Made = std::pair<std::string, std::string>;  // text, pattern

  ExactTexts(unsigned m, std::uint64_t seed) : m_(m), random_(seed) {
    std::iota(bytes_.begin(), bytes_.end(), '\0');
    for (std::size_t i = bytes_.size() - 1; i > 0; --i) {
      std::swap(bytes_[i], bytes_[random_.number(0, i)]);
    }
  }

  Made one_letter() { return {run(length()), run(m_)}; }

  // Random letters, with copies of the pattern and of its near misses.
  Made random(unsigned sigma) {
    const std::string pattern = letters(m_, sigma);
    return {with_copies(letters(length(), sigma), pattern, sigma), pattern};
  }

  Made hostile() {
    const unsigned sigma = random_.chance(0.5) ? 3 : 60;
    const std::string pattern = random_letters(random_, m_, sigma);
    return {hostile_text(random_, pattern, length(), sigma), pattern};
  }

  Made runs() {
    std::string text;
    const std::size_t size = length();
    const std::size_t longest = random_.chance(0.5) ? 4 : 1 + m_ / 2;
    while (text.size() < size) {
      text += std::string(random_.number(1, longest), bytes_[random_.number(0, 2)]);
    }
    text.resize(size);
    return {text, piece(text)};
  }

  // One letter is unlike all others, in the pattern and, about every m characters, in the text.
  Made odd_letter() {
    std::string pattern = run(m_);
    const std::size_t places[] = {0, m_ - 1, m_ / 2, random_.number(0, m_ - 1)};
    pattern[places[random_.number(0, 3)]] = bytes_[1];
    std::string text;
    const std::size_t size = length();
    while (text.size() < size) {
      text += run(random_.number(m_ - std::min(m_, 2u), m_ + 1)) + bytes_[1];
    }
    text.resize(size);
    return {text, pattern};
  }

  Made periodic() {
    const std::string unit = letters(random_.number(1, std::max(1u, m_ / 2)), random_.chance(0.5) ? 2 : 4);
    const auto repeat = [&](std::size_t size, std::size_t from) {
      std::string out;
      while (out.size() < size) {
        out += unit[(from + out.size()) % unit.size()];
      }
      return out;
    };
    std::string text = repeat(length(), random_.number(0, m_));
    if (random_.chance(0.7)) {
      const std::size_t at = random_.number(0, text.size() - 1);
      random_.chance(0.5) ? void(text[at] = bytes_[random_.number(0, 3)]) : void(text.erase(at, 1));
    }
    return {text, repeat(m_, random_.number(0, m_))};
  }

  Made fibonacci() {
    std::string word = {bytes_[0]}, next = {bytes_[0], bytes_[1]};
    const std::size_t size = length();
    while (word.size() < size) {
      std::swap(word, next);
      next += word;
    }
    return nearly(word.substr(0, size));
  }

  Made thue_morse() {
    std::string word;
    for (std::size_t i = random_.number(0, 1000), last = i + length(); i < last; ++i) {
      word += bytes_[static_cast<std::size_t>(__builtin_parityll(i))];
    }
    return nearly(word);
  }

  Made both_ends() {
    const unsigned sigma = random_.chance(0.5) ? 2 : 20;
    const std::string pattern = letters(m_, sigma);
    return {pattern + letters(random_.number(0, 200), sigma) + pattern, pattern};
  }

  // The pattern begins as it ends, and its copies in the text share these characters.
  Made overlapping() {
    const std::size_t border = random_.number(0, m_ - 1);
    std::string pattern = letters(m_, 4);
    for (std::size_t i = m_ - border; i < m_; ++i) {
      pattern[i] = pattern[i - (m_ - border)];
    }
    std::string text = random_.chance(0.5) ? pattern : "";
    const std::size_t size = length();
    while (text.size() < size) {
      text += random_.chance(0.8) && text.size() >= m_ ? pattern.substr(border)
                                                       : letters(random_.number(1, 9), 4) + pattern;
    }
    return {text, pattern};
  }

  // Parts of the pattern, one after another.
  Made parts() {
    const std::string pattern = letters(m_, random_.chance(0.5) ? 2 : 4);
    std::string text;
    const std::size_t size = length();
    while (text.size() < size) {
      const std::size_t at = random_.number(0, m_ - 1);
      const std::string parts[] = {pattern.substr(at),
                                   pattern.substr(0, at + 1),
                                   pattern.substr(at, random_.number(1, m_)),
                                   pattern,
                                   {pattern.rbegin(), pattern.rend()}};
      text += parts[random_.number(0, 4)];
    }
    text.resize(size);
    return {text, pattern};
  }

  // As long as the pattern or nearly so: a part of it, itself, a near miss, with a letter more.
  Made short_text(unsigned kind) {
    const std::string pattern = letters(m_, kind == 4 ? 20 : 4);
    const std::string texts[] = {pattern.substr(0, m_ - 1),
                                 pattern.substr(1),
                                 pattern.substr(0, random_.number(0, m_ - 1)),
                                 pattern,
                                 kind == 4 ? near_miss(pattern, 20) : "",
                                 pattern + letters(1, 4),
                                 letters(1, 4) + pattern};
    return {texts[kind], pattern};
  }

 private:
  // The text's: a few windows, or some hundred.
  std::size_t length() {
    const std::size_t few[] = {0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 63, 64, 65};
    return m_ + (random_.chance(0.25) ? few[random_.number(0, std::size(few) - 1)] : random_.number(0, 900));
  }

  // The bytes are other ones in each case.
  std::string letters(std::size_t size, unsigned sigma) {
    std::string out = random_letters(random_, size, sigma);
    for (char& c : out) {
      c = bytes_[static_cast<unsigned char>(c)];
    }
    return out;
  }

  std::string run(std::size_t size) { return std::string(size, bytes_[0]); }

  // A part of the text as pattern.
  std::string piece(const std::string& text) { return text.substr(random_.number(0, text.size() - m_), m_); }

  // A part of the text as pattern, sometimes with another letter of it at one place.
  Made nearly(std::string text) {
    std::string pattern = piece(text);
    if (random_.chance(0.3)) {
      pattern[random_.number(0, m_ - 1)] = bytes_[random_.number(0, 1)];
    }
    return {std::move(text), pattern};
  }

  // One letter is wrong: often the first, the last, or one at the border of a word.
  std::string near_miss(std::string pattern, unsigned sigma) {
    const std::size_t places[] = {0, m_ - 1, m_ / 2, 7, 8, 15, 16, 63, 64, random_.number(0, m_ - 1)};
    char& c = pattern[std::min<std::size_t>(m_ - 1, places[random_.number(0, std::size(places) - 1)])];
    const char before = c;
    while (sigma > 1 && c == before) {
      c = letters(1, sigma)[0];
    }
    return pattern;
  }

  std::string with_copies(std::string text, const std::string& pattern, unsigned sigma) {
    for (std::size_t n = random_.number(1, 3 + text.size() / (2 * m_)); n > 0; --n) {
      const std::size_t at = random_.chance(0.1)   ? 0
                             : random_.chance(0.1) ? text.size() - m_
                                                   : random_.number(0, text.size() - m_);
      text.replace(at, m_, random_.chance(0.5) ? pattern : near_miss(pattern, sigma));
    }
    return text;
  }

  unsigned m_;
  RandomCases random_;
  std::array<char, 256> bytes_;
};

}  // namespace internal

/// All kinds of texts for a pattern of `m` characters; always the same ones for the same `round`. They have at most
/// about 3 m + 900 characters.
inline std::vector<ExactCase> exact_cases(unsigned m, unsigned round = 0) {
  using Texts = internal::ExactTexts;
  const std::pair<const char*, std::function<Texts::Made(Texts&)>> kinds[] = {
      {"one letter", &Texts::one_letter},
      {"2 letters", [](Texts& t) { return t.random(2); }},
      {"4 letters", [](Texts& t) { return t.random(4); }},
      {"20 letters", [](Texts& t) { return t.random(20); }},
      {"256 letters", [](Texts& t) { return t.random(256); }},
      {"hostile", &Texts::hostile},
      {"runs", &Texts::runs},
      {"odd letter", &Texts::odd_letter},
      {"periodic", &Texts::periodic},
      {"Fibonacci", &Texts::fibonacci},
      {"Thue-Morse", &Texts::thue_morse},
      {"both ends", &Texts::both_ends},
      {"overlapping", &Texts::overlapping},
      {"parts of the pattern", &Texts::parts},
      {"pattern without its last letter", [](Texts& t) { return t.short_text(0); }},
      {"pattern without its first letter", [](Texts& t) { return t.short_text(1); }},
      {"shorter than the pattern", [](Texts& t) { return t.short_text(2); }},
      {"the pattern", [](Texts& t) { return t.short_text(3); }},
      {"nearly the pattern", [](Texts& t) { return t.short_text(4); }},
      {"the pattern and a letter", [](Texts& t) { return t.short_text(5); }},
      {"a letter and the pattern", [](Texts& t) { return t.short_text(6); }},
  };
  std::vector<ExactCase> cases;
  for (const auto& [kind, make] : kinds) {
    Texts texts(m, (std::uint64_t{round} << 32) + 100 * m + cases.size());
    auto [text, pattern] = make(texts);
    auto ends = lab::ends_of(text, pattern, 0);
    cases.push_back({kind, std::move(text), std::move(pattern), std::move(ends)});
  }
  return cases;
}

}  // namespace trawl::tests
