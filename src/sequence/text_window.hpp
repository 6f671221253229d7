// A stretch of the reference as four bit planes, one a base: what a banded or multi-word verification reads. Ambiguous
// positions are in no plane, or, where ambiguity matches, in the planes of all bases that they may stand for.
//
//   TextWindow window;
//   window.load(reference, begin, length, false);
//   window.bits(code, i) has bit b where the base with that code matches position begin + i + b
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sequence/encoded_read.hpp"
#include "sequence/plane_window.hpp"
#include "sequence/reference.hpp"

namespace trawl::sequence {

class TextWindow {
 public:
  /// Positions [begin, begin + length); `begin` may be negative or the end lie behind the reference: nothing matches
  /// there.
  void load(const Reference& reference, std::int64_t begin, std::size_t length, bool ambiguous_matches);

  std::size_t length() const { return length_; }

  /// The bits of one base: bit i % 64 of word i / 64 for offset i; one word more than length() needs.
  const std::uint64_t* plane(unsigned code) const { return planes_[code].data(); }

  /// 64 bits from offset i on, i < length().
  std::uint64_t bits(unsigned code, std::size_t i) const {
    const std::uint64_t* plane = planes_[code].data() + i / 64;
    return funnel_shift_right(plane[0], plane[1], i % 64);
  }

  /// The bases that the letter at offset i, i < length(), matches (bit 0 = A .. bit 3 = T).
  unsigned set_at(std::size_t i) const {
    unsigned set = 0;
    for (unsigned code = 0; code < 4; ++code) {
      set |= static_cast<unsigned>((planes_[code][i / 64] >> (i % 64)) & 1) << code;
    }
    return set;
  }

  /// The same as bits() for what base k of `read` matches.
  std::uint64_t match_bits(const EncodedRead& read, std::size_t k, std::size_t i) const {
    return read.sets.empty() ? bits(read.codes[k], i) : set_bits(read.sets[k], i);
  }

  /// The same for a set of bases (bit 0 = A .. bit 3 = T).
  std::uint64_t set_bits(unsigned set, std::size_t i) const {
    std::uint64_t found = 0;
    for (unsigned code = 0; code < 4; ++code) {
      if ((set >> code) & 1) {
        found |= bits(code, i);
      }
    }
    return found;
  }

 private:
  std::array<std::vector<std::uint64_t>, 4> planes_;
  std::size_t length_ = 0;
};

/// Whether [begin, begin + length) lies in the reference, far enough from its end to read planes_at() there, and holds
/// no ambiguous or gap position. May say no too often, by 64 positions on each side.
bool is_clear(const Reference& reference, std::int64_t begin, std::size_t length);

}  // namespace trawl::sequence
