#include "io/index/index_layout.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "base/error.hpp"
#include "base/version.hpp"
#include "io/format/gzip_format.hpp"
#include "io/format/letters.hpp"

namespace trawl::io {
namespace {

constexpr const char* kAgain = "make it again: trawl index REF -o ";

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

std::string made_by(const FileHeader& header) {
  const std::string_view text(header.made_by.data(), header.made_by.size());
  return std::string(text.substr(0, find_not_printable(text)));
}

}  // namespace

std::uint32_t parallel_crc(std::string_view bytes) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  struct CrcPart {
    std::uint32_t crc = 0;
    std::uint64_t bytes = 0;
  };
  const CrcPart all = tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, bytes.size(), kPiece), CrcPart{},
      [&](const tbb::blocked_range<std::size_t>& range, CrcPart part) {
        part.crc = crc32_of(bytes.data() + range.begin(), range.size(), part.crc);
        part.bytes += range.size();
        return part;
      },
      [](const CrcPart& a, const CrcPart& b) {
        return CrcPart{joined_crc32(a.crc, b.crc, b.bytes), a.bytes + b.bytes};
      });
  return all.crc;
}

std::uint32_t header_crc(const FileHeader& header) { return crc32_of(&header, offsetof(FileHeader, header_crc)); }

std::uint32_t table_crc(std::span<const IndexSection> sections) {
  return crc32_of(sections.data(), sections.size_bytes());
}

void place_sections(FileHeader& header, std::vector<IndexSection>& sections) {
  const std::string_view name = version();
  std::copy_n(name.begin(), std::min(name.size(), header.made_by.size()), header.made_by.begin());
  std::uint64_t end = sizeof(FileHeader) + sections.size() * sizeof(IndexSection);
  for (IndexSection& section : sections) {
    section.begin = round_up(end, section.bytes >= kHugePage ? kHugePage : kPage);
    end = section.begin + section.bytes;
  }
  header.file_bytes = end;
  header.sections = static_cast<std::uint32_t>(sections.size());
  header.table_crc = table_crc(sections);
  header.header_crc = header_crc(header);
}

void fail_damaged(const std::string& path, const std::string& what) {
  throw InputError(path, 0, "the saved index is damaged: " + what + "; " + kAgain + path);
}

std::vector<IndexSection> read_layout(const std::string& path, std::string_view file, FileHeader& header) {
  const auto fail = [&](const std::string& what) { throw InputError(path, 0, what + "; " + kAgain + path); };
  const std::string cut = "the saved index is cut short";
  if (file.size() < sizeof(FileHeader)) {
    fail(cut);
  }
  std::memcpy(&header, file.data(), sizeof(FileHeader));
  if (header.magic != kIndexMagic) {
    throw InputError(path, 0, "is not a saved index; make one: trawl index REF -o FILE");
  }
  if (header.byte_order != kNativeOrder) {
    fail("the saved index was made on a machine with another byte order");
  }
  if (header.format != kIndexFormat && header.format != kCircularIndexFormat) {
    fail("the saved index was made by " +
         std::string(header.format > kCircularIndexFormat ? "a newer version of Trawl" : "an older version of Trawl") +
         (made_by(header).empty() ? "" : " (" + made_by(header) + ")") + ", in format " +
         std::to_string(header.format) + "; this is Trawl " + version() + ", which reads format " +
         std::to_string(kIndexFormat) + " and " + std::to_string(kCircularIndexFormat));
  }
  if (header.header_crc != header_crc(header)) {
    fail_damaged(path, "its header is not as it was written");
  }
  if (file.size() < header.file_bytes) {
    fail(cut + ": it has " + std::to_string(file.size()) + " of " + std::to_string(header.file_bytes) + " bytes");
  }
  if (file.size() > header.file_bytes) {
    fail_damaged(path, "other data follow its " + std::to_string(header.file_bytes) + " bytes");
  }
  if (header.sections == 0 || header.sections > (file.size() - sizeof(FileHeader)) / sizeof(IndexSection)) {
    fail_damaged(path, "its table of sections is empty or does not fit in it");
  }
  std::vector<IndexSection> sections(header.sections);
  std::memcpy(sections.data(), file.data() + sizeof(FileHeader), header.sections * sizeof(IndexSection));
  if (header.table_crc != table_crc(sections)) {
    fail_damaged(path, "its table of sections is not as it was written");
  }
  for (const IndexSection& section : sections) {
    if (section.begin % kPage != 0 || section.begin > file.size() || section.bytes > file.size() - section.begin) {
      fail_damaged(path, "a section lies outside the file");
    }
  }
  return sections;
}

}  // namespace trawl::io
