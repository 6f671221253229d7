#include "io/write/htslib_record.hpp"

#include <htslib/hfile.h>
#include <htslib/sam.h>

#include <cstdint>
#include <cstring>

#include "io/write/bam_fields.hpp"

namespace trawl::io {

const bam1_t& HtslibRecord::read(std::string_view bytes) {
  BamFields fields;
  std::memcpy(&fields, bytes.data(), sizeof fields);
  const std::string_view name = bytes.substr(sizeof fields, fields.name_size);
  std::string_view cigar = bytes.substr(sizeof fields + name.size(), 4ul * fields.cigar_operations);
  std::string_view others = bytes.substr(sizeof fields + name.size() + cigar.size());
  std::uint32_t second = 0;
  if (fields.cigar_operations == 2) {
    std::memcpy(&second, cigar.data() + 4, sizeof second);
  }
  if ((second & 15) == kBamRefSkip) {
    // The CIGAR is the last tag, so it ends with the record. The tags before it may contain the same letters.
    const std::size_t tags = (fields.bases + 1ul) / 2 + fields.bases;
    for (std::size_t at = others.find(kBamLongCigarTag, tags); at != others.npos;
         at = others.find(kBamLongCigarTag, at + 1)) {
      std::uint32_t operations = 0;
      const std::size_t begin = at + kBamLongCigarTag.size() + sizeof operations;
      std::memcpy(&operations, others.data() + begin - sizeof operations, sizeof operations);
      if (begin + 4ul * operations == others.size()) {
        cigar = others.substr(begin);
        others = others.substr(0, at);
        break;
      }
    }
  }

  // htslib reads the CIGAR as 32-bit words, so NULs after the name fill the last word.
  const std::size_t padding = (4 - name.size() % 4) % 4;
  data_.clear();
  data_.insert(data_.end(), name.begin(), name.end());
  data_.resize(data_.size() + padding);
  data_.insert(data_.end(), cigar.begin(), cigar.end());
  data_.insert(data_.end(), others.begin(), others.end());

  bam1_core_t& core = record_.core;
  core.pos = fields.start;
  core.tid = fields.contig;
  core.bin = fields.bin;
  core.qual = fields.mapq;
  core.l_extranul = static_cast<std::uint8_t>(padding);
  core.flag = fields.flag;
  core.l_qname = static_cast<std::uint16_t>(name.size() + padding);
  core.n_cigar = static_cast<std::uint32_t>(cigar.size() / 4);
  core.l_qseq = static_cast<std::int32_t>(fields.bases);
  core.mtid = fields.mate_contig;
  core.mpos = fields.mate_start;
  core.isize = fields.template_length;
  record_.data = reinterpret_cast<std::uint8_t*>(data_.data());
  record_.l_data = static_cast<int>(data_.size());
  record_.m_data = static_cast<std::uint32_t>(data_.size());
  return record_;
}

void HtslibCloser::operator()(hFILE* file) const { hclose_abruptly(file); }
void HtslibCloser::operator()(htsFile* file) const { hts_close(file); }
void HtslibCloser::operator()(sam_hdr_t* header) const { sam_hdr_destroy(header); }

}  // namespace trawl::io
