// The sites of guides in a reference, and their words, each once.
//
//   with: const sequence::Reference& reference
//   const SiteRule rule{.length = 20, .pams = {scan::make_pam({"NGG"}, true, 0)}};
//   const GuideSiteFinder finder(reference, rule);
//   finder.for_each(7, 0, [](const GuideSite& site) { ... });         // those that begin in block 7
//   const SiteWords words(reference, rule);
//   words.find(0).first == words.find(0).last;                        // AAAAAAAAAAAAAAAAAAAA is beside no PAM
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bits.hpp"
#include "base/host_device.hpp"
#include "scan/pam.hpp"
#include "scan/report/guide_scores.hpp"
#include "sequence/huge_array.hpp"
#include "sequence/packed_letters.hpp"
#include "sequence/plane_window.hpp"
#include "sequence/reference.hpp"
#include "words/word_choices.hpp"

namespace trawl::words {

/// Where sites are: words of `length` bases beside one of the PAMs, which are of one size and on one side.
struct SiteRule {
  static constexpr std::uint32_t kShortest = 12, kLongest = 28;
  static constexpr std::uint32_t kLongestPam = 16;  // with the word at most 64 letters
  static constexpr std::uint32_t kMostMismatches = WordPairs::kMost;

  std::uint32_t length = 20;
  std::vector<scan::Pam> pams;
  std::uint32_t max_mismatches = 3;

  std::uint32_t pam_size() const { return static_cast<std::uint32_t>(pams.front().bases.size()); }
  bool is_last() const { return pams.front().is_last; }
  /// Whether sites have CFD and MIT scores (scan/report/guide_scores.hpp).
  bool has_scores() const { return scan::has_scores(length, pams.front()); }
};

/// A word of a site in 64 bits: bit 4 + i is the lower bit of base i (from 5'), bit 36 + i its upper bit. The four
/// lowest bits are the last two letters of the PAM, if there are scores. Sorted by these numbers, sites with the same
/// bases lie together.
struct GuideWord {
  static constexpr std::uint64_t kPam = 15;
  static constexpr std::uint64_t kAsked = std::uint64_t{1} << 32;  // its sites are counted

  /// The bases where two words differ.
  TRAWL_HOST_DEVICE static std::uint32_t differing(std::uint64_t a, std::uint64_t b) {
    return static_cast<std::uint32_t>(((a ^ b) >> 36 | (a ^ b) >> 4) & sequence::low_ones(SiteRule::kLongest));
  }
  static std::uint64_t of(std::uint64_t high, std::uint64_t low, unsigned pam) { return high << 36 | low << 4 | pam; }
  static std::uint64_t high(std::uint64_t word) { return word >> 36; }
  static std::uint64_t low(std::uint64_t word) { return word >> 4 & sequence::low_ones(SiteRule::kLongest); }
};

struct GuideSite {
  std::uint64_t start = 0;  // of guide and PAM together, in the coordinate space
  bool reverse = false;
  std::uint64_t word = 0;       // GuideWord
  std::uint32_t ambiguous = 0;  // bases that are, as bits; their bits in the word are 0
};

class GuideSiteFinder {
 public:
  /// `reference` must outlive it.
  GuideSiteFinder(const sequence::Reference& reference, const SiteRule& rule);

  /// Blocks of 64 positions.
  std::size_t blocks() const { return reference_.size() / 64 - 2; }

  /// How many places have the PAM: at least as many as there are sites. Those of words that reach into ambiguous
  /// letters, or beyond a contig, are among them.
  std::uint64_t count() const;
  /// Calls take(site) for the sites that begin in a block, by their starts; of one start the forward strand first.
  /// Words with more than `ambiguous` ambiguous bases are left out.
  template <class Take>
  void for_each(std::size_t block, std::uint32_t ambiguous, const Take& take) const {
    const std::uint64_t strands[2] = {pam_starts(block, false), pam_starts(block, true)};
    for (std::uint64_t starts = strands[0] | strands[1]; starts != 0; starts &= starts - 1) {
      const unsigned i = lowest_bit(starts);
      for (const bool reverse : {false, true}) {
        if ((strands[reverse] >> i & 1) != 0) {
          if (const GuideSite site = at(64 * block + i, reverse); popcount(site.ambiguous) <= ambiguous) {
            take(site);
          }
        }
      }
    }
  }

