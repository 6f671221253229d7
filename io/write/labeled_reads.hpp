// Reads with what was found in them: cut, turned, and with SAM tags.
//
//   with: const sequence::ReadBatch& reads, std::span<const scan::ReadCall> calls
//   with: const sequence::PatternList& patterns
//   const auto labeled = labeled_reads(reads, 0, calls, patterns, {.trim = Trim::before, .tags = kUsualTags});
//   labeled.size() == reads.size()
//   LabeledFile file({.path = "tagged.bam"}, {.tags = kUsualTags}, patterns);
//   file.write(reads, calls);     // a call for each read or pair: CB:Z:GATTACA CR:Z:GATTTCA CY:Z:IIIIIII
//   file.close();                 // now tagged.bam exists
#pragma once

#include <tbb/task_arena.h>

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "io/read/barcode_lists.hpp"
#include "io/write/alignment_sink.hpp"
#include "scan/report/read_call.hpp"
#include "sequence/pattern.hpp"
#include "sequence/read_batch.hpp"

namespace trawl::io {

/// What is cut off a read that is assigned to a pattern. `before` and `after` are seen in the direction of the pattern.
enum class Trim {
  none,
  before,  // the pattern, and all before it
  after,   // the pattern, and all after it
};

/// The names of tags: of the pattern's letters, of the piece of the read that has it, and of its qualities; then the
/// same three of molecules. Empty: it is left out.
using ReadTags = std::array<std::string, 6>;
inline const ReadTags kUsualTags = {"CB", "CR", "CY", "UB", "UR", "UY"};

struct LabelRule {
  Trim trim = Trim::none;
  bool orient = false;  // an assigned read is written in the direction of its pattern
  ReadTags tags = {};   // none: reads keep their comments; otherwise only the SAM tags in them, after the new ones
  const BarcodeLists* barcodes = nullptr;  // of reads with a structure: their templates are written
};

/// How many calls one thread labels at a time.
inline constexpr std::size_t kCallsAPiece = 2048;

/// Copies of the reads or pairs from number `first` on, one for each call. The first mate of a pair is cut, both have
/// the tags. With a structure: the templates; a mate without one is not written. Comments are tags with tabs between
/// them; or, without tags, whole comments that begin with their blank.
sequence::ReadBatch labeled_reads(const sequence::ReadBatch& reads, std::size_t first,
                                  std::span<const scan::ReadCall> calls, const sequence::PatternList& patterns,
                                  const LabelRule& rule);

/// Whether a file with this name gets reads: FASTQ, FASTA, SAM, BAM or CRAM.
bool is_file_of_reads(const std::string& path);

/// One file of all reads, in the order of the input; of FASTQ or FASTA with % in the name, one for each mate.
class LabeledFile {
 public:
  /// Throws UsageError, IoError.
  LabeledFile(const SinkOptions& options, const LabelRule& rule, sequence::PatternList patterns);

  /// Throws IoError; InputError for a read without qualities that is to become FASTQ.
  void write(const sequence::ReadBatch& reads, std::span<const scan::ReadCall> calls);
  /// Completes the file and gives it its name. Throws IoError.
  void close() { sink_->close(); }

 private:
  LabelRule rule_;
  sequence::PatternList patterns_;
  sequence::Reference nothing_;  // the reference of reads that are not aligned
  std::unique_ptr<AlignmentSink> sink_;
  tbb::task_arena arena_;
};

}  // namespace trawl::io
