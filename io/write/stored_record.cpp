#include "io/write/stored_record.hpp"

#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

namespace trawl::io {

namespace {

// A record as bytes: this struct, then its texts.
struct Stored {
  std::uint64_t contig, start, end;
  std::uint32_t pattern;
  std::uint16_t distance, edits, mismatches, dna_bulges, rna_bulges, reverse, is_packed;
  std::uint64_t gaps;
  std::uint64_t high, low;
  std::uint64_t cigar, md, text;   // lengths; without texts kNoTexts, 0 and 0
  std::uint64_t alleles, samples;  // lengths; 0 for what is in the reference
  std::uint64_t ungapped;          // bytes of another record, after the texts; 0: none
};

constexpr std::uint64_t kNoTexts = UINT64_MAX;

// Copies all but the texts, in either direction.
template <class From, class To>
void copy_numbers(const From& from, To& to) {
  to.contig = from.contig;
  to.start = from.start;
  to.end = from.end;
  to.pattern = from.pattern;
  to.distance = from.distance;
  to.edits = from.edits;
  to.mismatches = from.mismatches;
  to.dna_bulges = from.dna_bulges;
  to.rna_bulges = from.rna_bulges;
  to.reverse = from.reverse != 0;
  to.is_packed = from.is_packed != 0;
  to.gaps = from.gaps;
  to.high = from.high;
  to.low = from.low;
}

}  // namespace

void append_record(std::string& bytes, const scan::Record& record) {
  Stored stored;
  std::memset(&stored, 0, sizeof stored);
  copy_numbers(record, stored);
  stored.cigar = kNoTexts;
  if (record.texts) {
    stored.cigar = record.texts->cigar.size();
    stored.md = record.texts->md.size();
    stored.text = record.texts->text.size();
    if (const auto& haplotype = record.texts->haplotype) {
      stored.alleles = haplotype->alleles.size();
      stored.samples = haplotype->samples.size();
    }
  }
  std::string ungapped;
  if (record.texts && record.texts->ungapped) {
    append_record(ungapped, *record.texts->ungapped);
    stored.ungapped = ungapped.size();
  }
  bytes.append(reinterpret_cast<const char*>(&stored), sizeof stored);
  if (record.texts) {
    bytes.append(record.texts->cigar).append(record.texts->md).append(record.texts->text);
    if (const auto& haplotype = record.texts->haplotype) {
      bytes.append(haplotype->alleles).append(haplotype->samples);
    }
    bytes.append(ungapped);
  }
}

std::size_t parse_record(std::string_view bytes, scan::Record& record) {
  Stored stored;
  if (bytes.size() < sizeof stored) {
    return 0;
  }
  std::memcpy(&stored, bytes.data(), sizeof stored);
  const bool has_texts = stored.cigar != kNoTexts;
  const std::uint64_t before = sizeof stored + (has_texts ? stored.cigar + stored.md + stored.text : 0);
  const std::uint64_t size = before + stored.alleles + stored.samples + stored.ungapped;
  if (bytes.size() < size) {
    return 0;
  }
  copy_numbers(stored, record);
  record.texts.reset();
  if (has_texts) {
    record.texts = std::make_unique<scan::RecordTexts>();
    record.texts->cigar = bytes.substr(sizeof stored, stored.cigar);
    record.texts->md = bytes.substr(sizeof stored + stored.cigar, stored.md);
    record.texts->text = bytes.substr(sizeof stored + stored.cigar + stored.md, stored.text);
    if (stored.alleles > 0) {
      record.texts->haplotype = std::make_shared<const scan::HaplotypeTexts>(
          scan::HaplotypeTexts{std::string(bytes.substr(before, stored.alleles)),
                               std::string(bytes.substr(before + stored.alleles, stored.samples))});
    }
    if (stored.ungapped > 0) {
      scan::Record ungapped;
      parse_record(bytes.substr(size - stored.ungapped, stored.ungapped), ungapped);
      record.texts->ungapped = std::make_shared<const scan::Record>(std::move(ungapped));
    }
  }
  return size;
}

}  // namespace trawl::io
