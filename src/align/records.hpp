// Which records the results of a batch become, in which order, and what the mate fields of each of them point to. The
// writers of all formats use this list.
//
//   AlignmentBatch batch;
//   batch.reads.resize(2);                // two reads without a locus
//   std::size_t records = 0;
//   for_each_record(batch, {.keep_unmapped = true}, [&](const AlignmentRecord&) { ++records; });
//   records == 2
//
// A read without a mate: its alignments, the primary one first; or one unmapped record.
// A pair: for each concordant pair the record of the first mate, then that of the second one. Then the alignments of
// the first mate alone, then those of the second one. If there is no concordant pair, the primary records of the two
// mates come first, so that they are always adjacent:
//
//   concordant, two pairs    discordant, first mate with two loci    one end
//   1 primary   <-> 2        1 primary   <-> 2                       1 primary   <-> 2
//   2 primary   <-> 1        2 primary   <-> 1                       2 unmapped, placed beside 1
//   1 secondary <-> 2        1 secondary  -> 2 primary               1 secondary  -> 2 unmapped
//   2 secondary <-> 1
//
// The supplementary records of a split read, its other pieces, follow the last record of the read or pair, those of the
// first mate before those of the second one. Their mate fields point to the primary record of the mate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "align/alignment.hpp"
#include "align/cigar.hpp"

namespace trawl::align {

/// Where the mate fields (RNEXT, PNEXT, TLEN, MC, MQ, YS, flags 0x8 and 0x20) of a secondary record of a pair point.
enum class MateFields : std::uint8_t {
  paired,   // to the mate of the same concordant pair: to the record with the same HI
  primary,  // to the mate's primary record
};

struct RecordRule {
  /// Whether reads without a locus have a record. The unmapped mate of a mapped one always has, as the records of the
  /// mapped mate point to it.
  bool keep_unmapped = true;
  MateFields mate_fields = MateFields::paired;
  bool hard_clips = false;       // secondary and supplementary records show clipped ends as H, not as S
  bool secondary_bases = false;  // secondary records have SEQ and QUAL, too
  /// Secondary records become places in tag XA of the primary one, if they are at most this number; otherwise they are
  /// left out. 0: they are records.
  std::uint32_t most_in_xa = 0;
};

/// The SAM flag bits that Trawl sets.
inline constexpr std::uint16_t kFlagPaired = 0x1;
inline constexpr std::uint16_t kFlagConcordant = 0x2;
inline constexpr std::uint16_t kFlagUnmapped = 0x4;
inline constexpr std::uint16_t kFlagMateUnmapped = 0x8;
inline constexpr std::uint16_t kFlagReverse = 0x10;
inline constexpr std::uint16_t kFlagMateReverse = 0x20;
inline constexpr std::uint16_t kFlagFirst = 0x40;
inline constexpr std::uint16_t kFlagSecond = 0x80;
inline constexpr std::uint16_t kFlagSecondary = 0x100;
inline constexpr std::uint16_t kFlagFailed = 0x200;
inline constexpr std::uint16_t kFlagDuplicate = 0x400;
inline constexpr std::uint16_t kFlagSupplementary = 0x800;

/// One record. The pointers are into AlignmentBatch::alignments.
struct AlignmentRecord {
  std::size_t read = 0;       // index in the batch
  std::uint32_t k = 0;        // index among the records of this read: 0 is the primary one, supplementary ones are last
  std::uint32_t count = 0;    // records of this read that have an alignment, without supplementary ones (SAM: NH)
  std::uint32_t dropped = 0;  // such records left out by --max-hits
  std::uint16_t flag = 0;     // SAM flag
  std::uint8_t mapq = 0;      // of this record
  std::uint8_t mate_mapq = 0;              // of the record that the mate fields point to
  const Alignment* alignment = nullptr;    // none: the read is unmapped
  const Alignment* place = nullptr;        // RNAME and POS; of an unmapped mate those of the mapped one
  const Alignment* mate = nullptr;         // what the mate fields point to; none: no mate, or an unmapped one
  const Alignment* mate_place = nullptr;   // RNEXT and PNEXT
  const Alignment* first_piece = nullptr;  // the primary alignment, if the record is of a piece of a split read
  Clips clips = Clips::soft;               // in this record's CIGAR; with hard ones, SEQ and QUAL are the piece's
  Clips mate_clips = Clips::soft;          // in the CIGAR of the record that the mate fields point to
  bool has_bases = true;                   // SEQ and QUAL are written
  std::uint32_t most_in_xa = 0;            // see RecordRule; 0 if the record is not primary

