// What an engine returns, as columns, batch by batch.
//
//   with: const align::RecordRule& rule
//   ColumnSink sink(rule, [](Alignments& rows, std::uint64_t input_bytes) { ... });   // in input order
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "columns/map_columns.hpp"
#include "io/write/alignment_sink.hpp"

namespace trawl::columns {

class ColumnSink final : public io::AlignmentSink {
 public:
  /// `take` gets the rows of each batch, and how many bytes of the input were read for them; it may move the rows away.
  /// What it throws ends the work.
  using Take = std::function<void(Alignments&, std::uint64_t input_bytes)>;
  ColumnSink(const align::RecordRule& rule, Take take) : rule_(rule), take_(std::move(take)) {}

  using io::AlignmentSink::format;
  void format(const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments,
              io::Chunk& chunk) const override {
    auto& batch = static_cast<Batch&>(chunk);
    batch.rows = {};
    add_rows(alignments, rule_, batch.rows);
    add_reads(reads, batch.rows);
    batch.reads = reads.size();
    batch.input_bytes = reads.input_bytes;
  }
  std::unique_ptr<io::Chunk> make_chunk() const override { return std::make_unique<Batch>(); }

  void write(io::Chunk& chunk) override {
    auto& batch = static_cast<Batch&>(chunk);
    batch.rows.first_read = reads_;
    reads_ += batch.reads;
    take_(batch.rows, batch.input_bytes);
  }

  void close() override {}

 private:
  struct Batch final : io::Chunk {
    Alignments rows;
    std::size_t reads = 0;
    std::uint64_t input_bytes = 0;
  };

  align::RecordRule rule_;
  Take take_;
  std::uint64_t reads_ = 0;
};

}  // namespace trawl::columns
