// Letters as bits, growing at the end: the way from text to the planes of a Reference. ReferenceAssembler takes them
// over to any position.
//
//   PackedLetters letters;
//   letters.append("ACGTNNac");
//   letters.size() == 8
//   letters.runs()[0].begin == 4
//   letters.runs()[0].length == 2
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sequence/letter_masks.hpp"
#include "sequence/reference.hpp"

namespace trawl::sequence {

/// Adds a run at the end of `runs`; it becomes part of the last one if it continues it.
inline void add_run(std::vector<AmbiguousRun>& runs, const AmbiguousRun& run) {
  if (!runs.empty() && runs.back().letter == run.letter && runs.back().begin + runs.back().length == run.begin) {
    runs.back().length += run.length;
  } else {
    runs.push_back(run);
  }
}

/// Up to 64 letters; bit i is for letter i. Bits of `high` and `low` are 0 where `bases` is 0.
struct PackedWord {
  std::uint64_t high = 0;  // of the 2-bit codes
  std::uint64_t low = 0;
  std::uint64_t bases = 0;  // A, C, G or T; the others are ambiguous

  PackedWord& operator|=(const PackedWord& other) {
    high |= other.high;
    low |= other.low;
    bases |= other.bases;
    return *this;
  }
  PackedWord operator<<(unsigned bits) const { return {high << bits, low << bits, bases << bits}; }
  PackedWord operator>>(unsigned bits) const { return {high >> bits, low >> bits, bases >> bits}; }
  PackedWord operator&(std::uint64_t bits) const { return {high & bits, low & bits, bases & bits}; }
};

/// `count` (up to 64) ones.
constexpr std::uint64_t low_ones(unsigned count) { return count == 0 ? 0 : ~std::uint64_t{0} >> (64 - count); }

class PackedLetters {
 public:
  void clear() {
    words_.clear();
    word_ = {};
    size_ = 0;
    runs_.clear();
  }

  /// Adds IUPAC letters, in either case. U counts as T.
  void append(std::string_view letters);

  /// Adds those of the 64 characters at `text` that `which` selects. `masks`: what they are. `others`: which
  /// selected ones are IUPAC letters other than bases and N.
  void append(const char* text, const LetterMasks& masks, std::uint64_t which, std::uint64_t others) {
    PackedWord word{masks.high & masks.bases, masks.low & masks.bases, masks.bases};
    const auto first = static_cast<unsigned>(std::countr_zero(which));
    unsigned count = 64 - first - static_cast<unsigned>(std::countl_zero(which));
    word = word >> first & low_ones(count);
    for (std::uint64_t holes = ~(which >> first) & low_ones(count); holes != 0;) {
      const unsigned hole = 63 - static_cast<unsigned>(std::countl_zero(holes));
      const std::uint64_t below = low_ones(hole);
      word = {close(word.high, below), close(word.low, below), close(word.bases, below)};
      holes &= below;
      --count;
    }
    if (word.bases != low_ones(count)) {
      if (others == 0) {
        add_ns(~word.bases & low_ones(count));
      } else {
        add_ambiguous(text, which & ~masks.bases, ~word.bases & low_ones(count));
      }
    }
    append(word, count);
  }

  /// Makes the next letter begin a word: size() becomes a multiple of 64. The letters in between are of no meaning.
  void align() {
    if (size_ % 64 != 0) {
      words_.push_back(word_);
      word_ = {};
      size_ = words_.size() * 64;
    }
  }

  std::uint64_t size() const { return size_; }
  /// Letters [from, from + count), with `count` from 1 to 64.
  PackedWord at(std::uint64_t from, unsigned count) const {
    const unsigned bit = from % 64;
    PackedWord found = word(from / 64) >> bit;
    if (bit + count > 64) {
      found |= word(from / 64 + 1) << (64 - bit);
    }
    return found & low_ones(count);
  }
  /// The runs of ambiguous letters, ascending; positions are counted in these letters.
  std::span<const AmbiguousRun> runs() const { return runs_; }

 private:
  // Removes the bit above those of `below`.
  static std::uint64_t close(std::uint64_t bits, std::uint64_t below) { return (bits & below) | (bits >> 1 & ~below); }

  const PackedWord& word(std::uint64_t i) const { return i < words_.size() ? words_[i] : word_; }

  void append(const PackedWord& word, unsigned count) {
    const unsigned bit = size_ % 64;
    word_ |= word << bit;
    size_ += count;
    if (bit + count >= 64) {
      words_.push_back(word_);
      word_ = bit == 0 ? PackedWord{} : word >> (64 - bit);
    }
  }

  void add_ns(std::uint64_t at);
  void add_ambiguous(const char* text, std::uint64_t in_text, std::uint64_t at);

  std::vector<PackedWord> words_;
  PackedWord word_;  // the letters from words_.size() * 64 on
  std::uint64_t size_ = 0;
  std::vector<AmbiguousRun> runs_;
};

/// A reference of texts that are in memory, such as reads. If it is large, several threads write it at the same time.
///
///   const NamedText texts[] = {{"r1", "ACGT"}, {"r2", "ggn"}};
///   const Reference reference = pack_texts(texts);
///   reference.contigs()[1].name == "r2"
///   reference.letter(reference.contigs()[1].offset + 2) == 'N'
struct NamedText {
  std::string_view name;
  std::string_view letters;  // IUPAC codes, in upper or lower case; U counts as T
  Topology topology = {};    // what is repeated is among the letters
};

/// Each text is a contig. `gap`: the least number of positions between two of them, less than kContigGap only for
/// searches that say so. Before the first one and after the last one are kContigGap. Throws std::bad_alloc.
Reference pack_texts(std::span<const NamedText> texts, std::uint64_t gap = kContigGap);

}  // namespace trawl::sequence