  bool secondary() const { return (flag & kFlagSecondary) != 0; }
  bool supplementary() const { return (flag & kFlagSupplementary) != 0; }
};

/// What a record shows of the bases or qualities of its read, given as they are in the input: all; of a record with
/// hard clips the piece; of a secondary one nothing, unless RecordRule::secondary_bases.
inline std::string_view shown_part(const AlignmentBatch& batch, const AlignmentRecord& record,
                                   std::string_view of_read) {
  if (!record.has_bases) {
    return {};
  }
  if (record.clips == Clips::hard && !of_read.empty()) {
    const Alignment& own = *record.alignment;
    const ClippedEnds ends = clipped_ends(batch, own);
    return of_read.substr(own.reverse ? ends.right : ends.left, of_read.size() - ends.left - ends.right);
  }
  return of_read;
}

/// Where the first base of the read lies: an end of the alignment, as a position between two bases.
inline std::int64_t five_prime(const Alignment& a) {
  return static_cast<std::int64_t>(a.reverse ? a.start + a.span : a.start);
}

/// SAM's TLEN as samtools fixmate computes it: from the 5' end of this read to the 5' end of its mate. 0 unless both
/// are mapped, to one contig. On a circular contig, the shorter way round.
///   [100, 200) forward, its mate [300, 400) reverse: 300; of the mate: -300
inline std::int64_t template_length(const AlignmentRecord& record) {
  const bool together = record.alignment && record.mate && record.alignment->contig == record.mate->contig;
  if (!together) {
    return 0;
  }
  const std::int64_t size = five_prime(*record.mate) - five_prime(*record.alignment);
  const std::int64_t circle = record.alignment->circle;
  return size > circle / 2 && circle > 0 ? size - circle : -size > circle / 2 && circle > 0 ? size + circle : size;
}

namespace detail {

// The records of a read (`mates` 1), or of the mates of a pair (2), from read `first` on.
template <class Visit>
void for_each_record_of(const AlignmentBatch& batch, std::size_t first, int mates, const RecordRule& rule,
                        Visit&& visit) {
  const PairResult pair = mates == 2 ? batch.pairs[first / 2] : PairResult{};
  const ReadResult* const results = &batch.reads[first];
  const auto paired = [&](std::uint32_t k, int mate) {
    return &batch.alignments[batch.concordant_pairs[pair.first + k].mates[mate]];
  };
  const Alignment* const primary[2] = {primary_of(batch, first), mates == 2 ? primary_of(batch, first + 1) : nullptr};
  if (!primary[0] && !primary[1] && !rule.keep_unmapped) {
    return;
  }
  const Clips other_clips = rule.hard_clips ? Clips::hard : Clips::soft;
  // The k-th record of a mate; `other` is what it points to, the other mate's record number `other_k`.
  const auto put = [&](int mate, std::uint32_t k, const Alignment* own, const Alignment* other, std::uint32_t other_k) {
    const std::uint32_t count = pair.count + results[mate].count;
    const bool supplementary = k > 0 && k >= count;
    const bool secondary = k > 0 && !supplementary;
    if (secondary && rule.most_in_xa > 0) {
      return;
    }
    const bool concordant = supplementary ? pair.count > 0 : k < pair.count;
    const auto flag = [](bool on, std::uint16_t bit) { return on ? bit : 0; };
    AlignmentRecord record;
    int bits = flag(!own, kFlagUnmapped) | flag(own && own->reverse, kFlagReverse) | flag(secondary, kFlagSecondary) |
               flag(supplementary, kFlagSupplementary);
    if (mates == 2) {
      bits |= kFlagPaired | flag(concordant, kFlagConcordant) | flag(!other, kFlagMateUnmapped) |
              flag(other && other->reverse, kFlagMateReverse) | (mate == 0 ? kFlagFirst : kFlagSecond);
    }
    record.read = first + static_cast<std::size_t>(mate);
    record.flag = static_cast<std::uint16_t>(bits | (batch.read_flags.empty() ? 0 : batch.read_flags[record.read]));
    record.k = k;
    record.count = count;
    record.dropped = pair.dropped + results[mate].dropped;
    record.mapq = own && !secondary ? own->mapq : 0;
    record.mate_mapq = other && other_k == 0 ? other->mapq : 0;
    record.first_piece = results[mate].supplementary_count > 0 && !secondary ? primary[mate] : nullptr;
    record.clips = k > 0 ? other_clips : Clips::soft;
    record.mate_clips = other_k > 0 ? other_clips : Clips::soft;
    record.has_bases = rule.secondary_bases || !secondary;
    record.most_in_xa = own && k == 0 ? rule.most_in_xa : 0;
    record.alignment = own;
    record.place = own ? own : other;
    record.mate = other;
    record.mate_place = other || mates == 1 ? other : primary[mate];  // an unmapped mate lies beside the primary record
    visit(record);
  };
  for (std::uint32_t k = 0; k < pair.count; ++k) {
    for (int mate = 0; mate < 2; ++mate) {
      const std::uint32_t other_k = rule.mate_fields == MateFields::primary ? 0 : k;
      put(mate, k, paired(k, mate), paired(other_k, 1 - mate), other_k);
    }
  }
  const bool alone_first = pair.count == 0;
  for (int mate = 0; alone_first && mate < mates; ++mate) {
    put(mate, 0, primary[mate], primary[1 - mate], 0);
  }
  for (int mate = 0; mate < mates; ++mate) {
    for (std::uint32_t j = alone_first ? 1 : 0; j < results[mate].count; ++j) {
      put(mate, pair.count + j, &batch.alignments[results[mate].first + j], primary[1 - mate], 0);
    }
  }
  for (int mate = 0; mate < mates; ++mate) {
    const ReadResult& result = results[mate];
    for (std::uint32_t j = 0; primary[mate] && j < result.supplementary_count; ++j) {
      put(mate, pair.count + result.count + j, &batch.alignments[result.supplementary + j], primary[1 - mate], 0);
    }
  }
}

}  // namespace detail

/// Calls visit(const AlignmentRecord&) for each record of the batch, in order.
template <class Visit>
void for_each_record(const AlignmentBatch& batch, const RecordRule& rule, Visit&& visit) {
  const std::size_t step = batch.pairs.empty() ? 1 : 2;
  for (std::size_t i = 0; i < batch.reads.size(); i += step) {
    detail::for_each_record_of(batch, i, static_cast<int>(batch.mates_from(i)), rule, visit);
  }
}

}  // namespace trawl::align
