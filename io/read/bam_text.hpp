// The reads of a SAM, BAM or CRAM as FASTQ, for ReadSource: what `samtools fastq -T '*'` gives, without that program.
//
//   with: std::unique_ptr<InputFile> file
//   is_alignments(*file) == true
//   BamText reads(std::move(file), "reads.bam", 4, true, false);
//   const auto text = reads.open();
//   std::string bytes(1000, '\0');
//   text->read(bytes.data(), bytes.size());
//   reads.finish();                     // throws if the file was damaged
//
// Secondary and supplementary records are left out, and reads that were aligned to the reverse strand are turned back.
// The tags follow the name as a comment, as SAM writes them. A read without qualities has quality 1.
//
// With `is_mapping`, the names must be grouped: the two mates of a pair follow each other, in any
// order, and come first mate first. Before the tags stands a word that bam_word() understands.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "io/read/gzip/input_file.hpp"

namespace trawl::io {

/// Whether the file has alignments, by its first bytes. Not after InputFile::read().
bool is_alignments(InputFile& file);

/// What a record says about its read: the word that begins the comment.
///   const BamWord word = bam_word("2:Y:0:");
///   word.mate == 2
///   word.has_failed == true
struct BamWord {
  unsigned mate = 0;  // of a pair that is complete: 1, then 2
  bool has_failed = false;
  bool has_qualities = true;
};
BamWord bam_word(std::string_view comment);

/// What the thread that reads needs.
struct BamReading;

class BamText {
 public:
  /// Reads the header. `path`: of the file; `has_read_group`: the read groups of the file do not matter. Throws
  /// IoError, InputError.
  BamText(std::unique_ptr<InputFile> file, const std::string& path, unsigned threads, bool is_mapping,
          bool has_read_group);
  ~BamText();
  BamText(const BamText&) = delete;
  BamText& operator=(const BamText&) = delete;

  /// The lines of the header.
  std::string header() const;
  /// A pipe with the text; called once. Another thread writes it until all is read, or nobody reads it any more.
  std::unique_ptr<InputFile> open();
  /// After the end of the text. Throws InputError for damaged files, and for names that are not grouped.
  void finish();

 private:
  std::shared_ptr<BamReading> reading_;  // after an error the pipe may stay open while the thread waits
  std::thread writer_;
};

}  // namespace trawl::io
