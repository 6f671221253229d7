// Verifies candidates on the device with the banded algorithm of Myers (match/banded_myers.hpp) or, without gaps, by
// counting mismatches; one candidate per item. Its end positions form the end runs of loci. `Letters` is BaseBlock or,
// where ambiguous letters match, SetBlock.
#pragma once

#include <cstdint>

#include "gpu/map/candidates.hpp"
#include "gpu/map/reads.hpp"
#include "gpu/map/reference_view.hpp"
#include "match/banded_myers.hpp"
#include "sequence/ambiguous_limit.hpp"

namespace trawl::gpu {

/// The text bits for consecutive rows of a band that is as wide as `Word` has bits, 32 rows at a time. load(position):
/// the letters of 32 positions.
template <class Word, class Letters>
struct BandText {
  static constexpr unsigned kWords = sizeof(Word) / 4;
  static constexpr unsigned kPlanes = Letters::kPlanes;

  Word planes[kPlanes] = {};
  Letters next;

  /// Loads the rows of the text from `position` on.
  template <class Load>
  TRAWL_HOST_DEVICE void start(const Load& load, std::int64_t position) {
    for (unsigned w = 0; w < kWords; ++w) {
      put(w, load(position + 32 * w));
    }
    next = load(position + 32 * kWords);
  }
  /// Moves on by 32 rows; `position` is the position of the new first row.
  template <class Load>
  TRAWL_HOST_DEVICE void advance(const Load& load, std::int64_t position) {
    TRAWL_UNROLL
    for (unsigned p = 0; p < kPlanes; ++p) {
      if constexpr (kWords == 2) {
        planes[p] = static_cast<Word>(planes[p] >> 32);
      } else {
        planes[p] = 0;
      }
    }
    put(kWords - 1, next);
    next = load(position + 32 * kWords);
  }
  /// Row `row` < 32: bit b is 1 if the base of the read matches position b of the row.
  TRAWL_HOST_DEVICE Word equal(unsigned row, const Letters& read) const {
    Word text[kPlanes], base[kPlanes];
    TRAWL_UNROLL
    for (unsigned p = 0; p < kPlanes; ++p) {
      base[p] = static_cast<Word>(0) - ((read.plane(p) >> row) & 1);
      text[p] = shifted(planes[p], next.plane(p), row);
    }
    return Letters::equal(text, base);
  }

 private:
  TRAWL_HOST_DEVICE void put(unsigned w, const Letters& letters) {
    TRAWL_UNROLL
    for (unsigned p = 0; p < kPlanes; ++p) {
      planes[p] |= static_cast<Word>(letters.plane(p)) << (32 * w);
    }
  }
  TRAWL_HOST_DEVICE static Word shifted(Word word, std::uint32_t following, unsigned row) {
    if constexpr (kWords == 1) {
      return funnel(word, following, row);
    } else {
      return static_cast<Word>((word >> row) | ((static_cast<Word>(following) << 1) << (63 - row)));
    }
  }
};

/// Calls visit(row, cells, eq) for every row of a band that begins at position `begin`. read(w): bases 32 w to 32 w +
/// 31 of the read; load(position): as many letters of the text.
template <class Word, class Letters, class Load, class Read, class Visit>
TRAWL_HOST_DEVICE inline void for_each_row(const Load& load, const Read& read, std::uint32_t length, std::int64_t begin,
                                           match::BandState<Word>& state, const Visit& visit) {
  BandText<Word, Letters> text;
  text.start(load, begin);
  for (std::uint32_t first = 0; first < length; first += 32) {
    if (first > 0) {
      text.advance(load, begin + first);
    }
    const Letters bases = read(first / 32);
    const std::uint32_t rows = length - first < 32 ? length - first : 32;
    for (std::uint32_t row = 0; row < rows; ++row) {
      const Word eq = text.equal(row, bases);
      const auto cells = match::banded_row(match::PlainOps<Word>{}, state, eq);
      visit(first + row, cells, eq);
    }
  }
}

/// The rows of bands of a strand, as align::PathFinder and align::PlacementFinder need them.
template <class Word>
struct SetBand {
  const ReferenceView& reference;
  const BaseBlock* strand;
  const SetBlock* sets;  // of the strand: ambiguous letters match; null: they match nothing
  std::uint32_t length;

