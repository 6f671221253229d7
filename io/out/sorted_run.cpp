#include "io/out/sorted_run.hpp"

#include <algorithm>

namespace trawl::io {

namespace {

// A smaller group wastes memory for its mark, a larger one time for records that are passed over.
constexpr std::uint64_t kGroupBytesInMemory = 1024;

}  // namespace

RunCut SortedRun::cut(SortKey key) const {
  const auto at = std::partition_point(marks_.begin(), marks_.end(), [&](const Mark& mark) { return mark.key < key; });
  return {at == marks_.begin() ? 0 : static_cast<std::size_t>(at - marks_.begin()) - 1, key};
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

MemoryRun::MemoryRun(Unpacker& from) {
  marks_ = from.numbers<Mark>();
  const std::string_view bytes = from.text();
  record_bytes_ = bytes.size();
  bytes_ = std::make_unique_for_overwrite<char[]>(bytes.size());
  bytes.copy(bytes_.get(), bytes.size());
}

std::string_view MemoryRun::groups(std::size_t first, std::size_t last, ByteBuffer&) const {
  const auto at = [&](std::size_t group) { return group < marks_.size() ? marks_[group].at : record_bytes_; };
  return {bytes_.get() + at(first), at(last) - at(first)};
}

}  // namespace trawl::io
