// The search without seeds: Myers' algorithm (match/myers.hpp) over the whole reference, a strand and a chunk of the
// reference an item. Only the rows that can still come to D <= e are computed, in blocks of 32 (Ukkonen 1985; in
// blocks: Myers 1999, section 4): in most columns the first block alone.
#pragma once

#include <cstdint>

#include "gpu/map/reads.hpp"
#include "gpu/map/reference_view.hpp"
#include "gpu/map/verify.hpp"
#include "match/myers.hpp"

namespace trawl::gpu {

/// Item s is a strand: marks it where it can have a locus at all.
struct MarkAll {
  ReadsView reads;
  std::uint8_t* marks;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t s) const {
    const ReadEntry& read = reads.reads[s / 2];
    marks[s] = read.length > 0 && count_ambiguous(reads.strand(s), read.length) <= read.max_edits;
  }
};

/// Item s is a strand: lists it where it is marked.
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

/// Item i: strand list[i / chunks], end positions of chunk i % chunks. `kBlocks`: blocks of 32 rows that hold the
/// longest read.
template <unsigned kBlocks>
struct ScanStrands {
  ReferenceView reference;
  ReadsView reads;
  const std::uint32_t* list;
  std::uint64_t chunks;
  std::uint32_t chunk_length;  // a multiple of 32
  PieceOutput out;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t i) const {
    const std::uint64_t s = list[i / chunks];
    const ReadEntry& read = reads.reads[s / 2];
    const int max_edits = read.max_edits;
    const auto blocks = static_cast<int>((read.length + 31) / 32);
    Block rows[kBlocks];
    for (unsigned b = 0; b < kBlocks; ++b) {
      rows[b] = static_cast<int>(b) < blocks ? reads.strand(s)[b] : Block{0, 0, ~std::uint32_t{0}};
    }
    const std::uint32_t last_row = std::uint32_t{1} << ((read.length - 1) % 32);
    const auto first_end = static_cast<std::int64_t>(i % chunks * chunk_length);
    const std::int64_t size = reference.block_count * 32;
    const std::int64_t end = first_end + chunk_length < size ? first_end + chunk_length : size;
    // Every alignment that ends in the chunk begins behind this.
    std::int64_t position = (first_end - static_cast<std::int64_t>(read.length) - max_edits) >> 5 << 5;
    position = position > 0 ? position : 0;

    match::MyersWord<std::uint32_t> column[kBlocks];
    int bottom[kBlocks] = {};  // D in the last row of each block
    bottom[0] = blocks == 1 ? static_cast<int>(read.length) : 32;
    int active = 1;
    OpenPiece run;
    for (; position < end; position += 32) {
      const Block text = reference.block(position >> 5);
      const unsigned columns = end - position < 32 ? static_cast<unsigned>(end - position) : 32;
      for (unsigned j = 0; j < columns; ++j) {
        advance(text, j, rows, column, bottom, active, blocks, last_row, read.length, max_edits);
        if (active == blocks && last_of(bottom, blocks) <= max_edits && position + j >= first_end) {
          extend(run, s, position + j, last_of(bottom, blocks));
        }
      }
    }
    close(run, s);
  }

 private:
  // Ends under way, at most 128 in a piece.
  struct OpenPiece {
    std::int64_t first = -1;
    std::int64_t contig_end = 0;
    std::int64_t next = -1;
    int best = 0;
    int distance = 0;
  };

  TRAWL_HOST_DEVICE static int last_of(const int* bottom, int blocks) {
    int value = 0;
    for (unsigned b = 0; b < kBlocks; ++b) {
      value = static_cast<int>(b) == blocks - 1 ? bottom[b] : value;
    }
    return value;
  }

  // One column: the blocks that are active, then whether one more becomes so, or some no longer are.
  TRAWL_HOST_DEVICE static void advance(const Block& text, unsigned j, const Block* rows,
                                        match::MyersWord<std::uint32_t>* column, int* bottom, int& active, int blocks,
                                        std::uint32_t last_row, std::uint32_t length, int max_edits) {
    const std::uint32_t high = 0u - ((text.high >> j) & 1);
    const std::uint32_t low = 0u - ((text.low >> j) & 1);
    const std::uint32_t ambiguous = 0u - ((text.ambiguous >> j) & 1);
    const auto equal = [&](const Block& row) {
      return ~((row.high ^ high) | (row.low ^ low) | row.ambiguous | ambiguous);
    };
    int change = 0;
    int above = 0;  // D in the row above the next block, before this column
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (unsigned b = 0; b < kBlocks; ++b) {
      const int block = static_cast<int>(b);
      if (block < active) {
        change = match::myers_step(column[b], equal(rows[b]), change,
                                   block == blocks - 1 ? last_row : std::uint32_t{1} << 31);
        above = bottom[b];
        bottom[b] += change;
      } else if (block == active && block < blocks && above <= max_edits && ((equal(rows[b]) & 1) != 0 || change < 0)) {
        // The first cell of this block that is at most e. Its column before is not known but for being more than e.
        column[b] = {};
        const int count = block == blocks - 1 ? static_cast<int>(length) - 32 * block : 32;
        const int before = above;
        change = match::myers_step(column[b], equal(rows[b]), change,
                                   block == blocks - 1 ? last_row : std::uint32_t{1} << 31);
        above = before + count;
        bottom[b] = above + change;
        ++active;
        break;
      } else {
        break;
      }
    }
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (unsigned b = kBlocks - 1; b > 0; --b) {
      if (static_cast<int>(b) == active - 1 && bottom[b] >= max_edits + 32) {
        --active;
      }
    }
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
