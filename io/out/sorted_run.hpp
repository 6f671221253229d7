// Records in coordinate order, in memory or in a temporary file. A sparse index finds any place in them.
//
//   MemoryRun run(records, scratch);                      // sorts them
//   ByteBuffer buffer;
//   for_each_record(run, run.cut(a), run.cut(b), buffer,
//                   [](SortKey key, const char* record) { ... });   // those with a <= key < b
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/packer.hpp"
#include "io/out/bam_encoder.hpp"
#include "io/out/byte_buffer.hpp"
#include "io/out/nameless_file.hpp"
#include "io/out/sort_key.hpp"

namespace trawl::io {

/// The first record of the group `group`, or of a later one, whose key is not less than `key`.
struct RunCut {
  std::size_t group = 0;
  SortKey key = 0;
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
  virtual std::uint64_t memory() const { return marks_.capacity() * sizeof(Mark); }
  /// The records of the groups from `first` to before `last`, valid as long as `buffer` does not change. Several
  /// threads may call it at the same time. Throws IoError.
  virtual std::string_view groups(std::size_t first, std::size_t last, ByteBuffer& buffer) const = 0;

  /// The cut before the first record whose key is not less than `key`.
  RunCut cut(SortKey key) const;
  RunCut end() const { return {marks_.size(), kAfterAllKeys}; }

 protected:
  // A record follows those before it. Begins a group if the last one has `group_bytes` bytes.
  void count_record(SortKey key, std::size_t size, std::uint64_t group_bytes) {
    if (marks_.empty() || record_bytes_ - marks_.back().at >= group_bytes) {
      marks_.push_back({key, record_bytes_});
    }
    record_bytes_ += size;
  }

  std::vector<Mark> marks_;
  std::uint64_t record_bytes_ = 0;
};

/// A batch of records, sorted.
class MemoryRun : public SortedRun {
 public:
  struct Scratch {
    std::vector<SortEntry> entries;
    std::vector<SortEntry> other;
  };

  /// Copies the records in their order. `scratch` may have any content; its memory is used again.
  MemoryRun(const BamRecords& records, Scratch& scratch);
  /// A run that another process has packed.
  explicit MemoryRun(Unpacker& from);

  void pack(Packer& to) const { to.numbers(marks_).text({bytes_.get(), record_bytes_}); }

  std::uint64_t memory() const override { return SortedRun::memory() + record_bytes_; }
  std::string_view groups(std::size_t first, std::size_t last, ByteBuffer& buffer) const override;

 private:
  std::unique_ptr<char[]> bytes_;  // not on huge pages: with them a batch would take up to 2 MiB more
};

/// Calls each(key, record) for the records between two cuts, in their order. `buffer` holds what is not in memory; the
/// records are valid as long as it does not change.
template <class Each>
void for_each_record(const SortedRun& run, const RunCut& low, const RunCut& high, ByteBuffer& buffer, Each&& each) {
  const auto& marks = run.marks();
  // The last group is needed in part, unless it begins at the cut.
  const bool ends_inside = high.group < marks.size() && marks[high.group].key < high.key;
  const std::size_t last = high.group + (ends_inside ? 1 : 0);
  if (low.group >= last) {
    return;
  }
  const std::string_view bytes = run.groups(low.group, last, buffer);
  const char* const end = bytes.data() + bytes.size();
  const char* const last_group = ends_inside ? bytes.data() + (marks[high.group].at - marks[low.group].at) : end;
  for (const char* record = bytes.data(); record < end; record += bam_record_size(record)) {
    const SortKey key = sort_key(record);
    if (key >= high.key && record >= last_group) {
      break;
    }
    if (key >= low.key) {
      each(key, record);
    }
  }
}

}  // namespace trawl::io