  template <class Visit>
  TRAWL_HOST_DEVICE void operator()(std::int64_t begin, match::BandState<Word>& state, const Visit& visit) const {
    const ReferenceView& view = reference;
    const BaseBlock* const plain = strand;
    const SetBlock* const own = sets;
    const auto load = [&view, own](std::int64_t position) {
      return own != nullptr ? view.sets_at(position) : sets_of(view.at(position));
    };
    const auto read = [plain, own](std::uint32_t w) { return own != nullptr ? own[w] : sets_of(plain[w]); };
    for_each_row<Word, SetBlock>(load, read, length, begin, state, visit);
  }
};

/// The letters of the text at a position, and those of a strand, as `Letters`.
template <class Letters>
struct LettersOf {
  const ReferenceView& reference;
  const ReadsView& reads;

  TRAWL_HOST_DEVICE Letters operator()(std::int64_t position) const {
    if constexpr (Letters::kPlanes == BaseBlock::kPlanes) {
      return reference.at(position);
    } else {
      return reference.sets_at(position);
    }
  }
  TRAWL_HOST_DEVICE const Letters* strand(std::uint64_t s) const {
    if constexpr (Letters::kPlanes == BaseBlock::kPlanes) {
      return reads.strand(s);
    } else {
      return reads.sets_of(s);
    }
  }
};

/// Which positions are no ends because a read there overlaps too many ambiguous letters (sequence/ambiguous_limit.hpp).
struct EndLimit {
  sequence::AmbiguousLimit limit;
  bool on = false;
  std::uint64_t deepest = 0;  // no wanted alignment reaches further into a run of ambiguous letters that match

  TRAWL_HOST_DEVICE bool allows(const ReferenceView& reference, const ReadEntry& read, std::int64_t end) const {
    if (!on) {
      return true;
    }
    const std::int64_t begin = end + 1 > read.length ? end + 1 - read.length : 0;
    return limit.with_edits(read.max_edits).allows(reference.count_ambiguous(begin, end + 1), read.length);
  }
};

/// Consecutive end positions with D <= e that one band found. End runs that touch form a locus. Packed for sorting:
/// `key` holds the strand and the first end, `value` the rest.
struct EndRun {
  TRAWL_HOST_DEVICE static std::uint64_t key(std::uint64_t strand, std::uint64_t first_end, unsigned position_bits) {
    return strand << position_bits | first_end;
  }
  /// `length`: number of end positions, from 1 to 128. `best`: the leftmost end with the smallest D, counted from the
  /// first end; `last`: the last end with this D.
  TRAWL_HOST_DEVICE static std::uint32_t value(unsigned length, unsigned best, unsigned last, unsigned distance) {
    return last << 24 | length << 16 | best << 8 | distance;
  }
  TRAWL_HOST_DEVICE static unsigned last(std::uint32_t value) { return value >> 24; }
  TRAWL_HOST_DEVICE static unsigned length(std::uint32_t value) { return (value >> 16) & 0xff; }
  TRAWL_HOST_DEVICE static unsigned best(std::uint32_t value) { return (value >> 8) & 0xff; }
  TRAWL_HOST_DEVICE static unsigned distance(std::uint32_t value) { return value & 0xff; }
};

/// End runs in no particular order.
struct EndRuns {
  std::uint64_t* keys = nullptr;
  std::uint32_t* values = nullptr;
  std::uint64_t count = 0;
};

/// Where end runs are written, in any order. End runs beyond the capacity are counted but not written. A scan may find
/// more than 2^32 of them.
struct EndRunOutput {
  std::uint64_t* keys = nullptr;
  std::uint32_t* values = nullptr;
  std::uint64_t* count = nullptr;
  std::uint64_t capacity = 0;
  unsigned position_bits = 0;
  EndLimit limit;

  TRAWL_HOST_DEVICE void put(const ReadEntry& read, std::uint64_t strand, std::uint64_t first_end, int length, int best,
                             int last, int distance) const {
    const std::uint64_t at = claim(count);
    if (at < capacity) {
      // Perhaps only some of the reads are searched.
      keys[at] = EndRun::key(2 * std::uint64_t{read.number} + strand % 2, first_end, position_bits);
      values[at] = EndRun::value(static_cast<unsigned>(length), static_cast<unsigned>(best),
                                 static_cast<unsigned>(last), static_cast<unsigned>(distance));
    }
  }
  /// An end of a read that lies without gaps from `begin` on, if it lies in one contig.
  TRAWL_HOST_DEVICE void put_without_gaps(const ReferenceView& reference, const ReadEntry& read, std::uint64_t strand,
                                          std::int64_t begin, std::uint32_t mismatches) const {
    const std::int64_t end = begin + read.length - 1;
    if (begin < 0) {
      return;
    }
    const ContigSpan& contig = reference.contigs[reference.contig_at(static_cast<std::uint64_t>(begin))];
    if (begin >= static_cast<std::int64_t>(contig.offset) &&
        end < static_cast<std::int64_t>(contig.offset + contig.length) && limit.allows(reference, read, end)) {
      put(read, strand, static_cast<std::uint64_t>(end), 1, 0, 0, static_cast<int>(mismatches));
    }
  }
};

/// Item c is a candidate: counts its mismatches, and writes its end if they are few enough.
struct CountMismatches {
  ReferenceView reference;
  ReadsView reads;
  const std::uint64_t* candidates;
  EndRunOutput out;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t c) const {
    const std::uint64_t s = Candidate::strand(candidates[c]);
    const ReadEntry& read = reads.reads[s / 2];
    const std::int64_t begin = Candidate::diagonal(candidates[c]);
    const DeviceComparison comparison{reference, reads.strand(s), reads.sets_of(s)};
    std::uint32_t mismatches = 0;
    for (std::uint32_t w = 0; 32 * w < read.length && mismatches <= read.max_edits; ++w) {
      mismatches += popcount(comparison.differences(begin, w) & range_bits(0, read.length, w));
    }
    if (mismatches <= read.max_edits) {
      out.put_without_gaps(reference, read, s, begin, mismatches);
    }
  }
};

