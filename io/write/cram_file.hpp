// A CRAM file, written by htslib.
//
//   with: const std::string& header_text, const sequence::Reference& reference, const BamRecords& records
//   OutputFile output("out.cram");
//   CramFile file(output, header_text, reference);
//   file.write(records);
//   file.close();
//   output.commit();
#pragma once

#include <htslib/sam.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/write/bam_encoder.hpp"
#include "io/write/output_file.hpp"
#include "sequence/reference.hpp"

namespace trawl::io {

/// Objects of htslib, freed when their owner is destroyed.
struct HtslibCloser {
  void operator()(hFILE* file) const;
  void operator()(htsFile* file) const;
  void operator()(sam_hdr_t* header) const;
};

/// From BAM bytes to htslib's form of a record.
class HtslibRecord {
 public:
  HtslibRecord() { bam_set_mempolicy(&record_, BAM_USER_OWNS_STRUCT | BAM_USER_OWNS_DATA); }
  HtslibRecord(const HtslibRecord&) = delete;
  HtslibRecord& operator=(const HtslibRecord&) = delete;

  /// The record that append_bam() wrote as `bytes`; stays valid until the next call.
  const bam1_t& read(std::string_view bytes);

 private:
  bam1_t record_{};
  std::vector<char> data_;
};

/// The reference in the form that htslib needs for CRAM: a FASTA file with its .fai next to it.
///
/// The user's own file may be a pipe, or gzip, or in a directory without write permission, or have an outdated .fai. So
/// the letters are written again, in TMPDIR, and deleted with this object. htslib wants paths, so these files have
/// names (trawl.PID.XXXXXX.fa), and a killed program leaves them.
class CramReference {
 public:
  /// Writes the two files. Throws IoError.
  explicit CramReference(const sequence::Reference& reference);
  ~CramReference();
  CramReference(const CramReference&) = delete;
  CramReference& operator=(const CramReference&) = delete;

  /// The FASTA file.
  const std::string& path() const { return path_; }

 private:
  void remove() noexcept;

  std::string path_;
  std::array<int, 2> slots_{-1, -1};  // in the registry of temporary files
};

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
