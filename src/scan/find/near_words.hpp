// The words that a part of a query with one edit may be in the text, so that it can be looked up.
//
//   std::string words;
//   for_near_words("ACG", true, [&](std::string_view word) { words.append(word) += ' '; });
//   words == "CG AAG AGG ATG ACA ACC ACT "
//
// Wherever the part matches with at most one edit, one of the words ends where the match ends, or one letter before it
// if the match ends with an inserted letter. Words that end with another of the words are left out: with CG neither
// ACG nor TCG is needed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace trawl::scan {

/// At most so many words for a part of `length` letters.
constexpr std::size_t most_near_words(std::size_t length, bool hamming) { return (hamming ? 3 : 7) * length; }

/// Calls use(word) for each. `bases` has 2 letters or more, all of A, C, G and T. A few words may come twice.
template <class Use>
void for_near_words(std::string_view bases, bool hamming, const Use& use) {
  const std::size_t length = bases.size();
  use(bases.substr(1));
  std::string word(bases);
  for (std::size_t i = 1; i < length; ++i) {
    for (const char letter : {'A', 'C', 'G', 'T'}) {
      if (letter != bases[i]) {
        word[i] = letter;
        use(std::string_view(word));
      }
    }
    word[i] = bases[i];
  }
  if (hamming) {
    return;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if (bases[i] != bases[i - 1]) {  // otherwise as without the letter before
      use(std::string_view(word.assign(bases.substr(0, i)).append(bases.substr(i + 1))));
    }
  }
  for (std::size_t i = 2; i < length; ++i) {
    for (const char letter : {'A', 'C', 'G', 'T'}) {
      if (letter != bases[i - 1]) {
        use(std::string_view(word.assign(bases.substr(0, i)).append(1, letter).append(bases.substr(i))));
      }
    }
  }
}

}  // namespace trawl::scan
