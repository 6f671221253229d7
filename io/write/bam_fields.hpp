// The layout of a BAM record (SAM specification, section 4.2). The fixed fields are followed by the name with its NUL,
// the CIGAR, the sequence, the qualities and the tags.
//
// The record has room for 65535 CIGAR operations. A longer CIGAR is in the last tag, CG, and the record has a stand-in
// for it: all bases clipped, and the bases of the reference skipped.
//
//   150000S 290000N  ...  CG:B:I,16,33,...
//
//   sizeof(BamFields) == 36      // it is copied from and to the bytes of a record
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

namespace trawl::io {

static_assert(std::endian::native == std::endian::little, "BAM is little-endian; it is copied from and to memory");

struct BamFields {
  std::uint32_t block_size = 0;  // of the record without this field
  std::int32_t contig = -1;
  std::int32_t start = -1;
  std::uint8_t name_size = 1;  // with the NUL
  std::uint8_t mapq = 0;
  std::uint16_t bin = 0;
  std::uint16_t cigar_operations = 0;
  std::uint16_t flag = 0;
  std::uint32_t bases = 0;
  std::int32_t mate_contig = -1;
  std::int32_t mate_start = -1;
  std::int32_t template_length = 0;
};
static_assert(sizeof(BamFields) == 36);

/// The operations of the stand-in. Trawl writes kBamRefSkip nowhere else.
inline constexpr std::uint32_t kBamSoftClip = 4;
inline constexpr std::uint32_t kBamRefSkip = 3;

/// The tag's name and types; the number of operations and the operations follow, 32 bits each.
inline constexpr std::string_view kBamLongCigarTag = "CGBI";

}  // namespace trawl::io
