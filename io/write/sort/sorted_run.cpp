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
  char* to = bytes_.get();
  for (const SortEntry& entry : entries) {
    const std::size_t size = bam_record_size(entry.record);
    std::memcpy(to, entry.record, size);
    to += size;
    count_record(entry.key, size, kGroupBytesInMemory);
  }
}

std::string_view MemoryRun::groups(std::size_t first, std::size_t last, ByteBuffer&) const {
  const auto at = [&](std::size_t group) { return group < marks_.size() ? marks_[group].at : record_bytes_; };
  return {bytes_.get() + at(first), at(last) - at(first)};
}

}  // namespace trawl::io
