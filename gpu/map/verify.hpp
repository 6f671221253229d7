// Verifies candidates on the device with the banded algorithm of Myers (match/banded_myers.hpp), one candidate per
// item. Its end positions form the end runs of loci.
#pragma once

#include <cstdint>

#include "gpu/map/candidates.hpp"
#include "gpu/map/reads.hpp"
#include "gpu/map/reference_view.hpp"
#include "match/banded_myers.hpp"

namespace trawl::gpu {

/// The text bits for consecutive rows of a band that is as wide as `Word` has bits, 32 rows at a time.
template <class Word>
struct BandText {
  static constexpr unsigned kWords = sizeof(Word) / 4;

  Word high = 0, low = 0, ambiguous = 0;
  Block next;

  /// Loads the rows of the text from `position` on.
  TRAWL_HOST_DEVICE void start(const ReferenceView& reference, std::int64_t position) {
    for (unsigned w = 0; w < kWords; ++w) {
      put(w, reference.at(position + 32 * w));
    }
    next = reference.at(position + 32 * kWords);
  }
  /// Moves on by 32 rows; `position` is the position of the new first row.
  TRAWL_HOST_DEVICE void advance(const ReferenceView& reference, std::int64_t position) {
    if constexpr (kWords == 2) {
      high = static_cast<Word>(high >> 32);
      low = static_cast<Word>(low >> 32);
      ambiguous = static_cast<Word>(ambiguous >> 32);
      put(1, next);
    } else {
      high = next.high;
      low = next.low;
      ambiguous = next.ambiguous;
    }
    next = reference.at(position + 32 * kWords);
  }
  /// Row `row` < 32: bit b is 1 if the base of the read matches position b of the row.
  TRAWL_HOST_DEVICE Word equal(unsigned row, const Block& read) const {
    const Word read_high = static_cast<Word>(0) - ((read.high >> row) & 1);
    const Word read_low = static_cast<Word>(0) - ((read.low >> row) & 1);
    const Word read_ambiguous = static_cast<Word>(0) - ((read.ambiguous >> row) & 1);
    return static_cast<Word>(~((shifted(high, next.high, row) ^ read_high) | (shifted(low, next.low, row) ^ read_low) |
                               shifted(ambiguous, next.ambiguous, row) | read_ambiguous));
  }

 private:
  TRAWL_HOST_DEVICE void put(unsigned w, const Block& block) {
    high |= static_cast<Word>(block.high) << (32 * w);
    low |= static_cast<Word>(block.low) << (32 * w);
    ambiguous |= static_cast<Word>(block.ambiguous) << (32 * w);
  }
  TRAWL_HOST_DEVICE static Word shifted(Word word, std::uint32_t following, unsigned row) {
    if constexpr (kWords == 1) {
      return funnel(word, following, row);
    } else {
      return static_cast<Word>((word >> row) | ((static_cast<Word>(following) << 1) << (63 - row)));
    }
  }
};

/// Calls visit(row, cells, eq) for every row of a band that begins at position `begin`.
template <class Word, class Visit>
TRAWL_HOST_DEVICE inline void for_each_row(const ReferenceView& reference, const Block* read, std::uint32_t length,
                                           std::int64_t begin, match::BandState<Word>& state, const Visit& visit) {
  BandText<Word> text;
  text.start(reference, begin);
  for (std::uint32_t first = 0; first < length; first += 32) {
    if (first > 0) {
      text.advance(reference, begin + first);
    }
    const Block bases = read[first / 32];
    const std::uint32_t rows = length - first < 32 ? length - first : 32;
    for (std::uint32_t row = 0; row < rows; ++row) {
      const Word eq = text.equal(row, bases);
      const auto cells = match::banded_row(match::PlainOps<Word>{}, state, eq);
      visit(first + row, cells, eq);
    }
  }
}

/// Consecutive end positions with D <= e that one band found. End runs that touch form a locus. Packed for sorting:
/// `key` holds the strand and the first end, `value` the rest.
struct EndRun {
  TRAWL_HOST_DEVICE static std::uint64_t key(std::uint64_t strand, std::uint64_t first_end, unsigned position_bits) {
    return strand << position_bits | first_end;
  }
  /// `length`: number of end positions, from 1 to 128. `best`: the leftmost end with the smallest D, counted from the
  /// first end.
  TRAWL_HOST_DEVICE static std::uint32_t value(unsigned length, unsigned best, unsigned distance) {
    return length << 16 | best << 8 | distance;
  }
  TRAWL_HOST_DEVICE static unsigned length(std::uint32_t value) { return value >> 16; }
  TRAWL_HOST_DEVICE static unsigned best(std::uint32_t value) { return (value >> 8) & 0xff; }
  TRAWL_HOST_DEVICE static unsigned distance(std::uint32_t value) { return value & 0xff; }
};

/// Where end runs are written, in any order. End runs beyond the capacity are counted but not written. A scan may find
/// more than 2^32 of them.
struct EndRunOutput {
  std::uint64_t* keys = nullptr;
  std::uint32_t* values = nullptr;
  std::uint64_t* count = nullptr;
  std::uint64_t capacity = 0;
  unsigned position_bits = 0;
  std::uint64_t first_strand = 0;  // number of the strand that is strand 0 here, if only some of the reads are searched

  TRAWL_HOST_DEVICE void put(std::uint64_t strand, std::uint64_t first_end, int length, int best, int distance) const {
    const std::uint64_t at = claim(count);
    if (at < capacity) {
      keys[at] = EndRun::key(first_strand + strand, first_end, position_bits);
      values[at] =
          EndRun::value(static_cast<unsigned>(length), static_cast<unsigned>(best), static_cast<unsigned>(distance));
    }
  }
};

/// Item c is a candidate: verifies it and writes its end runs.
template <class Word>
struct VerifyCandidates {
  ReferenceView reference;
  ReadsView reads;
  const std::uint64_t* candidates;
  EndRunOutput out;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t c) const {
    const std::uint64_t s = Candidate::strand(candidates[c]);
    const ReadEntry& read = reads.reads[s / 2];
    const std::uint32_t length = read.length;
    const int max_edits = read.max_edits;
    const std::int64_t begin = Candidate::diagonal(candidates[c]) - max_edits;
    match::BandState<Word> state;
    std::uint32_t equal = 0;
    for_each_row<Word>(reference, reads.strand(s), length, begin, state,
                       [&equal](std::uint32_t, const match::BandRow<Word>& cells, Word) {
                         equal += static_cast<std::uint32_t>(cells.d0 & 1);
                       });
    write_end_runs(s, begin + length - 1, static_cast<int>(length - equal), state, max_edits);
  }

 private:
  TRAWL_HOST_DEVICE void write_end_runs(std::uint64_t strand, std::int64_t first_end, int distance,
                                        const match::BandState<Word>& state, int max_edits) const {
    const int ends = 2 * max_edits + 1;
    int open = -1;  // the first end of the end run that is being collected, or -1
    int best = 0;
    int smallest = 0;
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
      }
      if (within && first_end + bit >= contig_begin && first_end + bit < contig_end) {
        if (open < 0) {
          open = bit;
          best = bit;
          smallest = distance;
        } else if (distance < smallest) {
          best = bit;
          smallest = distance;
        }
      } else if (open >= 0) {
        out.put(strand, static_cast<std::uint64_t>(first_end + open), bit - open, best - open, smallest);
        open = -1;
      }
      if (bit < ends) {
        distance += static_cast<int>((state.vp >> bit) & 1) - static_cast<int>((state.vn >> bit) & 1);
      }
    }
  }
};

}  // namespace trawl::gpu
