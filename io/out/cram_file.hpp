// A CRAM file, written by htslib.
//
//   OutputFile output("out.cram");
//   CramFile file(output, header_text, reference);
//   file.write(records);
//   file.close();
//   output.commit();
#pragma once

#include <memory>
#include <string>

#include "io/out/bam_encoder.hpp"
#include "io/out/cram_reference.hpp"
#include "io/out/htslib_files.hpp"
#include "io/out/output_file.hpp"
#include "sequence/reference.hpp"

namespace trawl::io {

class CramFile {
 public:
  /// Writes the header. `file` must outlive this object. `index_path`: where the index (CRAI) of sorted records is
  /// written, too; empty: no index. Throws IoError, as all functions here.
  CramFile(const OutputFile& file, const std::string& header_text, const sequence::Reference& reference,
           const std::string& index_path = "");

  void write(const BamRecords& records);
  /// Writes what is left, and the index.
  void close();

 private:
  [[noreturn]] void fail() const;

  const OutputFile& file_;
  std::unique_ptr<CramReference> reference_;
  std::unique_ptr<sam_hdr_t, HtslibCloser> header_;
  std::unique_ptr<htsFile, HtslibCloser> cram_;
  hFILE* stream_ = nullptr;  // of cram_
  bool has_index_ = false;
};

}  // namespace trawl::io
