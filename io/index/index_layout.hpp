// The layout of a saved index: a header, a table of sections, and the sections.
//
//   offset 0     FileHeader
//   then         IndexSection x FileHeader::sections
//   then         the sections, in the order of the table, each aligned to kPage, large ones to kHugePage
//
// Numbers have the byte order of the machine that wrote them; FileHeader::byte_order shows it. Whatever changes this
// layout, or the meaning of a section, changes kIndexFormat.
//
//   FileHeader header;
//   std::vector<IndexSection> sections(2);
//   sections[0] = {.kind = SectionKind::contigs, .bytes = 100};
//   sections[1] = {.kind = SectionKind::runs, .bytes = 24};
//   place_sections(header, sections);
//   sections[0].begin == kPage
//   sections[1].begin == 2 * kPage
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/format/file_format.hpp"

namespace trawl::io {

inline constexpr std::uint32_t kIndexFormat = 1;
inline constexpr std::uint32_t kCircularIndexFormat = 2;  // the same with SectionKind::circles
inline constexpr std::uint32_t kNativeOrder = 0x01020304;
inline constexpr std::uint64_t kPage = 4096;
inline constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20;

struct FileHeader {
  std::array<unsigned char, 8> magic = kIndexMagic;
  std::uint32_t byte_order = kNativeOrder;
  std::uint32_t format = kIndexFormat;
  std::array<char, 32> made_by{};  // the version of Trawl, filled with zeros
  std::uint64_t file_bytes = 0;
  std::uint32_t q = 0;  // of the seed index
  std::uint32_t sections = 0;
  std::uint32_t table_crc = 0;   // of all Sections
  std::uint32_t header_crc = 0;  // of the fields before this one
};
static_assert(sizeof(FileHeader) == 72);

enum class SectionKind : std::uint32_t {
  source = 1,  // the FASTA: see saved_index.cpp
  contigs,     // names, offsets, lengths, M5
  runs,        // of ambiguous letters: begin, length, letter
  summary,     // sequence::Reference::Parts::summary
  ambiguous,   // ...::ambiguous
  planes,      // ...::planes
  offsets,     // seed::SeedIndex::Shard::offsets; one of these and one of the next for each shard
  positions,   // ...::positions
  circles,     // the circular contigs: number, Topology::repeated; in files of kCircularIndexFormat
};

struct IndexSection {
  SectionKind kind{};
  std::uint32_t crc = 0;  // CRC-32 of its bytes
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  std::uint64_t shard_begin = 0;  // of offsets and positions: the shard's part of the coordinate space
  std::uint64_t shard_end = 0;
};
static_assert(sizeof(IndexSection) == 40);

/// CRC-32 of any number of bytes, computed by all threads.
std::uint32_t parallel_crc(std::string_view bytes);

/// FileHeader::header_crc, and FileHeader::table_crc of a table.
std::uint32_t header_crc(const FileHeader& header);
std::uint32_t table_crc(std::span<const IndexSection> sections);

/// Sets where each section begins, and the fields of the header that follow from the table.
void place_sections(FileHeader& header, std::vector<IndexSection>& sections);

/// The header and table of a file. Afterwards each section lies inside the file. Throws InputError, which says what is
/// wrong with the file `path` and what to do.
std::vector<IndexSection> read_layout(const std::string& path, std::string_view file, FileHeader& header);

/// Throws InputError, which says that the file is damaged and what to do.
[[noreturn]] void fail_damaged(const std::string& path, const std::string& what);

}  // namespace trawl::io
