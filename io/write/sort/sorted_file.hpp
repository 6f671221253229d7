// The file that sorted records are written to, and its index.
//
//   with: const sequence::Reference& reference, const std::string& header_text
//   with: const std::vector<const SortedRun*>& runs, const MergeOptions& options
//   const auto file = open_sorted_file("out.bam", OutputFormat::bam, header_text, reference, 6);
//   merge_runs(runs, *file, options);
//   file->finish();
//   file->commit();    // now out.bam and out.bam.bai exist
//
// Several processes can write it, each its ranges, as a ChunkOutput. In way 1 the one that has opened it must be given
// what the index needs:
//
//   with: SortedFile& file, Chunk& chunk, std::string& bytes
//   file.append_index_part(chunk, bytes);    // where the chunk was packed and has its room
//   file.add_index_part(bytes);              // where the file was opened, in the order of the ranges
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/write/alignment_sink.hpp"
#include "io/write/output_file.hpp"
#include "io/write/sort/sorted_merge.hpp"
#include "sequence/reference.hpp"

namespace trawl::io {

class SortedFile : public MergeTarget {
 public:
  virtual void append_index_part(Chunk& chunk, std::string& bytes) const = 0;
  virtual void add_index_part(std::string_view bytes) = 0;
  /// Completes the file and the index under their temporary names. Throws IoError.
  virtual void finish() = 0;
  /// Gives both their names, and removes other indexes that belonged to an older file of this name. Throws IoError.
  virtual void commit() = 0;
};

/// The names under which programs look for the index of a BAM or CRAM file.
///   index_names("x.bam", OutputFormat::bam) == {"x.bai", "x.bam.bai", "x.bam.csi"}
std::vector<std::string> index_names(const std::string& path, OutputFormat format);

/// Opens the file and its index and writes the header. `format`: BAM or CRAM. `level`: see BgzfCompressor. `reference`
/// must outlive the file. If another process has opened it, there is no index here, and the header is not needed.
/// Throws IoError.
std::unique_ptr<SortedFile> open_sorted_file(const OutputName& name, OutputFormat format,
                                             const std::string& header_text, const sequence::Reference& reference,
                                             int level);

}  // namespace trawl::io
