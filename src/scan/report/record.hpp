// What `trawl scan` reports: a locus of a pattern.
//
// There may be many millions, nearly all of them exact, or sites of guides. An exact one has no texts of its own,
// because they follow from the pattern:
//
//   SiteRecord record;
//   RecordTexts room;
//   record.texts_or("GATTACA", room).cigar == "7M"
//
// Those of a guide follow from the letters of the reference, as bits, and from the gaps:
//
//   SiteRecord site;
//   RecordTexts room;
//   site.end = 8;
//   site.is_packed = true;
//   site.high = 0b1101, site.low = 0b1011100;            // GATTCACA, see sequence::PlaneBlock
//   site.gaps = 4 | 1 << 7;                              // after 4 letters, a base that the pattern does not have
//   site.texts_or("GATTACA", room).cigar == "4M1D3M"
//   room.md == "4^C3"
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace trawl::scan {

/// What is known of a site that only a haplotype has.
struct HaplotypeTexts {
  std::string alleles;  // its alternative alleles, with commas between them
  std::string samples;  // who has it
};

struct SiteRecord;

/// The texts of a record.
struct RecordTexts {
  std::string cigar;  // in the direction of the reference
  std::string md;
  std::string text;  // the aligned part of the reference, on the strand of the pattern
  std::shared_ptr<const HaplotypeTexts> haplotype = nullptr;
  /// For a guide's alignment with bulges: the best one of the locus without. Null: none is within the limits.
  std::shared_ptr<const SiteRecord> ungapped = nullptr;
};

struct SiteRecord {
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
  bool is_packed = false;              // the texts follow from the next three
  std::uint64_t gaps = 0;              // see packed_gap()
  std::uint64_t high = 0, low = 0;     // the aligned part of the reference, in its direction, as a PlaneBlock
  std::unique_ptr<RecordTexts> texts;  // null: nothing else is known. Packed: it has only what is beside the letters

  bool has_bulges() const { return dna_bulges + rna_bulges > 0; }
  /// What counts for scores: the alignment without bulges. Null: there is none within the limits.
  const SiteRecord* ungapped() const { return !has_bulges() ? this : texts ? texts->ungapped.get() : nullptr; }

  /// Without texts: letters A, C, G, T that are all the same in pattern and reference, or those that are packed.
  bool has_own_texts() const { return texts && !is_packed; }
  /// CIGAR, MD and text; `bases`: the pattern with its PAM, `room`: where texts that the record does not have are made.
  /// The MD of packed letters is made only `with_md`; without it `bases` may be empty.
  const RecordTexts& texts_or(std::string_view bases, RecordTexts& room, bool with_md = true) const {
    if (has_own_texts()) {
      return *texts;
    }
    if (is_packed) {
      unpack(bases, with_md, room);
      return room;
    }
    room.md = std::to_string(bases.size());
    room.cigar = room.md + 'M';
    room.text = bases;
    return room;
  }

  /// The order of the output: contig, start, pattern, strand, end.
  auto key() const { return std::tie(contig, start, pattern, reverse, end); }

 private:
  void unpack(std::string_view bases, bool with_md, RecordTexts& room) const;
};

/// SiteRecord::gaps has up to six gaps, from left to right, in 10 bits each: the letters of the pattern and the
/// reference that lie side by side before it (at most 63), whether it is an RNA bulge, and its bases (at most 7).
inline constexpr unsigned kPackedGaps = 6, kPackedGapBits = 10, kMostPackedMatch = 63, kMostPackedGap = 7;
constexpr std::uint64_t packed_gap(std::uint32_t match, bool is_rna, std::uint32_t length) {
  return match | (is_rna ? 1u << 6 : 0) | length << 7;
}

/// Calls use(op, length) for the runs of an alignment that has `gaps` and `letters` of the reference: M, I or D.
template <class Use>
void for_each_packed_run(std::uint64_t gaps, std::uint32_t letters, Use&& use) {
  for (; gaps != 0; gaps >>= kPackedGapBits) {
    const auto gap = static_cast<std::uint32_t>(gaps);
    const std::uint32_t match = gap & kMostPackedMatch, length = (gap >> 7) & kMostPackedGap;
    const bool is_rna = ((gap >> 6) & 1) != 0;
    if (match > 0) {
      use('M', match);
    }
    use(is_rna ? 'I' : 'D', length);
    letters -= match + (is_rna ? 0 : length);
  }
  if (letters > 0) {
    use('M', letters);
  }
}

/// All members but the texts.
template <class Of>
auto numbers_of(Of& record) {
  return std::tie(record.contig, record.start, record.end, record.pattern, record.reverse, record.distance,
                  record.edits, record.mismatches, record.dna_bulges, record.rna_bulges, record.is_packed, record.gaps,
                  record.high, record.low);
}

/// A copy with texts of its own.
inline SiteRecord copy_of(const SiteRecord& record) {
  SiteRecord copy;
  numbers_of(copy) = numbers_of(record);
  if (record.texts) {
    copy.texts = std::make_unique<RecordTexts>(*record.texts);
  }
  return copy;
}

/// A copy that is not packed. The MD of one that is packed is left out.
inline SiteRecord unpacked(const SiteRecord& record) {
  SiteRecord copy = copy_of(record);
  if (copy.is_packed) {
    if (!copy.texts) {
      copy.texts = std::make_unique<RecordTexts>();
    }
    RecordTexts room;
    record.texts_or({}, room, false);
    copy.texts->cigar = std::move(room.cigar);
    copy.texts->text = std::move(room.text);
    copy.is_packed = false;
  }
  return copy;
}

}  // namespace trawl::scan
