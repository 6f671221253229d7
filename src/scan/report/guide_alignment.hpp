// Aligns a guide to the bases next to its PAM: the fewest edits, with separate limits on mismatches and bulges. Which
// alignment has them is found later, and only for what is reported (guide_path.hpp).
//
//   GuideLetters guide, text;                                       // from the PAM outwards
//   guide.assign(std::vector<std::uint8_t>{1, 2, 4, 8, 1});         // ACGTA
//   text.assign(std::vector<std::uint8_t>{1, 2, 2, 8, 1, 1, 1});    // ACCTAAA
//   GuideAligner aligner({4, 2, 2});                                // at most: edits, mismatches, bulges
//   aligner.align(guide, text)->mismatches == 1
//
// On the diagonal d the first i bases of the guide lie beside the first i + d of the text. Let f(x, b, d) be the most
// guide bases that some alignment with at most x mismatches and b bases in bulges places, if it ends on diagonal d.
// Then f(x, b, d) is the largest of
//   f(x - 1, b, d) + 1       a mismatch
//   f(x, b - 1, d - 1)       a text base in a bulge
//   f(x, b - 1, d + 1) + 1   a guide base in a bulge
//   f(x, b - 1, d)
// (a bulge only if the limits of its kind allow b and d) plus all the bases that match from there on. An alignment that
// places more bases of a diagonal can always be cut shorter, without another edit. So f is all that must be known, and
// for k edits it has about k^3 / 3 values, however long the guide is. They are computed in the order of the edits, up
// to the first alignment of the whole guide.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "scan/options.hpp"
#include "sequence/reference.hpp"
#include "sequence/text_window.hpp"

namespace trawl::scan {

/// How many edits an alignment may have. On diagonal d with b bases in bulges, (b + d) / 2 are in DNA bulges and (b -
/// d) / 2 in RNA bulges.
struct GuideLimits {
  std::uint32_t edits = 0, mismatches = 0, bulges = 0;  // bulges: bases of both kinds together
  std::uint32_t dna = ~std::uint32_t{0}, rna = ~std::uint32_t{0};

  GuideLimits(std::uint32_t most_edits, std::uint32_t most_mismatches, std::uint32_t most_bulges,
              std::uint32_t most_dna = ~std::uint32_t{0}, std::uint32_t most_rna = ~std::uint32_t{0})
      : edits(most_edits),
        mismatches(std::min(most_mismatches, most_edits)),
        bulges(std::min(most_bulges, most_edits)),
        dna(std::min(most_dna, bulges)),
        rna(std::min(most_rna, bulges)) {}

  /// Whether one of the kinds has a limit of its own.
  bool separate() const { return dna < bulges || rna < bulges; }
  /// Whether exactly b bases in bulges can lead to diagonal d.
  bool allows(std::uint32_t b, std::int32_t d) const {
    const auto both = static_cast<std::int32_t>(b);
    return (both + d) % 2 == 0 && both + d >= 0 && both - d >= 0 && static_cast<std::uint32_t>(both + d) / 2 <= dna &&
           static_cast<std::uint32_t>(both - d) / 2 <= rna;
  }
};

inline GuideLimits guide_limits(const Options& options) {
  return {options.max_edits, options.max_mismatches, options.max_bulges, options.max_dna_bulges,
          options.max_rna_bulges};
}

struct GuideScore {
  static constexpr std::uint16_t kNone = 0xffff;

  std::uint16_t mismatches = 0;
  std::uint16_t bulges = 0;        // bases in bulges of either kind
  std::uint16_t ungapped = kNone;  // mismatches of the alignment without bulges; kNone: more than allowed

  std::uint16_t distance() const { return static_cast<std::uint16_t>(mismatches + bulges); }
};

/// Letters of a guide or of the text, as bit planes: bit i % 64 of word i / 64 of plane c is set if letter i matches
/// base c. Letter 0 is next to the PAM.
class GuideLetters {
 public:
  /// Letter i matches the set of bases sets[i] (bit 0 = A .. bit 3 = T).
  void assign(std::span<const std::uint8_t> sets);
  /// The letters of the window; `backwards`: its last letter is next to the PAM.
  void assign(const sequence::TextWindow& window, bool backwards);

  std::size_t size() const { return size_; }
  /// Has one word more than the letters need. Bits after the last letter mean nothing.
  const std::uint64_t* plane(unsigned code) const { return planes_[code].data(); }

 private:
  std::array<std::vector<std::uint64_t>, 4> planes_;
  std::size_t size_ = 0;
};

/// Where a guide and a text differ, by diagonal: base i of the guide lies beside base i + d of the text.
class GuideDiagonals {
 public:
  /// Diagonals from -most to most.
  explicit GuideDiagonals(std::uint32_t most) : most_(static_cast<std::int32_t>(most)) {}

  /// Must be called for each guide, before compare().
  void begin(const GuideLetters& guide);
  /// Finds the mismatches on diagonal d; `shift` is added to it. Those beyond either end of the text mean nothing.
  void compare(const GuideLetters& guide, const GuideLetters& text, std::int32_t d, std::int64_t shift = 0);

  bool is_mismatch(std::int32_t d, std::int32_t i) const {
    return (row(d)[static_cast<std::size_t>(i) / 64] >> (i % 64)) & 1;
  }
  /// Bit i: base i is a mismatch, of the first 64.
  std::uint64_t first_word(std::int32_t d) const { return row(d)[0]; }
  /// The first mismatch from guide base i on, or `limit`.
  std::int32_t extend(std::int32_t d, std::int32_t i, std::int32_t limit) const;
  /// The number of mismatches of the guide's first `length` bases.
  std::uint32_t count(std::int32_t d, std::size_t length) const;

 private:
  const std::uint64_t* row(std::int32_t d) const { return &mismatches_[static_cast<std::size_t>(d + most_) * words_]; }

  std::int32_t most_;
  std::vector<std::uint64_t> mismatches_;  // bit i of a diagonal: base i of the guide differs
  std::size_t words_ = 0;                  // of a diagonal
};

class GuideAligner {
 public:
  explicit GuideAligner(const GuideLimits& limits);

  /// Aligns the whole guide to the beginning of the text: the fewest edits, and of the alignments with so many the
  /// fewest bases in bulges. Returns nothing if no alignment is within the limits.
  std::optional<GuideScore> align(const GuideLetters& guide, const GuideLetters& text);

 private:
  static constexpr std::int32_t kNone = -(1 << 20);

  // f(x, b, d) is row(x, b)[d].
  std::int32_t* row(std::uint32_t x, std::uint32_t b) {
    return &reached_[(x * (bulges_ + 1) + b) * width_ + bulges_ + 1];
  }

  GuideLimits limits_;
  std::uint32_t edits_, most_mismatches_, bulges_;
  std::size_t width_;                  // of a row
  std::vector<std::int32_t> reached_;  // no value: kNone or less than 0
  GuideDiagonals diagonals_;
};

}  // namespace trawl::scan
