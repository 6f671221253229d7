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

#include "io/read/barcode_lists.hpp"
#include "io/write/scan_sink.hpp"
#include "scan/report/overhangs.hpp"
#include "scan/report/read_call.hpp"
#include "sequence/read_batch.hpp"
#include "sequence/text_chunk.hpp"

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

/// The same of reads with a structure, whose barcodes are searched.
///
///   with: const io::BarcodeLists& lists
///   const scan::TieInputs ties;
///   StructuredCalls calls(ties, {.max_edits = 1}, match::Metric::levenshtein, lists,
///                         [&](const sequence::ReadBatch& reads, std::span<const scan::ReadCall> of_them) {
///                           of_them.size() == reads.size();      // of pairs: half of it
///                         });
///   // scan_reference(chunks, ..., calls, ...) gives it the records, and the end of each chunk
class StructuredCalls final : public io::RecordSink {
 public:
  /// The structure of `lists` has all mates of the reads. It and `ties` must outlive this object.
  StructuredCalls(const scan::TieInputs& ties, const scan::CallRule& rule, match::Metric metric,
                  const io::BarcodeLists& lists, ReadCalls::Take take)
      : ties_(ties), rule_(rule), metric_(metric), lists_(lists), take_(std::move(take)) {}

  void write(std::span<const scan::SiteRecord> records, const sequence::ContigNames& contig_names) override;
  void end_chunk(const sequence::TextChunk& chunk) override;

 private:
  struct FoundPattern {
    std::uint64_t contig = 0;
    std::uint32_t pattern = 0;
    std::uint32_t begin = 0, end = 0;
    std::uint16_t distance = 0;
  };

  scan::ReadCall call_of(const sequence::TextChunk& chunk, std::span<const sequence::PlacedRead> mates) const;
  scan::ReadCall barcode_call(const scan::StructurePart& barcode, const sequence::PlacedPart& place,
                              std::uint64_t contig, const scan::ReadLetters& read) const;

  const scan::TieInputs& ties_;
  scan::CallRule rule_;
  match::Metric metric_;
  const io::BarcodeLists& lists_;
  ReadCalls::Take take_;
  std::vector<FoundPattern> found_;  // in this chunk, by contig
};

}  // namespace trawl::pipeline
