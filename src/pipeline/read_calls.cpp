#include "pipeline/read_calls.hpp"

#include "sequence/text_chunk.hpp"

namespace trawl::pipeline {

void ReadCalls::write(std::span<const scan::SiteRecord> records, const sequence::ContigNames&) {
  for (const scan::SiteRecord& record : records) {
    if (record.contig != read_ && caller_.has_records()) {
      called_.emplace_back(read_, caller_.finish());
    }
    read_ = record.contig;
    caller_.add(record);
  }
}

void ReadCalls::end_chunk(const sequence::TextChunk& chunk) {
  if (caller_.has_records()) {
    called_.emplace_back(read_, caller_.finish());
  }
  const sequence::ReadBatch& reads = *chunk.reads;
  const std::size_t mates = reads.paired ? 2 : 1;
  std::vector<scan::ReadCall> calls(reads.size() / mates);
  for (auto& [read, call] : called_) {
    calls[(read - reads.first_read) / mates] = std::move(call);
  }
  called_.clear();
  take_(reads, calls);
}

}  // namespace trawl::pipeline
