// The search without seeds: Myers' algorithm (match/myers.hpp) over the whole reference. An item is a strand and a
// chunk of the reference. Only rows that can still reach D <= e are computed, in blocks of 32 rows (Ukkonen 1985; in
// blocks: Myers 1999, section 4). In most columns this is only the first block. Without gaps mismatches are counted
// instead, at 64 positions at once.
#pragma once

#include <cstdint>

#include "gpu/map/end_runs.hpp"
#include "gpu/map/reads.hpp"
#include "gpu/map/reference_view.hpp"
#include "match/mismatch_counts.hpp"
#include "match/myers.hpp"

namespace trawl::gpu {

/// Item s is a strand: marks it if it can have a locus at all. A scan for more edits costs little more, so all are
/// searched for that are allowed.
struct MarkAll {
  ReadsView reads;
  std::uint8_t* marks;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t s) const {
    ReadEntry& read = reads.reads[s / 2];
    read.max_edits = read.allowed_edits;
    marks[s] = reads.searches(s) && read.length > 0 &&
               (reads.sets != nullptr || count_ambiguous(reads.strand(s), read.length) <= read.max_edits);
  }
};

/// Item s is a strand: lists it if it is searched and has this mark.
struct ListMarked {
  ReadsView reads;
  const std::uint8_t* marks;
  std::uint8_t wanted;
  std::uint32_t* list;
  std::uint32_t* count;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t s) const {
    if (marks[s] == wanted && reads.searches(s) && reads.reads[s / 2].length > 0) {
      list[claim(count)] = static_cast<std::uint32_t>(s);
    }
  }
};

/// The end positions [first_end, end), in a text that begins at `begin`.
struct ScanChunk {
  std::int64_t begin = 0;
  std::int64_t first_end = 0;
  std::int64_t end = 0;
};

/// The chunks of a reference of `size` positions: those in `list`, or, if it is null, chunks of `length` positions, a
/// multiple of 32.
struct ScanChunks {
  const ScanChunk* list = nullptr;
  std::uint64_t count = 0;
  std::int64_t length = 0;
  std::int64_t size = 0;

  TRAWL_HOST_DEVICE ScanChunk at(std::uint64_t c) const {
    if (list != nullptr) {
      return list[c];
    }
    const std::int64_t first_end = static_cast<std::int64_t>(c) * length;
    return {0, first_end, first_end + length < size ? first_end + length : size};
  }
};