/// Item c is a candidate: verifies it and writes its end runs.
template <class Word, class Letters>
struct VerifyCandidates {
  ReferenceView reference;
  ReadsView reads;
  const std::uint64_t* candidates;
  EndRunOutput out;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t c) const {
    const std::uint64_t s = Candidate::strand(candidates[c]);
    const ReadEntry& read = reads.reads[s / 2];
    const std::uint32_t length = read.length;
    const std::int64_t begin = Candidate::diagonal(candidates[c]) - read.max_edits;
    match::BandState<Word> state;
    std::uint32_t equal = 0;
    const LettersOf<Letters> letters{reference, reads};
    const Letters* const strand = letters.strand(s);
    for_each_row<Word, Letters>(
        letters, [strand](std::uint32_t w) { return strand[w]; }, length, begin, state,
        [&equal](std::uint32_t, const match::BandRow<Word>& cells, Word) {
          equal += static_cast<std::uint32_t>(cells.d0 & 1);
        });
    write_end_runs(s, begin + length - 1, static_cast<int>(length - equal), state, read);
  }

 private:
  TRAWL_HOST_DEVICE void write_end_runs(std::uint64_t strand, std::int64_t first_end, int distance,
                                        const match::BandState<Word>& state, const ReadEntry& read) const {
    const int max_edits = read.max_edits;
    const int ends = 2 * max_edits + 1;
    int open = -1;  // the first end of the end run that is being collected, or -1
    int best = 0;
    int last = 0;
    int smallest = 0;
    bool clear = true;  // the limit allows every end
    std::int64_t contig_begin = 0;
    std::int64_t contig_end = -1;
    for (int bit = 0; bit <= ends; ++bit) {
      const bool within = bit < ends && distance <= max_edits;
      if (within && contig_end < 0) {
        // Gaps between contigs are wider than bands, so a band touches only one contig.
        const auto from = static_cast<std::uint64_t>(first_end > 0 ? first_end : 0);
        std::uint64_t contig = reference.contig_at(from);
        if (from >= reference.contigs[contig].offset + reference.contigs[contig].length &&
            contig + 1 < reference.contig_count) {
          ++contig;
        }
        contig_begin = static_cast<std::int64_t>(reference.contigs[contig].offset);
        contig_end = contig_begin + static_cast<std::int64_t>(reference.contigs[contig].length);
        if constexpr (Letters::kPlanes != BaseBlock::kPlanes) {
          clear = !out.limit.on || is_clear(first_end + 1 - read.length, read.length + static_cast<unsigned>(ends));
        }
      }
      if (within && first_end + bit >= contig_begin && first_end + bit < contig_end &&
          (clear || out.limit.allows(reference, read, first_end + bit))) {
        if (open < 0 || distance < smallest) {
          open = open < 0 ? bit : open;
          best = bit;
          smallest = distance;
        }
        last = distance == smallest ? bit : last;
      } else if (open >= 0) {
        out.put(read, strand, static_cast<std::uint64_t>(first_end + open), bit - open, best - open, last - open,
                smallest);
        open = -1;
      }
      if (bit < ends) {
        distance += static_cast<int>((state.vp >> bit) & 1) - static_cast<int>((state.vn >> bit) & 1);
      }
    }
  }

  // Whether none of these positions is ambiguous.
  TRAWL_HOST_DEVICE bool is_clear(std::int64_t begin, std::uint32_t length) const {
    for (std::int64_t b = begin >> 5; 32 * b < begin + length; ++b) {
      if (reference.block(b).ambiguous != 0) {
        return false;
      }
    }
    return true;
  }
};

}  // namespace trawl::gpu
