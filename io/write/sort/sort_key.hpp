// The order of records in a sorted file, which is that of `samtools sort`: by contig and start, records on the forward
// strand first; then records of reads that have no place. Records with equal keys stay in input order.
//
//   sort_key(0, 99, align::kFlagReverse) < sort_key(0, 100, 0)
//   std::vector<SortEntry> entries = {{sort_key(1, 5, 0), "b"}, {sort_key(0, 9, 0), "a"}}, scratch;
//   sort_by_key(entries, scratch);                   // stable
//   std::string(entries[0].record) == "a"
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

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

/// Where a record belongs in the output. `order`: records with equal keys follow in this order; neighbours of one batch
/// may have the same.
struct SortPlace {
  SortKey key = 0;
  std::uint64_t order = 0;

  auto operator<=>(const SortPlace&) const = default;
};

/// The orders of batch n begin at n * kOrdersOfBatch. A batch has one for each 16 KiB of its sorted records.
inline constexpr std::uint64_t kOrdersOfBatch = std::uint64_t{1} << 20;
inline constexpr unsigned kBytesOfOrderShift = 14;

struct SortEntry {
  SortKey key = 0;
  const char* record = nullptr;
};

/// For records of several processes.
struct OrderedEntry {
  SortKey key = 0;
  const char* record = nullptr;
  std::uint64_t order = 0;
};

/// Stable. `scratch` may have any content; its memory is used again.
template <class Entry>
void sort_by_key(std::vector<Entry>& entries, std::vector<Entry>& scratch) {
  SortKey varying = 0;
  for (const Entry& entry : entries) {
    varying |= entry.key ^ entries.front().key;
  }
  scratch.resize(entries.size());
  // By one byte after the other, the lowest first. Most keys of a range of the file differ in three bytes only.
  for (unsigned shift = 0; shift < 64; shift += 8) {
    if ((varying >> shift & 0xff) == 0) {
      continue;
    }
    std::array<std::size_t, 256> at{};
    for (const Entry& entry : entries) {
      ++at[entry.key >> shift & 0xff];
    }
    std::size_t sum = 0;
    for (std::size_t& count : at) {
      sum += std::exchange(count, sum);
    }
    for (const Entry& entry : entries) {
      scratch[at[entry.key >> shift & 0xff]++] = entry;
    }
    entries.swap(scratch);
  }
}

}  // namespace trawl::io
