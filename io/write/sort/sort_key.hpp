// The order of records in a sorted file, which is that of `samtools sort`: by contig and start, records on the forward
// strand first; then records of reads that have no place. Records with equal keys stay in input order.
//
//   (sort_key(0, 99, align::kFlagReverse) < sort_key(0, 100, 0)) == true
//   (SortPlace{sort_key(1, 5, 0), 7} < SortPlace{sort_key(1, 5, 0), 8}) == true
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "align/records.hpp"
#include "io/write/bam_fields.hpp"

namespace trawl::io {

using SortKey = std::uint64_t;

/// Larger than every key.
inline constexpr SortKey kAfterAllKeys = ~SortKey{0};

/// `contig` and `start` as in BAM: -1 means none.
inline SortKey sort_key(std::int32_t contig, std::int32_t start, std::uint16_t flag) {
  const SortKey high = SortKey{static_cast<std::uint32_t>(contig)} << 32;
  if (contig < 0) {
    return high;
  }
  const bool reverse = (flag & align::kFlagReverse) != 0;
  return high | (SortKey{static_cast<std::uint32_t>(start) + 1} << 1 | (reverse ? 1 : 0));
}

/// The fixed fields of the BAM record at `record`.
inline BamFields bam_fields(const char* record) {
  BamFields fields;
  std::memcpy(&fields, record, sizeof fields);
  return fields;
}

/// Size in bytes of the BAM record at `record`.
inline std::size_t bam_record_size(const char* record) {
  std::uint32_t size;
  std::memcpy(&size, record, sizeof size);
  return std::size_t{size} + sizeof size;
}

/// The key of the BAM record at `record`.
inline SortKey sort_key(const char* record) {
  const BamFields fields = bam_fields(record);
  return sort_key(fields.contig, fields.start, fields.flag);
}

/// Where a record belongs in the output. `order`: the number of its read in the input; records of one read stay in
/// their order.
struct SortPlace {
  SortKey key = 0;
  std::uint64_t order = 0;

  auto operator<=>(const SortPlace&) const = default;
};

/// A record, which its order follows, with its place.
struct SortEntry {
  SortPlace place;
  const char* record = nullptr;
};

}  // namespace trawl::io
