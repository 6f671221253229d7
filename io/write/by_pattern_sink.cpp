#include "io/write/by_pattern_sink.hpp"

#include <algorithm>
#include <cstdint>

namespace trawl::io {

namespace {

// Bytes of records that wait in memory.
constexpr std::uint64_t kMostBytes = std::uint64_t{128} << 20;
// The queue sorts by contig first. So here the pattern is the upper half of the contig's number.
constexpr unsigned kContigBits = 32;

}  // namespace

ByPatternSink::ByPatternSink(RecordSink& to) : to_(to), queue_(kMostBytes) {}

void ByPatternSink::write(std::span<const scan::Record> records, const sequence::ContigNames& contig_names) {
  contig_names_.add(contig_names);
  std::vector<scan::Record> copies;
  copies.reserve(records.size());
  for (const scan::Record& record : records) {
    copies.push_back(scan::copy_of(record));
    copies.back().contig |= std::uint64_t{record.pattern} << kContigBits;
  }
  queue_.take(copies);
}

void ByPatternSink::finish() {
  std::vector<scan::Record> copies;
  queue_.write_until({UINT64_MAX, UINT64_MAX}, [&](std::span<const scan::Record> records) {
    constexpr std::size_t kPiece = 65536;  // so that there are few copies at a time
    for (; !records.empty(); records = records.subspan(std::min(kPiece, records.size()))) {
      copies.clear();
      for (const scan::Record& record : records.first(std::min(kPiece, records.size()))) {
        copies.push_back(scan::copy_of(record));
        copies.back().contig &= (std::uint64_t{1} << kContigBits) - 1;
      }
      to_.write(copies, contig_names_);
    }
  });
}

}  // namespace trawl::io
