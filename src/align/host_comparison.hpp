// Compares a read with the reference on the host, as align/record_writer.hpp needs it.
//
//   with: const sequence::Reference reference = reference_of("ACGTACGT")
//   with: const sequence::EncodedRead read = read_of("ACGAACCT")
//   std::uint64_t differ = 0;
//   HostComparison{reference, read}.differences(0, sequence::kContigGap, 8, [&](std::uint64_t bits, std::uint32_t) {
//     differ = bits;
//     return true;      // goes on
//   });
//   differ == 0b01001000
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "sequence/alphabet.hpp"
#include "sequence/encoded_read.hpp"
#include "sequence/plane_window.hpp"
#include "sequence/reference.hpp"

namespace trawl::align {

/// A `Comparison` (align/record_writer.hpp) in which ambiguous bases match nothing.
struct HostComparison {
  const sequence::Reference& reference;
  const sequence::EncodedRead& read;

  char letter(std::uint64_t position) const { return reference.letter(position); }
  char base(std::size_t i) const { return sequence::kBaseLetters[read.codes[i]]; }

  template <class Visit>
  void differences(std::size_t i, std::uint64_t position, std::uint32_t length, const Visit& visit) const {
    for (std::uint32_t done = 0; done < length; done += 64) {
      const std::uint64_t bits = word(i + done, position + done, std::min<std::size_t>(64, length - done));
      if (!visit(bits, static_cast<std::uint32_t>(i + done))) {
        return;
      }
    }
  }

 private:
  std::uint64_t word(std::size_t i, std::uint64_t position, std::size_t length) const {
    const auto text = sequence::planes_at(reference.planes().data(), position);
    std::uint64_t differ = (text.high ^ sequence::bits_at(read.high.data(), i)) |
                           (text.low ^ sequence::bits_at(read.low.data(), i)) |
                           sequence::bits_at(reference.ambiguous().data(), position);
    if (read.ambiguous > 0) {
      for (std::size_t k = 0; k < length; ++k) {
        differ |= std::uint64_t{read.codes[i + k] == sequence::kAmbiguous} << k;
      }
    }
    return length == 64 ? differ : differ & ((std::uint64_t{1} << length) - 1);
  }
};

/// A `Comparison` in which ambiguous bases match what they may stand for. `plain.read` must be encoded in this way.
struct SetComparison {
  HostComparison plain;

  char letter(std::uint64_t position) const { return plain.letter(position); }
  char base(std::size_t i) const { return plain.base(i); }

  template <class Visit>
  void differences(std::size_t i, std::uint64_t position, std::uint32_t length, const Visit& visit) const {
    plain.differences(i, position, length, [&](std::uint64_t bits, std::uint32_t first) {
      for (std::uint64_t left = bits; left != 0; left &= left - 1) {
        const std::size_t base = first + static_cast<std::size_t>(std::countr_zero(left));
        if ((sequence::iupac_set(plain.letter(position + (base - i))) & plain.read.set(base)) != 0) {
          bits &= ~(left & -left);
        }
      }
      return visit(bits, first);
    });
  }
};

}  // namespace trawl::align
