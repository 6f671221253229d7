// What an engine returns for a batch of reads or pairs: the reported alignments, and how many loci each read has.
//
//   AlignmentBatch batch;
//   batch.reads = {{.first = 0, .count = 1}, {.unmapped = Unmapped::too_short}};
//   batch.alignments = {{.start = 100, .md_length = 2}};
//   batch.md = "20";
//   primary_of(batch, 0)->start == 100
//   primary_of(batch, 1) == nullptr
//   batch.md_of(batch.alignments[0]) == "20"
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "align/pair_rule.hpp"

namespace trawl::align {

/// CIGAR operations with their numbers in SAM; an element of a CIGAR is `length << 4 | operation`.
enum class CigarOp : std::uint32_t {
  match = 0,
  insertion = 1,
  deletion = 2,
  soft_clip = 4,
  hard_clip = 5,
  equal = 7,
  mismatch = 8
};

/// A locus with its start and CIGAR. The CIGAR and MD are stored in the AlignmentBatch.
struct Alignment {
  std::uint64_t start = 0;   // 0-based, in the contig
  std::uint64_t cigar = 0;   // first element in AlignmentBatch::cigar
  std::uint64_t md = 0;      // first character in AlignmentBatch::md
  std::uint32_t contig = 0;  // index into Reference::contigs()
  std::uint32_t span = 0;    // reference bases covered
  std::uint32_t cigar_length = 0;
  std::uint32_t md_length = 0;
  std::uint16_t distance = 0;  // the edit distance of the locus, or of its piece
  std::uint8_t mapq = 0;
  bool reverse = false;
  std::int32_t score = 0;    // SAM: AS. Minus the distance; if clipping is on, bases aligned minus 5 for each edit
  std::uint32_t edits = 0;   // SAM: NM; more than the distance where an ambiguous base matched
  std::uint32_t circle = 0;  // the contig's length if it is circular; 0: it is not, or the engine has not said it yet
};

/// Why a read has no alignment.
enum class Unmapped : std::uint8_t {
  no_locus,   // nothing within the allowed distance
  too_short,  // the read would match everywhere, or at very many places by chance (map::ShortReads)
  many_loci,  // it has more records than --max-loci allows
};

/// How the place of a read was found.
enum class FoundBy : std::uint8_t {
  search,   // all loci with few edits are known
  mate,     // only searched near its mate, so best_count says nothing (SAM: XT:Z:M)
  anchors,  // only where words of it match without an edit; best_count says nothing (SAM: XT:Z:A)
};

/// The result of one read in an AlignmentBatch. For a mate, `first` and `count` are the alignments that are reported
/// for the mate alone, not as part of a concordant pair.
struct ReadResult {
  std::uint64_t first = 0;                 // index of its first alignment: the primary one; the others follow it
  std::uint32_t count = 0;                 // alignments reported (SAM: NH, for a read without a mate)
  std::uint32_t best_count = 0;            // loci in the best stratum (SAM: X0)
  std::uint32_t next_count = 0;            // loci up to one edit worse than the best (SAM: X1)
  std::uint32_t dropped = 0;               // loci left out by --max-hits
  Unmapped unmapped = Unmapped::no_locus;  // where count == 0
  bool next_known = false;                 // next_count is known: the best loci have fewer edits than allowed
  FoundBy found_by = FoundBy::search;
  std::uint8_t supplementary_count = 0;  // other pieces of a split read
  std::uint32_t max_loci = 0;            // it had more records than this number (SAM: XM is one more); 0: it had not
  std::uint64_t supplementary = 0;       // index of the alignment of the first one
};

/// A reported concordant pair: an alignment of the first mate and one of the second, as indices into
/// AlignmentBatch::alignments. Several pairs may share an alignment.
struct AlignmentPair {
  std::uint32_t mates[2] = {0, 0};
};

enum class PairKind : std::uint8_t {
  unmapped,    // neither mate has a locus
  one_end,     // only one mate has loci
  discordant,  // both have loci, but no two of them are a concordant pair
  concordant,
  single,  // no pair: a single read among pairs. The result of the mate, which it does not have, is empty
};

/// The result of one pair in an AlignmentBatch: of reads 2 i and 2 i + 1.
struct PairResult {
  std::uint64_t first = 0;    // index into concordant_pairs of its primary pair; the others follow it
  std::uint32_t count = 0;    // concordant pairs reported
  std::uint32_t dropped = 0;  // concordant pairs left out by --max-hits
  std::uint32_t insert = 0;   // outer distance of the primary pair, if count > 0
  PairKind kind = PairKind::unmapped;
};

/// The records of a mate, in order: one for each reported concordant pair, then one for each alignment of the mate
/// alone. The first of them is the primary one, and its MAPQ is the alignment's `mapq`; all others have MAPQ 0. A mate
/// without a record is unmapped.
struct AlignmentBatch {
  std::vector<ReadResult> reads;  // one per read of the batch, in the same order
  std::vector<PairResult> pairs;  // one per two reads if the batch has pairs, otherwise empty
  std::vector<AlignmentPair> concordant_pairs;
  std::vector<Alignment> alignments;
  std::vector<std::uint32_t> cigar;
  std::string md;
  std::vector<std::uint16_t> read_flags;  // flags that all records of a read have, by read; empty: none

