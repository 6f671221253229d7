// One strand of a read, in the forms that seeding and verification use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace trawl::sequence {

struct EncodedRead {
  std::vector<std::uint8_t> codes;  // a base each: 0-3, kAmbiguous
  std::vector<std::uint64_t> high;  // bit planes of the codes, 0 where ambiguous; one word more than the bases need
  std::vector<std::uint64_t> low;
  std::vector<std::uint8_t>
      sets;                   // a base each: what it matches, bit 0 = A .. bit 3 = T; empty if no base is ambiguous
  std::size_t ambiguous = 0;  // bases that are not A, C, G, T

  std::size_t length() const { return codes.size(); }

  /// The bases that base i matches, as a set: its own, and none or, with `ambiguous_matches`, all that it may stand
  /// for.
  unsigned set(std::size_t i) const { return sets.empty() ? 1u << codes[i] : sets[i]; }

  /// The read as it stands in the file.
  void encode(std::string_view bases, bool ambiguous_matches);
  /// The other strand of `forward`.
  void encode_reverse_complement(const EncodedRead& forward);
};

}  // namespace trawl::sequence
