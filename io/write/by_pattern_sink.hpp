// Takes the records of a scan in the order of the reference, and passes them on in the order of the patterns.
//
//   with: RecordSink& sink, std::span<const scan::Record> records, const sequence::ContigNames& contig_names
//   ByPatternSink ordered(sink);
//   ordered.write(records, contig_names);    // the records wait, in memory or in a temporary file
//   ordered.finish();                        // sink has them all: by pattern, then contig, start, strand, end
#pragma once

#include <span>
#include <string>
#include <vector>

#include "io/write/record_queue.hpp"
#include "io/write/scan_sink.hpp"
#include "scan/report/record.hpp"
#include "sequence/contig_names.hpp"

namespace trawl::io {

class ByPatternSink final : public RecordSink {
 public:
  /// `to` must outlive this object.
  explicit ByPatternSink(RecordSink& to);

  /// Throws IoError if the temporary file fails.
  void write(std::span<const scan::Record> records, const sequence::ContigNames& contig_names) override;
  /// Throws IoError.
  void finish();

 private:
  RecordSink& to_;
  RecordQueue queue_;
  sequence::ContigNames contig_names_;
};

}  // namespace trawl::io
