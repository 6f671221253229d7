// The search without seeds: Myers' algorithm (match/myers.hpp) over the whole reference. An item is a strand and a
// chunk of the reference. Only rows that can still reach D <= e are computed, in blocks of 32 rows (Ukkonen 1985; in
// blocks: Myers 1999, section 4). In most columns this is only the first block.
#pragma once

#include <cstdint>

#include "gpu/map/reads.hpp"
#include "gpu/map/reference_view.hpp"
#include "gpu/map/verify.hpp"
#include "match/myers.hpp"

namespace trawl::gpu {

/// Item s is a strand: marks it if it can have a locus at all.
struct MarkAll {
  ReadsView reads;
  std::uint8_t* marks;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t s) const {
    const ReadEntry& read = reads.reads[s / 2];
    marks[s] = read.length > 0 && count_ambiguous(reads.strand(s), read.length) <= read.max_edits;
  }
};

/// Item s is a strand: lists it if it is marked.
struct ListMarked {
  const std::uint8_t* marks;
  std::uint32_t* list;
  std::uint32_t* count;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t s) const {
    if (marks[s] != 0) {
      list[claim(count)] = static_cast<std::uint32_t>(s);
    }
  }
};

/// Item i: strand list[i / chunks], end positions of chunk i % chunks. `kBlocks`: the number of blocks of 32 rows that
/// the longest read needs.
template <unsigned kBlocks>
struct ScanStrands {
  ReferenceView reference;
  ReadsView reads;
  const std::uint32_t* list;
  std::uint64_t chunks;
  std::uint32_t chunk_length;  // a multiple of 32
  EndRunOutput out;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t i) const {
    Search search;
    search.strand = list[i / chunks];
    const ReadEntry& read = reads.reads[search.strand / 2];
    search.rows = reads.strand(search.strand);
    search.length = read.length;
    search.max_edits = read.max_edits;
    search.first_end = static_cast<std::int64_t>(i % chunks * chunk_length);
    const std::int64_t size = reference.block_count * 32;
    const std::int64_t end = search.first_end + chunk_length < size ? search.first_end + chunk_length : size;
    // Every alignment that ends in the chunk begins after this position.
    std::int64_t position = (search.first_end - static_cast<std::int64_t>(read.length) - read.max_edits) >> 5 << 5;
    position = position > 0 ? position : 0;

    // The first block stays in registers; the others are needed rarely.
    const Block rows = search.rows[0];
    const std::uint32_t last_row = read.length < 32 ? std::uint32_t{1} << (read.length - 1) : std::uint32_t{1} << 31;
    match::MyersWord<std::uint32_t> column;
    int bottom = read.length < 32 ? static_cast<int>(read.length) : 32;  // D in the block's last row
    for (; position < end; position += 32) {
      const Block text = reference.block(position >> 5);
      const unsigned columns = end - position < 32 ? static_cast<unsigned>(end - position) : 32;
#ifdef __CUDA_ARCH__
#pragma unroll 4
#endif
      for (unsigned j = 0; j < columns; ++j) {
        const Letter letter(text, j);
        const int before = bottom;
        const int change = match::myers_step(column, letter.equal(rows), 0, last_row);
        bottom += change;
        if (before <= search.max_edits || bottom <= search.max_edits || search.active > 1) {
          deepen(search, letter, before, change, position + j);
        }
      }
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
    int distance = 0;
  };

  // One base of the text; each of its bits fills a whole word.
  struct Letter {
    std::uint32_t high, low, ambiguous;

    TRAWL_HOST_DEVICE Letter(const Block& text, unsigned j)
        : high(0u - ((text.high >> j) & 1)),
          low(0u - ((text.low >> j) & 1)),
          ambiguous(0u - ((text.ambiguous >> j) & 1)) {}
    /// Bit i: the base matches row i.
    TRAWL_HOST_DEVICE std::uint32_t equal(const Block& rows) const {
      return ~((rows.high ^ high) | (rows.low ^ low) | rows.ambiguous | ambiguous);
    }
  };

  // What one item searches for, and its blocks after the first.
  struct Search {
    std::uint64_t strand = 0;
    const Block* rows = nullptr;
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
  TRAWL_HOST_DEVICE void deepen(Search& search, const Letter& letter, int before, int change,
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
      // The first cell of this block is at most e. Of the column before we only know that its cells are more than e.
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
    if (search.active == blocks && distance <= search.max_edits && position >= search.first_end) {
      extend(search.run, search.strand, position, distance);
    }
  }

  TRAWL_HOST_DEVICE static std::uint32_t last_row_of(const Search& search, int block, int blocks) {
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
    run.next = end + 1;
  }

  TRAWL_HOST_DEVICE void close(OpenPiece& run, std::uint64_t s) const {
    if (run.first >= 0) {
      out.put(s, static_cast<std::uint64_t>(run.first), static_cast<int>(run.next - run.first), run.best, run.distance);
      run.first = -1;
    }
  }
};

}  // namespace trawl::gpu
