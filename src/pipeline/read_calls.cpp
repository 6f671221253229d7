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
  std::vector<scan::ReadCall> calls(reads.size());
  const auto finish = [&](std::size_t r, scan::ReadCaller& caller) {
    if (search_.overhangs != nullptr) {
      search_.overhangs->search(reads.bases(r), reads.first_read + r,
                                [&](const scan::SiteRecord& record) { caller.add(record); });
    }
    calls[r] = caller.finish({reads.bases(r), reads.qualities(r)});
  };
  // Reads without records have overhangs only.
  tbb::parallel_for(std::size_t{0}, callers_.size() + 1, [&](std::size_t c) {
    std::size_t r = c > 0 ? callers_[c - 1].first - reads.first_read : 0;
    if (c > 0) {
      finish(r++, callers_[c - 1].second);
    }
    const std::size_t next = c < callers_.size() ? callers_[c].first - reads.first_read : reads.size();
    for (scan::ReadCaller none(rule_, search_.ties); search_.overhangs != nullptr && r < next; ++r) {
      finish(r, none);
    }
  });
  callers_.clear();
  take_(reads, calls);
}

}  // namespace trawl::pipeline
