// Records in coordinate order, in memory or in a temporary file. A sparse index finds any place in them.
//
//   with: const BamRecords& records, MemoryRun::Scratch& scratch, const SortPlace& a, const SortPlace& b
//   MemoryRun run(records, scratch);                      // sorts them
//   ByteBuffer buffer;
//   for_each_record(run, run.cut(a), run.cut(b), buffer,
//                   [](const SortPlace& place, const char* record) { ... });   // those from a to before b
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "io/write/bam_encoder.hpp"
#include "io/write/byte_buffer.hpp"
#include "io/write/nameless_file.hpp"
#include "io/write/sort/sort_key.hpp"

namespace trawl::io {

/// The first record of the group `group`, or of a later one, that is not before `place`.
struct RunCut {
  std::size_t group = 0;
  SortPlace place;
};

class SortedRun {
 public:
  /// A group of records: those from here to the next mark.
  struct Mark {
    SortKey key = 0;       // of its first record
    std::uint64_t at = 0;  // bytes of records before it
  };

  virtual ~SortedRun() = default;
  SortedRun() = default;
  SortedRun(const SortedRun&) = delete;
  SortedRun& operator=(const SortedRun&) = delete;

  const std::vector<Mark>& marks() const { return marks_; }
  /// Bytes of all records.
  std::uint64_t record_bytes() const { return record_bytes_; }
  /// Memory that this run holds, in bytes.
  virtual std::uint64_t memory() const {
    return marks_.capacity() * sizeof(Mark) + orders_.capacity() * sizeof(std::uint64_t);
  }
  /// The records of the groups from `first` to before `last`, valid as long as `buffer` does not change. Several
  /// threads may call it at the same time. Throws IoError.
  virtual std::string_view groups(std::size_t first, std::size_t last, ByteBuffer& buffer) const = 0;

  /// The cut before the first record that is not before `place`.
  RunCut cut(const SortPlace& place) const;
  RunCut end() const { return {marks_.size(), {kAfterAllKeys, 0}}; }

  /// The place of a group's first record.
  SortPlace place(std::size_t group) const {
    return {marks_[group].key, has_orders_ ? orders_[group] : order_at(marks_[group].at)};
  }
  /// Whether each record is followed by its order, because those of a batch are not all here or not beside each other.
  bool has_orders() const { return has_orders_; }
  /// Otherwise: the order of the record with so many bytes of records before it.
  std::uint64_t order_at(std::uint64_t at) const { return first_order_ + (at >> kBytesOfOrderShift); }
  std::uint64_t first_order() const { return first_order_; }
  /// The records are those of batch `batch`.
  void set_batch(std::uint64_t batch) { first_order_ = batch * kOrdersOfBatch; }

 protected:
  // A record follows those before it. Begins a group if the last one has `group_bytes` bytes.
  void count_record(SortKey key, std::size_t size, std::uint64_t group_bytes) {
    if (marks_.empty() || record_bytes_ - marks_.back().at >= group_bytes) {
      marks_.push_back({key, record_bytes_});
    }
    record_bytes_ += size;
  }

  std::vector<Mark> marks_;
  std::vector<std::uint64_t> orders_;  // of the groups, if has_orders_
  std::uint64_t first_order_ = 0;
  std::uint64_t record_bytes_ = 0;
  bool has_orders_ = false;
};

/// A batch of records, sorted.
class MemoryRun : public SortedRun {
 public:
  struct Scratch {
    std::vector<SortEntry> entries, other;
    std::vector<OrderedEntry> ordered, other_ordered;
  };

  /// Copies the records in their order. `scratch` may have any content; its memory is used again.
  MemoryRun(const BamRecords& records, Scratch& scratch);
  /// The same, with orders: each record's is the number of its read in the input. `first_read`: that of read 0 of the
  /// batch.
  MemoryRun(const BamRecords& records, Scratch& scratch, std::uint64_t first_read);
  std::uint64_t memory() const override { return SortedRun::memory() + record_bytes_; }
  std::string_view groups(std::size_t first, std::size_t last, ByteBuffer& buffer) const override;

 private:
  template <class Entry>
  void copy(const std::vector<Entry>& entries);

  std::unique_ptr<char[]> bytes_;  // not on huge pages: with them a batch would take up to 2 MiB more
};

/// The order after the record at `record`.
inline std::uint64_t order_after(const char* record) {
  std::uint64_t order;
  std::memcpy(&order, record + bam_record_size(record), sizeof order);
  return order;
}

/// Calls each(place, record) for the records between two cuts, in their order. `buffer` holds what is not in memory;
/// the records are valid as long as it does not change.
template <class Each>
void for_each_record(const SortedRun& run, const RunCut& low, const RunCut& high, ByteBuffer& buffer, Each&& each) {
  // The last group is needed in part, unless it begins at the cut.
  const bool ends_inside = high.group < run.marks().size() && run.place(high.group) < high.place;
  const std::size_t last = high.group + (ends_inside ? 1 : 0);
  if (low.group >= last) {
    return;
  }
  const std::string_view bytes = run.groups(low.group, last, buffer);
  const char* const end = bytes.data() + bytes.size();
  const std::uint64_t at = run.marks()[low.group].at;
  const std::size_t after = run.has_orders() ? sizeof(std::uint64_t) : 0;
  for (const char* record = bytes.data(); record < end; record += bam_record_size(record) + after) {
    const std::uint64_t order =
        run.has_orders() ? order_after(record) : run.order_at(at + static_cast<std::uint64_t>(record - bytes.data()));
    const SortPlace place{sort_key(record), order};
    if (place >= high.place) {
      break;
    }
    if (place >= low.place) {
      each(place, record);
    }
  }
}

}  // namespace trawl::io
