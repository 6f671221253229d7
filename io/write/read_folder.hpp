// `trawl scan --extract`: reads in files by pattern, one folder for all.
//
//   with: const sequence::ReadBatch& reads, std::span<const scan::ReadCall> calls
//   ReadFolder folder({.path = "by_barcode"}, {{"bc01", "GATTACA"}});
//   folder.write(reads, calls);       // a call for each read or pair
//   folder.close();                   // by_barcode/bc01.fq.gz, ambiguous.fq.gz, unassigned.fq.gz
//
// There may be many thousands of patterns, more than a process may have files open. Few files are written as they grow.
// Otherwise their compressed blocks wait in one temporary file, and close() writes one file after the other. In both
// cases a file has no name until it is complete, and its bytes depend on its reads only.
#pragma once

#include <tbb/enumerable_thread_specific.h>
#include <tbb/task_arena.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/write/bgzf_compressor.hpp"
#include "io/write/labeled_reads.hpp"
#include "io/write/nameless_file.hpp"
#include "io/write/output_file.hpp"
#include "scan/report/read_call.hpp"
#include "sequence/pattern.hpp"
#include "sequence/read_batch.hpp"

namespace trawl::io {

struct ReadFolderOptions {
  std::string path;
  LabelRule labels = {};
  std::size_t mates = 1;  // 2: the reads are pairs, whose mates have files of their own
  unsigned threads = 1;
  int compression_level = default_compression_level();
  std::optional<std::size_t> most_open = {};  // files; not given: about half of those that the process may have open
  std::uint64_t most_held = std::uint64_t{256} << 20;  // bytes of text in memory that have not filled a block
};

class ReadFolder {
 public:
  /// Makes the folder if it does not exist. Throws UsageError if patterns have no names for different files, IoError if
  /// there are files in the folder.
  ReadFolder(const ReadFolderOptions& options, const sequence::PatternList& patterns);
  /// Without close(), the folder is left as it was before.
  ~ReadFolder();
  ReadFolder(const ReadFolder&) = delete;
  ReadFolder& operator=(const ReadFolder&) = delete;

  /// Throws IoError; InputError for a read without the mate, or without the qualities, that its file needs.
  void write(const sequence::ReadBatch& reads, std::span<const scan::ReadCall> calls);
  /// Completes the files, also those without reads, and gives them their names. Throws IoError.
  void close();

 private:
  // In the temporary file.
  struct SpooledPiece {
    std::uint64_t at = 0;
    std::uint32_t size = 0;
  };
  struct ReadFile {
    std::string name;                    // without its folder and extension
    std::string text;                    // the end of the text, which has not filled a block
    std::vector<SpooledPiece> waiting;   // the text before it, for which there was no room in memory
    std::uint64_t waiting_bytes = 0;     // of that
    std::vector<SpooledPiece> blocks;    // compressed
    std::unique_ptr<OutputFile> output;  // in place of them
    bool is_full = false;                // the text fills a block

    std::uint64_t left() const { return waiting_bytes + text.size(); }
  };
  struct FullBlock {
    std::size_t file = 0;
    std::string text;
    std::string packed;
  };

  void name_files(const sequence::PatternList& patterns);
  void make_folder();
  std::size_t file_of(const scan::ReadCall& call) const;
  void add(const sequence::ReadBatch& reads, std::size_t read, std::size_t file);
  void take_waiting(ReadFile& file) const;
  void write_blocks();
  void spill();
  SpooledPiece spool(std::string_view bytes);
  std::unique_ptr<OutputFile> output_of(const ReadFile& file) const;
  void complete(ReadFile& file) const;
  std::string packed(std::string_view text) const;

  ReadFolderOptions options_;
  bool is_made_ = false;  // the folder, by this object
  bool is_closed_ = false;
  bool is_fastq_ = true;
  sequence::PatternList patterns_;
  std::vector<ReadFile> files_;    // by pattern, then the ambiguous and the unassigned reads; by mate
  std::vector<std::size_t> full_;  // files whose text fills a block
  std::size_t open_ = 0;           // files
  std::unique_ptr<NamelessFile> spool_;
  mutable tbb::enumerable_thread_specific<BgzfCompressor> compressors_;
  mutable tbb::task_arena arena_;
};

}  // namespace trawl::io
