// A reference's bit planes, or a part of them, as functions for host and device see it.
//
//   with: const sequence::Reference& reference
//   const TextView text(reference);
//   const sequence::PlaneBlock letters = text.planes_at(700);     // of positions 700 to 763
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/host_device.hpp"
#include "match/banded_myers.hpp"
#include "sequence/plane_window.hpp"

namespace trawl::scan {

/// Words of 64 positions.
struct TextView {
  const sequence::PlaneBlock* planes;  // from word `first` of the reference on; two more than `last` can be read
  const std::uint64_t* ambiguous;      // the same, as Reference::ambiguous()
  std::uint64_t first;
  std::uint64_t last;

  TRAWL_HOST_DEVICE TextView(const sequence::PlaneBlock* from_planes, const std::uint64_t* from_ambiguous,
                             std::uint64_t from, std::uint64_t to)
      : planes(from_planes), ambiguous(from_ambiguous), first(from), last(to) {}
  /// All of the reference.
  explicit TextView(const sequence::Reference& reference)
      : TextView(reference.planes().data(), reference.ambiguous().data(), 0,
                 std::max<std::uint64_t>(reference.size() / 64, 2) - 2) {}

  /// 64 letters from a position on.
  TRAWL_HOST_DEVICE sequence::PlaneBlock planes_at(std::uint64_t position) const {
    return sequence::planes_at(planes, position - 64 * first);
  }
  /// Which of them are ambiguous.
  TRAWL_HOST_DEVICE std::uint64_t ambiguous_at(std::uint64_t position) const {
    const std::uint64_t* const word = ambiguous + (position / 64 - first);
    return sequence::funnel_shift_right(word[0], word[1], position % 64);
  }
};

/// Words [first, last) of 64 positions.
struct WordRange {
  std::uint64_t first;
  std::uint64_t last;
};

/// 32 letters of a pattern.
struct Letters32 {
  std::uint32_t high;
  std::uint32_t low;
};

/// Compares a pattern with the text in a band of 32 diagonals (match/banded_myers.hpp), for host and device.
///
///   with: const TextView& text, std::uint64_t begin, std::uint32_t length, std::uint32_t k, const Letters32& letters
///   Band band(length);                                               // a match may begin anywhere in the band,
///   band.anchor(k);                                                  // or only at bit k
///   band.compare(text, begin, length, [&](std::uint32_t first) { return letters; });    // from `first` on, 32 of them
///   band.for_each_end(2 * k + 1, k, [&](std::uint32_t bit, std::uint32_t distance) { ... });
class Band {
 public:
  TRAWL_HOST_DEVICE explicit Band(std::uint32_t length) : distance_(length) {}

  /// Matches begin at bit k: D of row -1 is the distance from bit k. A match cannot gain by beginning earlier: each
  /// letter that it may match there has been paid for.
  TRAWL_HOST_DEVICE void anchor(std::uint32_t k) {
    state_.vn = (1u << k) - 1;
    state_.vp = ~state_.vn;
    distance_ += k;
  }
  /// Compares the pattern with the text whose bit 0 of row 0 is position `begin`. The text must have as many letters as
  /// the pattern, and 95 more after `begin`.
  template <class LettersAt>
  TRAWL_HOST_DEVICE void compare(const TextView& text, std::uint64_t begin, std::uint32_t length,
                                 const LettersAt& letters_at) {
    for (std::uint32_t first = 0; first < length; first += 32) {
      const auto here = text.planes_at(begin + first);
      const std::uint64_t unknown = text.ambiguous_at(begin + first);
      const Letters32 letters = letters_at(first);
      const std::uint32_t rows = length - first < 32 ? length - first : 32;
      for (std::uint32_t i = 0; i < rows; ++i) {
        const std::uint32_t high = 0u - (letters.high >> i) % 2;
        const std::uint32_t low = 0u - (letters.low >> i) % 2;
        const std::uint32_t differ = (from(here.high, i) ^ high) | (from(here.low, i) ^ low) | from(unknown, i);
        distance_ -= match::banded_row(match::PlainOps<std::uint32_t>{}, state_, ~differ).d0 & 1;
      }
    }
  }
  /// Calls visit(bit, distance) for the first `bits` bits of the last row that have at most `most` edits.
  template <class Visit>
  TRAWL_HOST_DEVICE void for_each_end(std::uint32_t bits, std::uint32_t most, const Visit& visit) const {
    match::for_each_end(distance_, state_.vp, state_.vn, bits, most, visit);
  }

 private:
  // Bits [i, i + 32) of a word, i < 32.
  TRAWL_HOST_DEVICE static std::uint32_t from(std::uint64_t word, std::uint32_t i) {
    return static_cast<std::uint32_t>(word >> i);
  }

  match::BandState<std::uint32_t> state_;
  std::uint32_t distance_;  // of bit 0
};

}  // namespace trawl::scan
