#include "io/write/sort/sorted_run.hpp"

#include <algorithm>

namespace trawl::io {

namespace {

// A smaller group wastes memory for its mark, a larger one time for records that are passed over.
constexpr std::uint64_t kGroupBytesInMemory = 1024;

}  // namespace

RunCut SortedRun::cut(const SortPlace& place) const {
  std::size_t first = 0;
  for (std::size_t last = marks_.size(); first < last;) {
    const std::size_t middle = first + (last - first) / 2;
    if (this->place(middle) < place) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  return {first == 0 ? 0 : first - 1, place};
}

MemoryRun::MemoryRun(const BamRecords& records, Scratch& scratch)
    : bytes_(std::make_unique_for_overwrite<char[]>(records.bytes.size())) {
  auto& entries = scratch.entries;
  entries.clear();
  entries.reserve(records.infos.size());
  for (const BamRecordInfo& info : records.infos) {
    entries.push_back({sort_key(info.contig, info.start, info.flag), records.bytes.data() + info.at});
  }
  sort_by_key(entries, scratch.other);
  marks_.reserve(records.bytes.size() / kGroupBytesInMemory + 1);
  copy(entries);
}

MemoryRun::MemoryRun(const BamRecords& records, Scratch& scratch, std::uint64_t first_read) {
  auto& entries = scratch.ordered;
  const std::size_t bytes = records.bytes.size() + records.infos.size() * sizeof entries.front().order;
  bytes_ = std::make_unique_for_overwrite<char[]>(bytes);
  has_orders_ = true;
  entries.clear();
  entries.reserve(records.infos.size());
  for (const BamRecordInfo& info : records.infos) {
    entries.push_back(
        {sort_key(info.contig, info.start, info.flag), records.bytes.data() + info.at, first_read + info.read});
  }
  sort_by_key(entries, scratch.other_ordered);
  marks_.reserve(bytes / kGroupBytesInMemory + 1);
  orders_.reserve(bytes / kGroupBytesInMemory + 1);
  copy(entries);
}

template <class Entry>
void MemoryRun::copy(const std::vector<Entry>& entries) {
  char* to = bytes_.get();
  for (const Entry& entry : entries) {
    std::size_t size = bam_record_size(entry.record);
    std::memcpy(to, entry.record, size);
    if constexpr (requires { entry.order; }) {
      std::memcpy(to + size, &entry.order, sizeof entry.order);
      size += sizeof entry.order;
    }
    to += size;
    count_record(entry.key, size, kGroupBytesInMemory);
    if constexpr (requires { entry.order; }) {
      if (orders_.size() < marks_.size()) {
        orders_.push_back(entry.order);
      }
    }
  }
}

std::string_view MemoryRun::groups(std::size_t first, std::size_t last, ByteBuffer&) const {
  const auto at = [&](std::size_t group) { return group < marks_.size() ? marks_[group].at : record_bytes_; };
  return {bytes_.get() + at(first), at(last) - at(first)};
}

}  // namespace trawl::io
