// One alignment record in htslib's form.
#pragma once

#include <htslib/sam.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "align/alignment.hpp"
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

  /// The record of a read's k-th reported alignment; k = 0 is the primary one.
  const bam1_t& aligned(const sequence::ReadBatch& reads, std::size_t read, const align::AlignmentBatch& alignments,
                        std::uint32_t k);
  /// The record of a read without a locus.
  const bam1_t& unmapped(const sequence::ReadBatch& reads, std::size_t read);

  /// Adds a tag; align::put_sam_tags() calls it.
  void integer(const char* tag, std::int64_t value);
  void text(const char* tag, std::string_view value);

 private:
  void set_sequence(std::string_view bases, std::string_view qualities, bool reverse);
  void set(std::string_view name, std::uint16_t flag, std::int32_t contig, std::int64_t position, std::uint8_t mapq,
           std::size_t cigar_length, const std::uint32_t* cigar);

  std::string_view read_group_;
  bam1_t* record_ = bam_init1();
  std::string bases_;
  std::string qualities_;  // Phred, without the offset of 33
  std::string tags_;       // encoded as in BAM
};

}  // namespace trawl::io
