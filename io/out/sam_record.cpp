#include "io/out/sam_record.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>

#include "align/cigar.hpp"
#include "align/sam_fields.hpp"
#include "base/error.hpp"
#include "sequence/alphabet.hpp"

namespace trawl::io {
namespace {

template <typename Integer>
void put_little_endian(std::string& to, Integer value) {
  for (std::size_t i = 0; i < sizeof value; ++i) {
    to += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i));
  }
}

}  // namespace

SamRecord::~SamRecord() { bam_destroy1(record_); }

// Uses the smallest type that can hold the value, like htslib when it reads SAM.
void SamRecord::integer(const char* tag, std::int64_t value) {
  tags_.append(tag, 2);
  if (value >= 0) {
    if (value <= std::numeric_limits<std::uint8_t>::max()) {
      tags_ += 'C';
      tags_ += static_cast<char>(value);
    } else if (value <= std::numeric_limits<std::uint16_t>::max()) {
      tags_ += 'S';
      put_little_endian(tags_, static_cast<std::uint16_t>(value));
    } else {
      tags_ += 'I';
      put_little_endian(tags_, static_cast<std::uint32_t>(value));
    }
  } else if (value >= std::numeric_limits<std::int8_t>::min()) {
    tags_ += 'c';
    tags_ += static_cast<char>(value);
  } else if (value >= std::numeric_limits<std::int16_t>::min()) {
    tags_ += 's';
    put_little_endian(tags_, static_cast<std::uint16_t>(value));
  } else {
    tags_ += 'i';
    put_little_endian(tags_, static_cast<std::uint32_t>(value));
  }
}

void SamRecord::text(const char* tag, std::string_view value) {
  tags_.append(tag, 2);
  tags_ += 'Z';
  tags_ += value;
  tags_ += '\0';
}

void SamRecord::cigar(const char* tag, const std::uint32_t* elements, std::uint32_t count) {
  tags_.append(tag, 2);
  tags_ += 'Z';
  align::append_cigar(tags_, elements, count);
  tags_ += '\0';
}

void SamRecord::set_sequence(std::string_view bases, std::string_view qualities, bool reverse) {
  bases_.assign(bases);
  qualities_.assign(qualities);
  if (reverse) {
    std::reverse(bases_.begin(), bases_.end());
    std::transform(bases_.begin(), bases_.end(), bases_.begin(), sequence::complement_base);
    std::reverse(qualities_.begin(), qualities_.end());
  }
  std::replace(bases_.begin(), bases_.end(), 'U', 'T');  // htslib would change U to N
  for (char& q : qualities_) {
    q = static_cast<char>(q - 33);
  }
}

const bam1_t& SamRecord::make(const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments,
                              const align::Record& record) {
  const align::Alignment* const own = record.alignment;
  const std::string_view name = reads.name(record.read);
  const auto contig_of = [](const align::Alignment* a) { return a ? static_cast<std::int32_t>(a->contig) : -1; };
  const auto start_of = [](const align::Alignment* a) { return a ? static_cast<std::int64_t>(a->start) : -1; };
  tags_.clear();
  align::put_tags(alignments, record, read_group_, *this);
  if (record.k == 0) {
    set_sequence(reads.bases(record.read), reads.qualities(record.read), own && own->reverse);
  } else {
    set_sequence({}, {}, false);
  }
  const int status =
      bam_set1(record_, name.size(), name.data(), record.flag, contig_of(record.place), start_of(record.place),
               record.mapq, own ? own->cigar_length : 0, own ? alignments.cigar_of(*own) : nullptr,
               contig_of(record.mate_place), start_of(record.mate_place), align::template_length(record), bases_.size(),
               bases_.data(), qualities_.empty() ? nullptr : qualities_.data(), tags_.size());
  if (status < 0) {
    throw Error("the record of read " + std::string(name) + " cannot be made; please report this");
  }
  std::memcpy(record_->data + record_->l_data, tags_.data(), tags_.size());
  record_->l_data += static_cast<int>(tags_.size());
  return *record_;
}

}  // namespace trawl::io
