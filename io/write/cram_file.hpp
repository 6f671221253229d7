// CRAM files, which htslib writes, and records in the form that htslib has them.
//
//   with: const sequence::Reference& reference, const std::vector<std::string>& md5s
//   const auto sink = make_cram_sink({.path = "out.cram"}, reference, md5s);
//   sink->close();                                                            // now out.cram exists
#pragma once

#include <htslib/sam.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/write/alignment_sink.hpp"
#include "sequence/reference.hpp"

namespace trawl::io {

/// Converts BAM bytes to htslib's form of a record.
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

/// Sorted records get an index (CRAI). `reference` must outlive the sink. Throws IoError.
std::unique_ptr<AlignmentSink> make_cram_sink(const SinkOptions& options, const sequence::Reference& reference,
                                              const std::vector<std::string>& md5s);

}  // namespace trawl::io