  /// The same for all blocks, of sites that have ambiguous bases.
  template <class Take>
  void for_each_ambiguous(std::uint32_t ambiguous, const Take& take) const {
    for (std::size_t block = 0; block < blocks(); ++block) {
      if (reference_.block_has_ambiguous(block) || reference_.block_has_ambiguous(block + 1)) {
        for_each(block, ambiguous, [&](const GuideSite& site) {
          if (site.ambiguous != 0) {
            take(site);
          }
        });
      }
    }
  }

 private:
  std::uint64_t pam_starts(std::size_t block, bool reverse) const;
  GuideSite at(std::uint64_t start, bool reverse) const;

  const sequence::Reference& reference_;
  SiteRule rule_;
  std::vector<std::vector<std::uint8_t>> motifs_[2];  // by strand: sets of bases, in the direction of the text
};

class SiteWords {
 public:
  /// Throws Error for more than 2^32 of them.
  SiteWords(const sequence::Reference& reference, const SiteRule& rule);

  const SiteRule& rule() const { return rule_; }
  std::size_t size() const { return size_; }
  /// Ascending, if GuideWord::kAsked is left out.
  std::span<const std::uint64_t> words() const { return {words_.data(), size_}; }
  /// How many sites have each word and PAM.
  std::span<const std::uint32_t> sites() const { return {sites_.data(), size_}; }
  /// Those with ambiguous bases, but not more than mismatches.
  const std::vector<GuideSite>& ambiguous() const { return ambiguous_; }

  /// The numbers of the words with the same bases.
  struct SameBases {
    std::size_t first = 0, last = 0;
  };
  SameBases find(std::uint64_t word) const;
  /// The number of a word that is there.
  std::size_t number(std::uint64_t word) const;
  /// Where find() and number() will look: first, and (later) then.
  void prefetch(std::uint64_t word) const { __builtin_prefetch(&first_[prefix_of(word)]); }
  void prefetch_words(std::uint64_t word) const { __builtin_prefetch(&words_[first_[prefix_of(word)]]); }

  /// Which words are asked for. Threads may call ask() at the same time, then one calls end_asking().
  void forget_asked();
  void ask(std::size_t number);
  void end_asking();
  bool is_asked(std::size_t number) const { return (words_[number] & GuideWord::kAsked) != 0; }
  std::size_t asked() const { return asked_before_.back(); }
  /// The place of a word among those that are asked for.
  std::size_t place(std::size_t number) const {
    return asked_before_[number / 64] + popcount(asked_[number / 64] & sequence::low_ones(number % 64));
  }

 private:
  void sort_words(const GuideSiteFinder& finder);
  // Of its bases; words in their order have them ascending.
  std::uint64_t first_bits(std::uint64_t word, unsigned bits) const {
    return (GuideWord::high(word) << rule_.length | GuideWord::low(word)) >> (2 * rule_.length - bits);
  }
  std::uint64_t prefix_of(std::uint64_t word) const { return first_bits(word, prefix_bits_); }

  SiteRule rule_;
  std::size_t size_ = 0;
  sequence::HugeArray<std::uint64_t> words_;
  sequence::HugeArray<std::uint32_t> sites_;
  std::vector<GuideSite> ambiguous_;
  unsigned prefix_bits_ = 0;
  std::vector<std::uint32_t> first_;         // by prefix: the first word with it
  std::vector<std::uint64_t> asked_;         // a bit for each word
  std::vector<std::uint64_t> asked_before_;  // by 64 words
};

}  // namespace trawl::words
