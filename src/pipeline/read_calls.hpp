// The records of a search in reads -> a call for each read or pair.
//
//   with: const std::shared_ptr<io::ChunkSource>& chunks
//   ReadCalls calls({}, {.max_edits = 3}, [&](const sequence::ReadBatch& reads, auto of_them) {
//     of_them.size() == reads.size();
//   });
//   // scan_reference(chunks, ..., calls, ...) gives it the records, and the end of each chunk
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "io/write/scan_sink.hpp"
#include "scan/report/overhangs.hpp"
#include "scan/report/read_call.hpp"
#include "sequence/read_batch.hpp"

namespace trawl::pipeline {

class ReadCalls final : public io::RecordSink {
 public:
  /// Takes the calls of some reads or pairs, one for each, in order.
  using Take = std::function<void(const sequence::ReadBatch& reads, std::span<const scan::ReadCall> calls)>;

  /// What the rule needs; it must outlive the calls.
  struct Search {
    const scan::TieInputs* ties = nullptr;
    const scan::Overhangs* overhangs = nullptr;
  };

  ReadCalls(const Search& search, const scan::CallRule& rule, Take take)
      : search_(search), rule_(rule), take_(std::move(take)) {}

  void write(std::span<const scan::SiteRecord> records, const sequence::ContigNames& contig_names) override;
  void end_chunk(const sequence::TextChunk& chunk) override;

 private:
  Search search_;
  scan::CallRule rule_;
  Take take_;
  std::vector<std::pair<std::uint64_t, scan::ReadCaller>> callers_;  // of the reads of this chunk that have records
};

}  // namespace trawl::pipeline
