#include "pipeline/read_calls.hpp"

#include <tbb/parallel_for.h>

#include "sequence/text_chunk.hpp"

namespace trawl::pipeline {

void ReadCalls::write(std::span<const scan::SiteRecord> records, const sequence::ContigNames&) {
  for (const scan::SiteRecord& record : records) {
    if (callers_.empty() || callers_.back().first != record.contig) {
      callers_.emplace_back(record.contig, scan::ReadCaller(rule_, search_.ties));
    }
    callers_.back().second.add(record);
  }
}

void ReadCalls::end_chunk(const sequence::TextChunk& chunk) {
  const sequence::ReadBatch& reads = *chunk.reads;
  const std::size_t mates = reads.paired ? 2 : 1;
  std::vector<scan::ReadCall> calls(reads.size() / mates);
  const auto finish = [&](std::size_t c, scan::ReadCaller& caller) {
    const std::size_t r = c * mates;
    if (search_.overhangs != nullptr) {
      search_.overhangs->search(reads.bases(r), reads.first_read + r,
                                [&](const scan::SiteRecord& record) { caller.add(record); });
    }
    calls[c] = caller.finish({reads.bases(r), reads.qualities(r)});
  };
  const auto call_of = [&](std::size_t caller) { return (callers_[caller].first - reads.first_read) / mates; };
  // Reads without records have overhangs only.
  tbb::parallel_for(std::size_t{0}, callers_.size() + 1, [&](std::size_t n) {
    std::size_t c = n > 0 ? call_of(n - 1) : 0;
    if (n > 0) {
      finish(c++, callers_[n - 1].second);
    }
    const std::size_t next = n < callers_.size() ? call_of(n) : calls.size();
    for (scan::ReadCaller none(rule_, search_.ties); search_.overhangs != nullptr && c < next; ++c) {
      finish(c, none);
    }
  });
  callers_.clear();
  take_(reads, calls);
}

}  // namespace trawl::pipeline
