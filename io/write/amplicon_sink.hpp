// Writes the products of primer pairs as TSV or BED, depending on the extension of the path.
//
//   with: const sequence::Reference& reference, const sequence::PatternList& patterns
//   with: std::span<const scan::Record> records, const sequence::ContigNames& contig_names
//   AmpliconSink sink({.path = "products.tsv"}, patterns, {50, 2000}, reference);
//   sink.write(records, contig_names);   // the loci of the primers, in the order of the output
//   sink.close();                        // now products.tsv exists
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/write/scan_sink.hpp"
#include "io/write/text_output.hpp"
#include "scan/report/amplicons.hpp"
#include "sequence/contig_names.hpp"
#include "sequence/pattern.hpp"
#include "sequence/reference.hpp"

namespace trawl::io {

class AmpliconSink final : public RecordSink {
 public:
  /// `patterns`: the primers, two of each pair. `reference` must outlive the sink. Throws UsageError, also for formats
  /// that products do not have, and IoError.
  AmpliconSink(const ScanSinkOptions& options, const sequence::PatternList& patterns, const scan::AmpliconSizes& sizes,
               const sequence::Reference& reference);

  void write(std::span<const scan::Record> records, const sequence::ContigNames& contig_names) override;
  /// Completes the file and gives it its name. Throws IoError.
  void close();
  /// How many products there are so far; all of them after close().
  std::uint64_t amplicons() const { return amplicons_; }

 private:
  void take();
  void put_bed(const scan::Amplicon& amplicon);
  void put_tsv(const scan::Amplicon& amplicon);
  void put_sequence(const scan::Amplicon& amplicon);

  ScanFormat format_;
  sequence::PatternList patterns_;
  const sequence::Reference& reference_;
  scan::AmpliconFinder finder_;
  TextOutput output_;
  std::string text_;
  std::string letters_;  // of a product
  std::uint64_t amplicons_ = 0;
};

}  // namespace trawl::io
