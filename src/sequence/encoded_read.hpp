// One strand of a read, in the forms that seeding and verification use.
//
//   EncodedRead read, other;
//   read.encode("ACGN", false);
//   read.codes == {0, 1, 2, kAmbiguous}
//   read.set(2) == 0b0100
//   other.encode_reverse_complement(read);       // NCGT
//   other.codes[1] == 1
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace trawl::sequence {

struct EncodedRead {
  std::vector<std::uint8_t> codes;  // one per base: 0-3, kAmbiguous
  std::vector<std::uint64_t> high;  // bit planes of the codes, 0 where ambiguous; one word more than the bases need
  std::vector<std::uint64_t> low;
  std::vector<std::uint8_t>
      sets;                   // one per base: what it matches, bit 0 = A .. bit 3 = T; empty if no base is ambiguous
  std::size_t ambiguous = 0;  // bases that are not A, C, G, T

  std::size_t length() const { return codes.size(); }

  /// The bases that base i of the read matches, as a set. A, C, G and T match themselves. An ambiguous base matches
  /// nothing or, with `ambiguous_matches`, all bases that it may stand for.
  unsigned set(std::size_t i) const { return sets.empty() ? 1u << codes[i] : sets[i]; }

  /// Encodes the read as it is in the file.
  void encode(std::string_view bases, bool ambiguous_matches);
  /// Encodes the other strand of `forward`.
  void encode_reverse_complement(const EncodedRead& forward);
  /// Encodes bases [begin, end) of `read`, another object.
  void encode_part(const EncodedRead& read, std::size_t begin, std::size_t end);
};

}  // namespace trawl::sequence
