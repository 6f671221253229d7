// Objects of htslib that are freed with their owner.
//
//   const HtslibOwner<bam1_t> record(bam_init1());
//   record->core.tid = 7;
#pragma once

#include <htslib/hts.h>
#include <htslib/sam.h>
#include <htslib/vcf.h>

#include <memory>

namespace trawl::io {

struct HtslibCloser {
  void operator()(htsFile* file) const { hts_close(file); }
  void operator()(hts_idx_t* index) const { hts_idx_destroy(index); }
  void operator()(sam_hdr_t* header) const { sam_hdr_destroy(header); }
  void operator()(bam1_t* record) const { bam_destroy1(record); }
  void operator()(bcf_hdr_t* header) const { bcf_hdr_destroy(header); }
  void operator()(bcf1_t* record) const { bcf_destroy(record); }
};

template <class T>
using HtslibOwner = std::unique_ptr<T, HtslibCloser>;

}  // namespace trawl::io
