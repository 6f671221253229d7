// The file that sorted records are written to, and its index.
//
//   with: const sequence::Reference& reference, const std::string& header_text
//   with: const std::vector<const SortedRun*>& runs, const MergeOptions& options
//   const auto file = open_sorted_file("out.bam", OutputFormat::bam, header_text, reference, 6);
//   merge_runs(runs, *file, options);
//   file->finish();
//   file->commit();    // now out.bam and out.bam.bai exist
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/write/alignment_sink.hpp"
#include "io/write/sort/sorted_merge.hpp"
#include "sequence/reference.hpp"

namespace trawl::io {

class SortedFile : public MergeTarget {
 public:
  /// Completes the file and the index under their temporary names. Throws IoError.
  virtual void finish() = 0;
  /// Gives both their names, and removes other indexes that belonged to an older file of this name. Throws IoError.
  virtual void commit() = 0;
};

/// The names under which programs look for the index of a BAM or CRAM file.
///   index_names("x.bam", OutputFormat::bam) == {"x.bai", "x.bam.bai", "x.bam.csi"}
std::vector<std::string> index_names(const std::string& path, OutputFormat format);

/// Opens the file and its index and writes the header. `format`: BAM or CRAM. `level`: see BgzfCompressor. `reference`
/// must outlive the file. Throws IoError.
std::unique_ptr<SortedFile> open_sorted_file(const std::string& path, OutputFormat format,
                                             const std::string& header_text, const sequence::Reference& reference,
                                             int level);

}  // namespace trawl::io
