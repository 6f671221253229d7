// A CRAM file, written by htslib.
//
//   with: const std::string& header_text, const sequence::Reference& reference, const BamRecords& records
//   OutputFile output("out.cram");
//   CramFile file(output, header_text, reference);
//   file.write(records);
//   file.close();
//   output.commit();
#pragma once

#include <memory>
#include <string>

#include "io/write/bam_encoder.hpp"
#include "io/write/cram_reference.hpp"
#include "io/write/htslib_files.hpp"
#include "io/write/output_file.hpp"
#include "sequence/reference.hpp"

namespace trawl::io {

class CramFile {
 public:
  /// Writes the header. `index`: where the index (CRAI) of sorted records is written, too; null: no index. Both files
  /// must outlive this object. Throws IoError, as all functions here.
  CramFile(const OutputFile& file, const std::string& header_text, const sequence::Reference& reference,
           const OutputFile* index = nullptr);

  ~CramFile();
  CramFile(const CramFile&) = delete;
  CramFile& operator=(const CramFile&) = delete;

  void write(const BamRecords& records);
  /// Writes what is left, and the index.
  void close();

 private:
  [[noreturn]] void fail() const;

  class Drain;

  const OutputFile& file_;
  std::unique_ptr<Drain> drain_;
  std::unique_ptr<CramReference> reference_;
  std::unique_ptr<sam_hdr_t, HtslibCloser> header_;
  // After an error it stays open: to close it would write more, or end the program.
  htsFile* cram_ = nullptr;
  bool has_index_ = false;
};

}  // namespace trawl::io
