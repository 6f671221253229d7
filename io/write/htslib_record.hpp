// From BAM bytes to htslib's form of a record, for the writers that htslib has.
//
//   with: htsFile* file, const sam_hdr_t* header, const BamRecords& records
//   HtslibRecord record;
//   for (const BamRecordInfo& info : records.infos) {
//     sam_write1(file, header, &record.read(records.bytes_of(info)));
//   }
#pragma once

#include <htslib/sam.h>

#include <memory>
#include <string_view>
#include <vector>

namespace trawl::io {

/// Objects of htslib, freed when their owner is destroyed.
struct HtslibCloser {
  void operator()(hFILE* file) const;
  void operator()(htsFile* file) const;
  void operator()(sam_hdr_t* header) const;
};

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

}  // namespace trawl::io
