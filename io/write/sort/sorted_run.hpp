// Records in coordinate order, each with its order after it, in memory or in a temporary file. A sparse index finds any
// place in them. The order is that of `samtools sort`: by contig and start, records on the forward strand first; then
// records of reads that have no place. Records with equal keys stay in input order.
//
//   (sort_key(0, 99, align::kFlagReverse) < sort_key(0, 100, 0)) == true
//   (SortPlace{sort_key(1, 5, 0), 7} < SortPlace{sort_key(1, 5, 0), 8}) == true
//
//   with: const BamRecords& records, MemoryRun::Scratch& scratch, const SortPlace& a, const SortPlace& b
//   MemoryRun run(records, scratch, 0);                   // sorts them; the first read of the batch is number 0
//   ByteBuffer buffer;
//   for_each_record(run, run.cut(a), run.cut(b), buffer,
//                   [](const SortPlace& place, const char* record) { ... });   // those from a to before b
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "align/records.hpp"
#include "io/write/bam_encoder.hpp"
#include "io/write/bam_fields.hpp"
#include "io/write/byte_buffer.hpp"
#include "io/write/nameless_file.hpp"

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

/// The first record of the group `group`, or of a later one, that is not before `place`.
struct RunCut {
  std::size_t group = 0;
  SortPlace place;
};

class SortedRun {
 public:
  /// A group of records: those from here to the next mark.
  struct Mark {
    SortPlace place;       // of its first record
    std::uint64_t at = 0;  // bytes before it
  };

  virtual ~SortedRun() = default;
  SortedRun() = default;
  SortedRun(const SortedRun&) = delete;
  SortedRun& operator=(const SortedRun&) = delete;

  const std::vector<Mark>& marks() const { return marks_; }
  /// Bytes of all records and their orders.
  std::uint64_t record_bytes() const { return record_bytes_; }
  /// Memory that this run holds, in bytes.
  virtual std::uint64_t memory() const { return marks_.capacity() * sizeof(Mark); }
  /// The records of the groups from `first` to before `last`, valid as long as `buffer` does not change. Several
  /// threads may call it at the same time. Throws IoError.
  virtual std::string_view groups(std::size_t first, std::size_t last, ByteBuffer& buffer) const = 0;

  /// The cut before the first record that is not before `place`.
  RunCut cut(const SortPlace& place) const;
  RunCut end() const { return {marks_.size(), {kAfterAllKeys, 0}}; }

 protected:
  // Where a group begins; where the last one ends.
  std::uint64_t group_at(std::size_t group) const { return group < marks_.size() ? marks_[group].at : record_bytes_; }

  std::vector<Mark> marks_;
  std::uint64_t record_bytes_ = 0;
};

/// A batch of records, sorted.
class MemoryRun : public SortedRun {
 public:
  struct Scratch {
    std::vector<SortEntry> entries, other;
  };

  /// Copies the records in their order. `scratch` may have any content; its memory is used again. `first_read`: the
  /// number of read 0 of the batch in the input.
  MemoryRun(const BamRecords& records, Scratch& scratch, std::uint64_t first_read);
  std::uint64_t memory() const override { return SortedRun::memory() + record_bytes_; }
  std::string_view groups(std::size_t first, std::size_t last, ByteBuffer& buffer) const override;

 private:
  std::unique_ptr<char[]> bytes_;  // not on huge pages: with them a batch would take up to 2 MiB more
};

/// Size in bytes of the record at `record` and its order.
inline std::size_t ordered_size(const char* record) { return bam_record_size(record) + sizeof(SortPlace::order); }

/// Where the record at `record` belongs.
inline SortPlace place_of(const char* record) {
  std::uint64_t order;
  std::memcpy(&order, record + bam_record_size(record), sizeof order);
  return {sort_key(record), order};
}

/// Calls each(place, record) for the records between two cuts, in their order. `buffer` holds what is not in memory;
/// the records are valid as long as it does not change.
template <class Each>
void for_each_record(const SortedRun& run, const RunCut& low, const RunCut& high, ByteBuffer& buffer, Each&& each) {
  // The last group is needed in part, unless it begins at the cut.
  const bool ends_inside = high.group < run.marks().size() && run.marks()[high.group].place < high.place;
  const std::size_t last = high.group + (ends_inside ? 1 : 0);
  if (low.group >= last) {
    return;
  }
  const std::string_view bytes = run.groups(low.group, last, buffer);
  const char* const end = bytes.data() + bytes.size();
  for (const char* record = bytes.data(); record < end; record += ordered_size(record)) {
    const SortPlace place = place_of(record);
    if (place >= high.place) {
      break;
    }
    if (place >= low.place) {
      each(place, record);
    }
  }
}

}  // namespace trawl::io
