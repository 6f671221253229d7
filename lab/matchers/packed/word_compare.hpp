// Word comparison, for the GPU: a thread has 16 characters of the text in registers and compares the 8 characters from
// each of them with 8 characters of the pattern, as a sum of two words. Where the sums agree, the whole pattern is
// compared. So the text is read once and in order, and almost all of it costs three operations a character.
// lab/kernels/word_compare.cu is the kernel.
#pragma once

#include <cstdint>
#include <string_view>

#include "lab/matchers/matcher.hpp"

namespace trawl::matchers {

/// What the comparison needs of a pattern. A pattern with fewer than 8 characters is compared as it is, in words whose
/// other bytes are masked out.
struct WordFilter {
  /// How many words a thread needs: 16 characters, and the 8 after them that their windows reach.
  static constexpr unsigned kWords = 6;
  static constexpr unsigned kStarts = 16;

  std::uint32_t words[2];  // of the pattern, from `offset`; the first character in the lowest byte
  std::uint32_t masks[2];
  std::uint32_t sum;     // combined(words)
  std::uint32_t offset;  // in the pattern

  /// Two different pairs of words have, almost always, different values.
  TRAWL_HOST_DEVICE static constexpr std::uint32_t combined(std::uint32_t first, std::uint32_t second) {
    return first + second * 0x9E3779B1u;
  }
};

/// What is compared, by the pattern's length: it is known when compiling.
enum class WordFilterKind : unsigned {
  one_word,   // 1 to 4 characters
  two_words,  // 5 to 7
  sums,       // 8 and more; the only kind that may report a start where the pattern is not
};

TRAWL_HOST_DEVICE constexpr WordFilterKind word_filter_kind(std::uint32_t m) {
  return m <= 4 ? WordFilterKind::one_word : m < 8 ? WordFilterKind::two_words : WordFilterKind::sums;
}

/// The words from each character of a thread's text, so that each is made once.
struct WordWindows {
  std::uint32_t from[WordFilter::kStarts + 4];  // the 4 characters from character i on

  TRAWL_HOST_DEVICE explicit WordWindows(const std::uint32_t (&words)[WordFilter::kWords]) {
    TRAWL_UNROLL
    for (unsigned i = 0; i < WordFilter::kStarts + 4; ++i) {
      const unsigned bits = 8 * (i % 4);
      if (bits == 0) {
        from[i] = words[i / 4];
      } else {
#ifdef __CUDA_ARCH__
        from[i] = __funnelshift_r(words[i / 4], words[i / 4 + 1], bits);
#else
        from[i] = words[i / 4] >> bits | words[i / 4 + 1] << (32 - bits);
#endif
      }
    }
  }

  /// Whether the pattern's part can begin at character `i`.
  template <WordFilterKind kKind>
  TRAWL_HOST_DEVICE bool begins_at(const WordFilter& filter, unsigned i) const {
    if constexpr (kKind == WordFilterKind::sums) {
      return WordFilter::combined(from[i], from[i + 4]) == filter.sum;
    } else if constexpr (kKind == WordFilterKind::two_words) {
      return (((from[i] ^ filter.words[0]) & filter.masks[0]) | ((from[i + 4] ^ filter.words[1]) & filter.masks[1])) ==
             0;
    } else {
      return ((from[i] ^ filter.words[0]) & filter.masks[0]) == 0;
    }
  }
};

/// Whether the pattern's part can begin at any of the first 16 characters of `words`.
template <WordFilterKind kKind>
TRAWL_HOST_DEVICE inline bool begins_anywhere(const WordFilter& filter,
                                              const std::uint32_t (&words)[WordFilter::kWords]) {
  const WordWindows windows(words);
  bool any = false;
  TRAWL_UNROLL
  for (unsigned i = 0; i < WordFilter::kStarts; ++i) {
    any |= windows.begins_at<kKind>(filter, i);
  }
  return any;
}

/// Bit i says whether it can begin at character i.
template <WordFilterKind kKind>
TRAWL_HOST_DEVICE inline std::uint32_t begins(const WordFilter& filter,
                                              const std::uint32_t (&words)[WordFilter::kWords]) {
  const WordWindows windows(words);
  std::uint32_t starts = 0;
  TRAWL_UNROLL
  for (unsigned i = 0; i < WordFilter::kStarts; ++i) {
    starts |= windows.begins_at<kKind>(filter, i) ? 1u << i : 0u;
  }
  return starts;
}

struct WordCompare {
  static constexpr MatcherFacts kFacts = {"word-compare", "words",
                                          "Compares words of 8 characters at every place, 16 places a thread"};
  static constexpr bool kOwnKernel = true;

  WordFilter filter;
  Pattern pattern;

  static void prepare(std::string_view pattern, WordCompare& table) {
    WordFilter& filter = table.filter;
    filter.offset = varied_part(pattern);
    for (std::uint32_t i = 0; i < kPart && filter.offset + i < pattern.size(); ++i) {
      const auto letter = static_cast<unsigned char>(pattern[filter.offset + i]);
      filter.words[i / 4] |= std::uint32_t{letter} << (8 * (i % 4));
      filter.masks[i / 4] |= 0xFFu << (8 * (i % 4));
    }
    filter.sum = WordFilter::combined(filter.words[0], filter.words[1]);
  }

 private:
  static constexpr std::uint32_t kPart = 8;

  // Where the 8 characters with the most different letters begin: in a text like the pattern they are rarer than a run
  // of one letter.
  static std::uint32_t varied_part(std::string_view pattern) {
    std::uint32_t best = 0;
    int most = 0;
    for (std::uint32_t at = 0; at + kPart <= pattern.size(); ++at) {
      int letters = 0;
      for (std::uint32_t i = 0; i < kPart; ++i) {
        letters += pattern.substr(at, i).find(pattern[at + i]) == std::string_view::npos ? 1 : 0;
      }
      if (letters > most) {
        most = letters;
        best = at;
      }
    }
    return best;
  }
};

}  // namespace trawl::matchers
