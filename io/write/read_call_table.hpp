// The table of `trawl scan --per-read best`: a row for each read or pair.
//
//   with: const sequence::ReadBatch& reads, std::span<const scan::ReadCall> calls
//   ReadCallTable table({.path = "calls.tsv"}, {{"bc01", "GATTACA"}});
//   table.write(reads, calls);      // a call for each read or pair
//   table.close();                  // now calls.tsv exists
#pragma once

#include <tbb/task_arena.h>

#include <span>
#include <string>
#include <vector>

#include "io/read/barcode_lists.hpp"
#include "io/write/scan_sink.hpp"
#include "io/write/text_output.hpp"
#include "scan/report/read_call.hpp"
#include "sequence/pattern.hpp"
#include "sequence/read_batch.hpp"

namespace trawl::io {

/// The format for the path's extension; TSV for streams without one. Throws UsageError if it is not one of a table.
ScanFormat read_call_format(const std::string& path);

class ReadCallTable {
 public:
  /// `barcodes`: of reads with a structure; must outlive this object. Throws UsageError, IoError.
  ReadCallTable(const ScanSinkOptions& options, sequence::PatternList patterns, const BarcodeLists* barcodes = nullptr);

  /// Throws IoError.
  void write(const sequence::ReadBatch& reads, std::span<const scan::ReadCall> calls);
  /// Completes the file and gives it its name. Throws IoError.
  void close() { output_.close(); }

 private:
  void append(std::string_view read, const scan::ReadCall& call, std::string& text) const;
  void append_barcodes(const sequence::ReadBatch& reads, std::size_t read, const scan::ReadCall& call,
                       std::string& text) const;
  void append_names(std::span<const std::uint32_t> of, const sequence::PatternList& patterns, std::string& text) const;

  char separator_;
  sequence::PatternList patterns_;
  const BarcodeLists* barcodes_;
  TextOutput output_;
  tbb::task_arena arena_;
  std::vector<std::string> pieces_;  // the text of some rows each
};

}  // namespace trawl::io
