// One alignment record in htslib's form.
#pragma once

#include <htslib/sam.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "align/alignment.hpp"
#include "align/records.hpp"
#include "sequence/read_batch.hpp"

namespace trawl::io {

/// Makes records; uses its buffers again for the next one.
class SamRecord {
 public:
  /// `read_group`: the ID for RG:Z, or empty.
  explicit SamRecord(std::string_view read_group) : read_group_(read_group) {}
  ~SamRecord();
  SamRecord(const SamRecord&) = delete;
  SamRecord& operator=(const SamRecord&) = delete;

  /// The given record; stays valid until the next call.
  const bam1_t& make(const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments,
                     const align::Record& record);

  /// Adds a tag; align::put_tags() calls it.
  void integer(const char* tag, std::int64_t value);
  void text(const char* tag, std::string_view value);
  void cigar(const char* tag, const std::uint32_t* elements, std::uint32_t count);

 private:
  void set_sequence(std::string_view bases, std::string_view qualities, bool reverse);

  std::string_view read_group_;
  bam1_t* record_ = bam_init1();
  std::string bases_;
  std::string qualities_;  // Phred, without the offset of 33
  std::string tags_;       // encoded as in BAM
};

}  // namespace trawl::io
