// The reads of a BAM as FASTQ, for ReadSource: what `samtools fastq -T '*'` gives, without that program.
//
//   with: ReadSource& source, sequence::ReadBatch& batch
//   is_bam("reads.bam") == true
//   BamText reads("reads.bam", 4);
//   source.use_open(reads.open());
//   while (source.next(batch)) { ... }
//   reads.finish();                     // throws if the BAM was damaged
//
// Secondary and supplementary records are left out, and reads that were aligned to the reverse strand are turned back.
// The tags follow the name as a comment, as SAM writes them. A read without qualities has quality 1.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <thread>

#include "io/read/gzip/input_file.hpp"

namespace trawl::io {

/// Whether a regular file is a BAM. False for files that cannot be read, and for "-".
bool is_bam(const std::string& path);

class BamText {
 public:
  /// Throws IoError.
  BamText(std::string path, unsigned threads);
  ~BamText();
  BamText(const BamText&) = delete;
  BamText& operator=(const BamText&) = delete;

  /// A pipe with the text; called once. Another thread writes it until all is read, or nobody reads it any more.
  std::unique_ptr<InputFile> open();
  /// After the end of the text. Throws InputError for a damaged BAM.
  void finish();

 private:
  // After an error the pipe may stay open while the thread waits, so the thread owns all that it needs.
  struct BamReading {
    std::string path;
    unsigned threads;
    std::exception_ptr failure = nullptr;

    void write(int to) const;
  };

  std::shared_ptr<BamReading> reading_;
  std::thread writer_;
};

}  // namespace trawl::io
