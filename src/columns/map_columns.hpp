// What an engine or a search returns, as columns.
//
//   align::AlignmentBatch batch;
//   batch.reads.resize(1);                       // a read without a locus
//   Alignments rows;
//   add_rows(batch, {.keep_unmapped = true}, rows);
//   rows.size() == 1
//   rows.contig[0] == -1
//   ColumnSink sink({}, [](Alignments& rows, std::uint64_t input_bytes) { ... });   // batch by batch
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "align/alignment.hpp"
#include "align/records.hpp"
#include "io/write/alignment_sink.hpp"
#include "scan/report/record.hpp"
#include "sequence/read_batch.hpp"
#include "trawl/mapper.hpp"
#include "trawl/scanner.hpp"

namespace trawl::columns {

/// Appends a row for each record. Reads count from 0 in `batch`.
void add_rows(const align::AlignmentBatch& batch, const align::RecordRule& rule, Alignments& rows);

/// Appends the names, bases and qualities of the reads.
void add_reads(const sequence::ReadBatch& reads, Alignments& rows);

/// Puts the rows of `more` behind those of `all`; its reads are numbered on. Both have the names of their reads.
void append(Alignments& all, const Alignments& more);

/// Appends a row. `bases`: the pattern, with its PAM.
void add_hit(const scan::SiteRecord& record, std::string_view bases, Hits& hits);

/// Puts the rows of `more` behind those of `all`, with the names of the contigs of `more`.
void append(Hits& all, const Hits& more);

/// Empties the columns; their memory is kept.
void clear(Hits& hits);

/// The columns with an entry for each row. `rows`: Alignments or Hits.
template <class Rows>
auto columns_of(Rows& rows) {
  if constexpr (requires { rows.pattern; }) {
    return std::tie(rows.pattern, rows.contig, rows.start, rows.end, rows.reverse, rows.distance, rows.edits,
                    rows.mismatches, rows.dna_bulges, rows.rna_bulges, rows.cigar, rows.sequence);
  } else {
    return std::tie(rows.read, rows.contig, rows.start, rows.end, rows.flag, rows.distance, rows.edits, rows.score,
                    rows.mapq, rows.count, rows.dropped, rows.mate_contig, rows.mate_start, rows.template_length,
                    rows.cigar, rows.md);
  }
}

/// Some rows, by their numbers, and nothing of the reads.
Alignments chosen(const Alignments& all, std::span<const std::int64_t> rows);
Hits chosen(const Hits& all, std::span<const std::int64_t> rows);

/// Gives the rows of each batch, in input order.
class ColumnSink final : public io::AlignmentSink {
 public:
  /// `take` gets the rows of each batch, and how many bytes of the input were read for them; it may move the rows away.
  /// What it throws ends the work.
  using Take = std::function<void(Alignments&, std::uint64_t input_bytes)>;
  ColumnSink(const align::RecordRule& rule, Take take) : rule_(rule), take_(std::move(take)) {}

  using io::AlignmentSink::format;
  void format(const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments,
              io::Chunk& chunk) const override {
    auto& batch = static_cast<RowChunk&>(chunk);
    batch.rows = {};
    add_rows(alignments, rule_, batch.rows);
    add_reads(reads, batch.rows);
    batch.reads = reads.size();
    batch.input_bytes = reads.input_bytes;
  }
  std::unique_ptr<io::Chunk> make_chunk() const override { return std::make_unique<RowChunk>(); }

  void write(io::Chunk& chunk) override {
    auto& batch = static_cast<RowChunk&>(chunk);
    batch.rows.first_read = reads_;
    reads_ += batch.reads;
    take_(batch.rows, batch.input_bytes);
  }

  void close() override {}

 private:
  struct RowChunk final : io::Chunk {
    Alignments rows;
    std::size_t reads = 0;
    std::uint64_t input_bytes = 0;
  };

  align::RecordRule rule_;
  Take take_;
  std::uint64_t reads_ = 0;
};

}  // namespace trawl::columns
