// Writes the hits of patterns as BED, TSV, CSV or SAM, depending on the extension of the path.
//
//   with: const sequence::Reference reference = reference_of("GATTACA")
//   ScanSink sink({.path = "sites.bed"}, {{"p", "GATTACA"}});
//   std::vector<scan::SiteRecord> records(1);
//   records[0].end = 7;
//   sink.write(records, {"chr1"});             // in the order of the output
//   sink.close(reference.contigs(), {});       // now sites.bed exists
#pragma once

#include <tbb/task_arena.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/write/nameless_file.hpp"
#include "io/write/scan_lines.hpp"
#include "io/write/text_output.hpp"
#include "scan/report/record.hpp"
#include "sequence/contig_names.hpp"
#include "sequence/pattern.hpp"
#include "sequence/reference.hpp"
#include "sequence/text_chunk.hpp"

namespace trawl::io {

struct ScanSinkOptions {
  std::string path = "-";
  std::string command_line = {};  // SAM: @PG CL
  std::string version = {};       // SAM: @PG VN
  unsigned threads = 1;           // for the text and its compression; the output does not depend on it
  int compression_level = default_compression_level();  // of BED.gz and tables; see BgzfCompressor
  MoreColumns more = {};                                // of a table
};

/// Takes the records of a scan.
class RecordSink {
 public:
  virtual ~RecordSink() = default;
  /// Takes records in the order of the output. Throws IoError.
  virtual void write(std::span<const scan::SiteRecord> records, const sequence::ContigNames& contig_names) = 0;
  /// All records of the chunk's reads were written. With a reference, a record of the chunk may still come.
  virtual void end_chunk(const sequence::TextChunk&) {}
};

class ScanSink final : public RecordSink {
 public:
  /// `patterns`: what is searched, with the PAM if there is one. Throws UsageError, IoError.
  ScanSink(const ScanSinkOptions& options, sequence::PatternList patterns);
  ~ScanSink() override;

  /// Lines that are made already. Throws IoError.
  void write(std::string_view lines);
  void write(std::span<const scan::SiteRecord> records, const sequence::ContigNames& contig_names) override;
  /// Completes the file and gives it its name. If the sink is not closed, no file is left. Throws Error, IoError.
  void close(const std::vector<sequence::Contig>& contigs, const std::vector<std::string>& md5s);

 private:
  void add(std::string_view lines);
  void flush();

  ScanSinkOptions options_;
  ScanFormat format_;
  ScanLines lines_;
  TextOutput output_;
  std::string text_;  // what goes to the output next
  tbb::task_arena arena_;
  // SAM names all contigs before the first record, but they are known only at the end. Until then the records wait in a
  // temporary file without a name.
  std::optional<NamelessFile> spool_;
};

}  // namespace trawl::io