  /// How many mates there are from read `first` on: 2 of a pair.
  std::size_t mates_from(std::size_t first) const {
    return pairs.empty() || pairs[first / 2].kind == PairKind::single ? 1 : 2;
  }

  std::string_view md_of(const Alignment& a) const { return std::string_view(md).substr(a.md, a.md_length); }
  const std::uint32_t* cigar_of(const Alignment& a) const { return cigar.data() + a.cigar; }

  void clear() {
    reads.clear();
    pairs.clear();
    concordant_pairs.clear();
    alignments.clear();
    cigar.clear();
    md.clear();
    read_flags.clear();
  }
};

/// Sorts the records of each read after the primary one: by distance (with clipping: by penalty), contig, start and
/// strand, the forward one first. Concordant pairs after the primary one: by the sum of both mates, then by the place
/// of the first mate, then by that of the second one. Engines choose loci by where they end; where a record begins is
/// known when it is aligned.
void sort_records(AlignmentBatch& batch);

/// Puts the results of a batch into those of another one, of which it has some reads: its read k is read reads[k]
/// there, and its mates follow each other there, too.
inline void put_results(const AlignmentBatch& from, std::span<const std::uint32_t> reads, AlignmentBatch& out) {
  const std::size_t first_alignment = out.alignments.size();
  const std::size_t first_pair = out.concordant_pairs.size();
  for (Alignment alignment : from.alignments) {
    alignment.cigar += out.cigar.size();
    alignment.md += out.md.size();
    out.alignments.push_back(alignment);
  }
  out.cigar.insert(out.cigar.end(), from.cigar.begin(), from.cigar.end());
  out.md += from.md;
  for (AlignmentPair pair : from.concordant_pairs) {
    for (std::uint32_t& mate : pair.mates) {
      mate += static_cast<std::uint32_t>(first_alignment);
    }
    out.concordant_pairs.push_back(pair);
  }
  for (std::size_t k = 0; k < from.reads.size(); ++k) {
    ReadResult& read = out.reads[reads[k]] = from.reads[k];
    read.first += first_alignment;
    read.supplementary += read.supplementary_count > 0 ? first_alignment : 0;
  }
  for (std::size_t p = 0; p < from.pairs.size(); ++p) {
    PairResult& pair = out.pairs[reads[2 * p] / 2] = from.pairs[p];
    pair.first += first_pair;
  }
}

/// On its contig.
inline Extent extent_of(const Alignment& a) { return {a.start, a.start + a.span, a.reverse}; }

/// The most records of a read or mate, with those that --max-hits has left out.
struct LociLimit {
  std::uint32_t most = 0;  // 0: no limit
  bool keeps_one = false;  // a read with more keeps its primary record, with MAPQ 0; otherwise it becomes unmapped
};

/// Leaves out what the options do not want: of reads and mates with more records than `max_loci`, all or all but one;
/// their mates keep their places, as if these were their own. Then, without `one_end`: both mates of pairs with one
/// mapped mate; such a pair stays PairKind::one_end.
void leave_unmapped(AlignmentBatch& batch, const LociLimit& max_loci, bool one_end);

/// The primary alignment of read r; null if it has none. `Batch`: AlignmentBatch, const or not.
template <class Batch>
auto primary_of(Batch& batch, std::size_t r) -> decltype(batch.alignments.data()) {
  if (!batch.pairs.empty() && batch.pairs[r / 2].count > 0) {
    return &batch.alignments[batch.concordant_pairs[batch.pairs[r / 2].first].mates[r % 2]];
  }
  const ReadResult& result = batch.reads[r];
  return result.count > 0 ? &batch.alignments[result.first] : nullptr;
}

}  // namespace trawl::align