/// Item i: strand list[i / chunks.count], end positions of chunk i % chunks.count. `kBlocks`: the number of blocks of
/// 32 rows that the longest read needs.
template <unsigned kBlocks, class Letters>
struct ScanStrands {
  ReferenceView reference;
  ReadsView reads;
  const std::uint32_t* list;
  ScanChunks chunks;
  EndRunOutput out;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t i) const {
    const LettersOf<Letters> letters{reference, reads};
    StrandScan search;
    search.strand = list[i / chunks.count];
    const ReadEntry& read = reads.reads[search.strand / 2];
    search.rows = letters.strand(search.strand);
    search.length = read.length;
    search.max_edits = read.max_edits;
    const ScanChunk chunk = chunks.at(i % chunks.count);
    search.first_end = chunk.first_end;
    const std::int64_t end = chunk.end;
    // Every alignment that ends in the chunk begins after this position.
    std::int64_t position = (search.first_end - static_cast<std::int64_t>(read.length) - read.max_edits) >> 5 << 5;
    auto first_column = static_cast<unsigned>(position < chunk.begin ? chunk.begin & 31 : 0);
    position = position < chunk.begin ? chunk.begin >> 5 << 5 : position;

    // The first block stays in registers; the others are needed rarely.
    const Letters rows = search.rows[0];
    const std::uint32_t last_row = read.length < 32 ? std::uint32_t{1} << (read.length - 1) : std::uint32_t{1} << 31;
    match::MyersWord<std::uint32_t> column;
    int bottom = read.length < 32 ? static_cast<int>(read.length) : 32;  // D in the block's last row
    for (; position < end; position += 32) {
      const Letters text = letters(position);
      const unsigned columns = end - position < 32 ? static_cast<unsigned>(end - position) : 32;
#ifdef __CUDA_ARCH__
#pragma unroll 4
#endif
      for (unsigned j = first_column; j < columns; ++j) {
        const Letter letter(text, j);
        const int before = bottom;
        const int change = match::myers_step(column, letter.equal(rows), 0, last_row);
        bottom += change;
        if (before <= search.max_edits || bottom <= search.max_edits || search.active > 1) {
          deepen(search, letter, before, change, position + j);
        }
      }
      first_column = 0;
    }
    close(search.run, search.strand);
  }

 private:
  // The end run that is being collected; it has at most 128 ends.
  struct OpenPiece {
    std::int64_t first = -1;
    std::int64_t contig_end = 0;
    std::int64_t next = -1;
    int best = 0;
    int last = 0;
    int distance = 0;
  };

  // One letter of the text; each of its bits fills a whole word.
  struct Letter {
    std::uint32_t planes[Letters::kPlanes];

    TRAWL_HOST_DEVICE Letter(const Letters& text, unsigned j) {
      TRAWL_UNROLL
      for (unsigned p = 0; p < Letters::kPlanes; ++p) {
        planes[p] = 0u - ((text.plane(p) >> j) & 1);
      }
    }
    /// Bit i: the letter matches row i.
    TRAWL_HOST_DEVICE std::uint32_t equal(const Letters& rows) const {
      std::uint32_t read[Letters::kPlanes];
      TRAWL_UNROLL
      for (unsigned p = 0; p < Letters::kPlanes; ++p) {
        read[p] = rows.plane(p);
      }
      return Letters::equal(planes, read);
    }
  };

  // What one item searches for, and its blocks after the first.
  struct StrandScan {
    std::uint64_t strand = 0;
    const Letters* rows = nullptr;
    std::uint32_t length = 0;
    int max_edits = 0;
    std::int64_t first_end = 0;
    int active = 1;  // number of blocks that have a cell of at most max_edits, or had one shortly before
    match::MyersWord<std::uint32_t> column[kBlocks];
    int bottom[kBlocks] = {};  // D in the last row of each block
    OpenPiece run;
  };

  // Computes the blocks of the column after the first one, and the end at this column. `before`: D in the last row of
  // the first block, before this column; `change`: its change in this column.
  TRAWL_HOST_DEVICE void deepen(StrandScan& search, const Letter& letter, int before, int change,
                                std::int64_t position) const {
    const int blocks = static_cast<int>((search.length + 31) / 32);
    search.bottom[0] = before + change;
    int above = before;  // D in the row above the next block, before this column
    int b = 1;
    for (; b < search.active; ++b) {
      change =
          match::myers_step(search.column[b], letter.equal(search.rows[b]), change, last_row_of(search, b, blocks));
      above = search.bottom[b];
      search.bottom[b] += change;
    }
    if (b < blocks && above <= search.max_edits && ((letter.equal(search.rows[b]) & 1) != 0 || change < 0)) {
      // The first cell of this block is at most e. The cells of the column before are only known to be more than e.
      search.column[b] = {};
      const int count = b == blocks - 1 ? static_cast<int>(search.length) - 32 * b : 32;
      change =
          match::myers_step(search.column[b], letter.equal(search.rows[b]), change, last_row_of(search, b, blocks));
      search.bottom[b] = above + count + change;
      ++search.active;
    }
    while (search.active > 1 && search.bottom[search.active - 1] >= search.max_edits + 32) {
      --search.active;
    }
    const int distance = search.bottom[search.active - 1];
    if (search.active == blocks && distance <= search.max_edits && position >= search.first_end &&
        out.limit.allows(reference, reads.reads[search.strand / 2], position)) {
      extend(search.run, search.strand, position, distance);
    }
  }

  TRAWL_HOST_DEVICE static std::uint32_t last_row_of(const StrandScan& search, int block, int blocks) {
    return std::uint32_t{1} << (block == blocks - 1 ? (search.length - 1) % 32 : 31);
  }

  TRAWL_HOST_DEVICE void extend(OpenPiece& run, std::uint64_t s, std::int64_t end, int distance) const {
    if (run.first >= 0 && (run.next != end || end >= run.contig_end || end - run.first >= 128)) {
      close(run, s);
    }
    if (run.first < 0) {
      const auto& contig = reference.contigs[reference.contig_at(static_cast<std::uint64_t>(end))];
      run.contig_end = static_cast<std::int64_t>(contig.offset + contig.length);
      if (end < static_cast<std::int64_t>(contig.offset) || end >= run.contig_end) {
        return;
      }
      run.first = end;
      run.best = 0;
      run.distance = distance;
    } else if (distance < run.distance) {
      run.best = static_cast<int>(end - run.first);
      run.distance = distance;
    }
    run.last = distance == run.distance ? static_cast<int>(end - run.first) : run.last;
    run.next = end + 1;
  }

  TRAWL_HOST_DEVICE void close(OpenPiece& run, std::uint64_t s) const {
    if (run.first >= 0) {
      out.put(reads.reads[s / 2], s, static_cast<std::uint64_t>(run.first), static_cast<int>(run.next - run.first),
              run.best, run.last, run.distance);
      run.first = -1;
    }
  }
};

/// The same without gaps.
template <class Letters>
struct ScanWithoutGaps {
  ReferenceView reference;
  ReadsView reads;
  const std::uint32_t* list;
  ScanChunks chunks;
  EndRunOutput out;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t i) const {
    constexpr unsigned kPlaces = 64;
    static_assert(kMaxDeviceEdits < 32);
    const LettersOf<Letters> letters{reference, reads};
    const std::uint64_t s = list[i / chunks.count];
    const ReadEntry& read = reads.reads[s / 2];
    const Letters* const strand = letters.strand(s);
    const ScanChunk chunk = chunks.at(i % chunks.count);
    const std::int64_t begin = chunk.first_end + 1 - read.length;
    const std::int64_t end = chunk.end + 1 - read.length;
    for (std::int64_t at = begin > chunk.begin ? begin : chunk.begin; at < end; at += kPlaces) {
      match::MismatchCounts<5> counts(read.max_edits);
      BandText<std::uint64_t, Letters> text;
      text.start(letters, at);
      for (std::uint32_t row = 0; row < read.length && counts.within() != 0; ++row) {
        if (row > 0 && row % 32 == 0) {
          text.advance(letters, at + row);
        }
        counts.add(~text.equal(row % 32, strand[row / 32]));
      }
      std::uint64_t within = counts.within();
      if (end - at < kPlaces) {
        within &= (std::uint64_t{1} << (end - at)) - 1;
      }
      for (; within != 0; within &= within - 1) {
        const unsigned place = lowest_bit(within);
        out.put_without_gaps(reference, read, s, at + place, counts.at(place));
      }
    }
  }
};

}  // namespace trawl::gpu
