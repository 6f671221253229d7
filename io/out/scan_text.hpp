// The lines of a scan's output: BED, TSV or SAM.
//
//   ScanText text(scan_format("sites.bed"), patterns, threads);
//   text.write(records, contig_names, [&](std::string_view some) { file.write(some); });
#pragma once

#include <tbb/task_arena.h>

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/out/byte_buffer.hpp"
#include "scan/report/record.hpp"
#include "sequence/pattern.hpp"

namespace trawl::io {

enum class ScanFormat { bed, bed_gz, tsv, sam };

/// The format for the path's extension; BED for streams without one. Throws UsageError for an unknown extension.
ScanFormat scan_format(const std::string& path);

class ScanText {
 public:
  /// `patterns`: what is searched, with the PAM if there is one. The text does not depend on the number of threads.
  ScanText(ScanFormat format, sequence::PatternList patterns, unsigned threads);

  /// Passes the lines of the records to `take`, in order, some at a time.
  void write(std::span<const scan::Record> records, const std::vector<std::string>& contig_names,
             const std::function<void(std::string_view)>& take);

 private:
  void put(std::span<const scan::Record> records, const std::vector<std::string>& contig_names, ByteBuffer& text) const;

  ScanFormat format_;
  sequence::PatternList patterns_;
  std::vector<ByteBuffer> pieces_;  // the text of some records each, written by several threads
  tbb::task_arena arena_;
};

}  // namespace trawl::io
