// A stretch of the reference as four bit planes, one per base. Banded and multi-word verification read it. An ambiguous
// position is in no plane or, if ambiguous bases match, in the planes of all bases that it may stand for.
//
//   with: const Reference reference = reference_of("ACGTACGTN")
//   TextWindow window;
//   window.load(reference, kContigGap, 9, false);
//   window.bits(0, 0) == 0b000010001         // where A matches
//   window.bits(0, 1) == 0b00001000          // the same, from the next position on
//   window.set_at(8) == 0                    // N
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "sequence/encoded_read.hpp"
#include "sequence/plane_window.hpp"
#include "sequence/reference.hpp"

namespace trawl::sequence {

class TextWindow {
 public:
  /// Loads positions [begin, begin + length). `begin` may be negative, and the end may lie after the end of the
  /// reference; nothing matches at such positions.
  void load(const Reference& reference, std::int64_t begin, std::size_t length, bool ambiguous_matches);

  std::size_t length() const { return length_; }

  /// The bit plane of one base: offset i is bit i % 64 of word i / 64. It has one word more than length() needs.
  const std::uint64_t* plane(unsigned code) const { return planes_[code].data(); }

  /// 64 bits from offset i on; i < length().
  std::uint64_t bits(unsigned code, std::size_t i) const { return bits_at(planes_[code].data(), i); }

  /// The set of bases that the letter at offset i matches (bit 0 = A .. bit 3 = T); i < length().
  unsigned set_at(std::size_t i) const {
    unsigned set = 0;
    for (unsigned code = 0; code < 4; ++code) {
      set |= static_cast<unsigned>((planes_[code][i / 64] >> (i % 64)) & 1) << code;
    }
    return set;
  }

  /// The sets of the letters from offset i on.
  void put_sets(std::size_t i, std::span<std::uint8_t> sets) const {
    // Byte k: bit k of the lowest byte of x.
    const auto bytes = [](std::uint64_t x) {
      const std::uint64_t spread = (x & 0xff) * 0x0101010101010101 & 0x8040201008040201;
      return (spread + 0x7f7f7f7f7f7f7f7f) >> 7 & 0x0101010101010101;
    };
    for (std::size_t k = 0; k < sets.size(); k += 64) {
      const std::uint64_t words[4] = {bits(0, i + k), bits(1, i + k), bits(2, i + k), bits(3, i + k)};
      for (std::size_t b = 0; b < 64 && k + b < sets.size(); b += 8) {
        const std::uint64_t eight =
            bytes(words[0] >> b) | bytes(words[1] >> b) << 1 | bytes(words[2] >> b) << 2 | bytes(words[3] >> b) << 3;
        std::memcpy(sets.data() + k + b, &eight, std::min<std::size_t>(8, sets.size() - k - b));
      }
    }
  }

  /// As bits(), for the bases that base k of `read` matches.
  std::uint64_t match_bits(const EncodedRead& read, std::size_t k, std::size_t i) const {
    return read.sets.empty() ? bits(read.codes[k], i) : set_bits(read.sets[k], i);
  }

  /// As bits(), for a set of bases (bit 0 = A .. bit 3 = T).
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

/// True if [begin, begin + length) lies in the reference, far enough from its end for planes_at(), and has no ambiguous
/// or gap position. May also be false if such a position is up to 64 positions away on either side.
bool is_clear(const Reference& reference, std::int64_t begin, std::size_t length);

}  // namespace trawl::sequence
