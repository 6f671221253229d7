#include "io/write/sort/sorted_run.hpp"

#include <algorithm>

#include "base/radix_sort.hpp"

namespace trawl::io {

namespace {

// A smaller group wastes memory for its mark, a larger one time for records that are passed over.
constexpr std::uint64_t kGroupBytesInMemory = 1024;

}  // namespace

RunCut SortedRun::cut(const SortPlace& place) const {
  const auto first = std::partition_point(marks_.begin(), marks_.end(), [&](const Mark& m) { return m.place < place; });
  return {static_cast<std::size_t>(std::max<std::ptrdiff_t>(first - marks_.begin(), 1) - 1), place};
}

MemoryRun::MemoryRun(const BamRecords& records, Scratch& scratch, std::uint64_t first_read) {
  const std::size_t bytes = records.bytes.size() + records.infos.size() * sizeof first_read;
  bytes_ = std::make_unique_for_overwrite<char[]>(bytes);
  auto& entries = scratch.entries;
  entries.clear();
  entries.reserve(records.infos.size());
  for (const BamRecordInfo& info : records.infos) {
    entries.push_back(
        {{sort_key(info.contig, info.start, info.flag), first_read + info.read}, records.bytes.data() + info.at});
  }
  radix_sort(entries, scratch.other, [](const SortEntry& entry) { return entry.place.key; });
  marks_.reserve(bytes / kGroupBytesInMemory + 1);
  for (const SortEntry& entry : entries) {
    if (marks_.empty() || record_bytes_ - marks_.back().at >= kGroupBytesInMemory) {
      marks_.push_back({entry.place, record_bytes_});
    }
    char* const to = bytes_.get() + record_bytes_;
    const std::size_t size = bam_record_size(entry.record);
    std::memcpy(to, entry.record, size);
    std::memcpy(to + size, &entry.place.order, sizeof entry.place.order);
    record_bytes_ += size + sizeof entry.place.order;
  }
}

std::string_view MemoryRun::groups(std::size_t first, std::size_t last, ByteBuffer&) const {
  return {bytes_.get() + group_at(first), group_at(last) - group_at(first)};
}

}  // namespace trawl::io
