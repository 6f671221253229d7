// What `trawl scan` reports: a locus of a pattern.
//
// There may be many millions, nearly all of them exact. An exact one has no texts of its own, because they follow from
// the pattern:
//
//   Record record;
//   RecordTexts room;
//   record.texts_or("GATTACA", room).cigar == "7M"
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>

namespace trawl::scan {

/// Of a site that only a haplotype has.
struct HaplotypeTexts {
  std::string alleles;  // its alternative alleles, with commas between them
  std::string samples;  // who has it
};

struct Record;

/// The texts of a record.
struct RecordTexts {
  std::string cigar;  // in the direction of the reference
  std::string md;
  std::string text;  // the aligned part of the reference, on the strand of the pattern
  std::shared_ptr<const HaplotypeTexts> haplotype = nullptr;
  /// Of a guide's alignment with bulges: the best one of the locus without. Null: none is within the limits.
  std::shared_ptr<const Record> ungapped = nullptr;
};

struct Record {
  std::uint64_t contig = 0;  // its number in the reference, from 0
  std::uint64_t start = 0;   // 0-based, in the contig
  std::uint64_t end = 0;     // one after the last aligned base
  std::uint32_t pattern = 0;
  bool reverse = false;
  std::uint16_t distance = 0;
  std::uint16_t edits = 0;  // SAM: NM. Larger than the distance if an ambiguous letter matched
  std::uint16_t mismatches = 0;
  std::uint16_t dna_bulges = 0;        // bases of the reference without an aligned pattern base
  std::uint16_t rna_bulges = 0;        // bases of the pattern without an aligned reference base
  std::unique_ptr<RecordTexts> texts;  // null: letters A, C, G, T that are all the same in pattern and reference

  bool has_bulges() const { return dna_bulges + rna_bulges > 0; }
  /// What counts for scores: the alignment without bulges. Null: there is none within the limits.
  const Record* ungapped() const { return has_bulges() ? texts->ungapped.get() : this; }

  /// The texts; `bases`: the pattern with its PAM, `room`: where texts that the record does not have are made.
  const RecordTexts& texts_or(std::string_view bases, RecordTexts& room) const {
    if (texts) {
      return *texts;
    }
    room.md = std::to_string(bases.size());
    room.cigar = room.md + 'M';
    room.text = bases;
    return room;
  }

  /// The order of the output: contig, start, pattern, strand, end.
  auto key() const { return std::tie(contig, start, pattern, reverse, end); }
};

/// A copy with texts of its own.
inline Record copy_of(const Record& record) {
  Record copy;
  copy.contig = record.contig;
  copy.start = record.start;
  copy.end = record.end;
  copy.pattern = record.pattern;
  copy.reverse = record.reverse;
  copy.distance = record.distance;
  copy.edits = record.edits;
  copy.mismatches = record.mismatches;
  copy.dna_bulges = record.dna_bulges;
  copy.rna_bulges = record.rna_bulges;
  if (record.texts) {
    copy.texts = std::make_unique<RecordTexts>(*record.texts);
  }
  return copy;
}

}  // namespace trawl::scan
