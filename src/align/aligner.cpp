#include "align/aligner.hpp"

#include <algorithm>

#include "base/append_number.hpp"
#include "match/banded_myers.hpp"
#include "sequence/alphabet.hpp"
#include "sequence/plane_window.hpp"

namespace trawl::align {

namespace {

constexpr unsigned kMaxBandDistance = 31;  // 2 d + 1 diagonals fit in 64 bits

}  // namespace

std::uint64_t Aligner::differences(const sequence::EncodedRead& read, std::size_t i, std::uint64_t position,
                                   std::size_t length) const {
  const auto text = sequence::planes_at(reference_.planes().data(), position);
  const auto& ambiguous = reference_.ambiguous();
  std::uint64_t differ =
      (text.high ^ sequence::funnel_shift_right(read.high[i / 64], read.high[i / 64 + 1], i % 64)) |
      (text.low ^ sequence::funnel_shift_right(read.low[i / 64], read.low[i / 64 + 1], i % 64)) |
      sequence::funnel_shift_right(ambiguous[position / 64], ambiguous[position / 64 + 1], position % 64);
  if (read.ambiguous > 0) {
    for (std::size_t k = 0; k < length; ++k) {
      differ |= std::uint64_t{read.codes[i + k] == sequence::kAmbiguous} << k;
    }
  }
  return length == 64 ? differ : differ & ((std::uint64_t{1} << length) - 1);
}

bool Aligner::fits_without_gap(const Locus& locus, const sequence::EncodedRead& read) const {
  const std::size_t length = read.length();
  if (ambiguous_matches_ || locus.end + 1 < length) {
    return false;  // with matching ambiguous bases the differences are no distance
  }
  const std::uint64_t begin = locus.end + 1 - length;
  const auto& contig = reference_.contigs()[reference_.contig_at(locus.end)];
  if (begin < contig.offset) {
    return false;
  }
  std::uint32_t mismatches = 0;
  for (std::size_t i = 0; i < length; i += 64) {
    mismatches += static_cast<std::uint32_t>(
        __builtin_popcountll(differences(read, i, begin + i, std::min<std::size_t>(64, length - i))));
  }
  return mismatches == locus.distance;
}

std::uint64_t Aligner::trace(const Locus& locus, const sequence::EncodedRead& read, std::uint64_t contig_begin) {
  const std::size_t length = read.length();
  const unsigned distance = locus.distance;
  if (distance > kMaxBandDistance) {
    return trace_wide(locus, read, contig_begin);
  }
  const std::int64_t begin = static_cast<std::int64_t>(locus.end) + 1 - static_cast<std::int64_t>(length + distance);
  text_.load(reference_, begin, length + 64, ambiguous_matches_);
  rows_.resize(length);
  match::BandState<std::uint64_t> state;
  for (std::size_t i = 0; i < length; ++i) {
    const std::uint64_t eq = text_.match_bits(read, i, i);
    const auto cells = match::banded_row(match::PlainOps<std::uint64_t>{}, state, eq);
    rows_[i] = {cells.d0 & ~eq, cells.up};
  }
  const std::int64_t offset = match::trace_band(rows_.data(), static_cast<unsigned>(length), distance,
                                                static_cast<std::int64_t>(contig_begin) - begin, [&](match::Step step) {
                                                  if (!runs_.empty() && runs_.back().step == step) {
                                                    ++runs_.back().length;
                                                  } else {
                                                    runs_.push_back({step, 1});
                                                  }
                                                });
  return static_cast<std::uint64_t>(begin + offset);
}

// The same path from a band of plain cells, for distances whose band no word holds: all diagonals that an alignment of
// that distance to the locus' end can use.
std::uint64_t Aligner::trace_wide(const Locus& locus, const sequence::EncodedRead& read, std::uint64_t contig_begin) {
  const std::size_t m = read.length();
  const std::size_t distance = locus.distance;
  const std::uint64_t reach = m + distance;
  const std::uint64_t begin = std::max(contig_begin, locus.end + 1 > reach ? locus.end + 1 - reach : 0);
  const std::size_t n = locus.end + 1 - begin;
  text_.load(reference_, static_cast<std::int64_t>(begin), n, ambiguous_matches_);
  // Row i holds columns i + n - m - distance .. i + n - m + distance, those outside the matrix too.
  const std::size_t width = 2 * distance + 1;
  const std::uint16_t far = static_cast<std::uint16_t>(distance + 1);
  cells_.assign((m + 1) * width, far);
  const auto column = [&](std::size_t i) {
    return static_cast<std::int64_t>(i + n) - static_cast<std::int64_t>(m + distance);
  };
  const auto cell = [&](std::size_t i, std::size_t j) -> std::uint16_t {
    const std::int64_t k = static_cast<std::int64_t>(j) - column(i);
    return k >= 0 && k < static_cast<std::int64_t>(width) ? cells_[i * width + static_cast<std::size_t>(k)] : far;
  };
  const auto differ = [&](std::size_t i, std::size_t j) {
    return static_cast<std::uint16_t>(1 - (text_.match_bits(read, i - 1, j - 1) & 1));
  };
  for (std::size_t i = 0; i <= m; ++i) {
    for (std::size_t k = 0; k < width; ++k) {
      const std::int64_t at = column(i) + static_cast<std::int64_t>(k);
      if (at < 0 || at > static_cast<std::int64_t>(n)) {
        continue;
      }
      const auto j = static_cast<std::size_t>(at);
      std::size_t value = i;
      if (i == 0) {
        value = 0;
      } else if (j > 0) {
        value = std::min({std::size_t{cell(i - 1, j - 1)} + differ(i, j), std::size_t{cell(i - 1, j)} + 1,
                          std::size_t{cell(i, j - 1)} + 1});
      }
      cells_[i * width + k] = static_cast<std::uint16_t>(std::min<std::size_t>(value, far));
    }
  }
  std::size_t j = n;
  for (std::size_t i = m; i > 0;) {
    match::Step step = match::Step::deletion;
    if (j > 0 && cell(i, j) == cell(i - 1, j - 1) + differ(i, j)) {
      step = match::Step::diagonal;
    } else if (cell(i, j) == cell(i - 1, j) + 1) {
      step = match::Step::insertion;
    }
    i -= step != match::Step::deletion;
    j -= step != match::Step::insertion;
    if (!runs_.empty() && runs_.back().step == step) {
      ++runs_.back().length;
    } else {
      runs_.push_back({step, 1});
    }
  }
  return begin + j;
}

void Aligner::put(AlignmentBatch& out, std::size_t first, CigarOp op, std::uint32_t length) const {
  if (length == 0) {
    return;
  }
  if (out.cigar.size() > first && (out.cigar.back() & 15u) == static_cast<std::uint32_t>(op)) {
    out.cigar.back() += length << 4;
  } else {
    out.cigar.push_back(length << 4 | static_cast<std::uint32_t>(op));
  }
}

void Aligner::write_runs(const sequence::EncodedRead& read, std::span<const AlignedRun> runs, Alignment& alignment,
                         std::uint64_t position, AlignmentBatch& out) {
  const std::size_t first = out.cigar.size();
  const std::size_t md_begin = out.md.size();
  std::size_t i = 0;
  std::uint32_t edits = 0;
  std::uint64_t matched = 0;  // since the last thing that MD names
  const std::uint64_t start = position;
  for (const AlignedRun& run : runs) {
    if (run.step == match::Step::insertion) {
      put(out, first, CigarOp::insertion, run.length);
      edits += run.length;
      i += run.length;
    } else if (run.step == match::Step::deletion) {
      put(out, first, CigarOp::deletion, run.length);
      edits += run.length;
      append_number(out.md, matched);
      matched = 0;
      out.md += '^';
      for (std::uint32_t k = 0; k < run.length; ++k) {
        out.md += reference_.letter(position + k);
      }
      position += run.length;
    } else {
      if (!eqx_) {
        put(out, first, CigarOp::match, run.length);
      }
      for (std::uint32_t done = 0; done < run.length; done += 64) {
        const std::uint32_t length = std::min<std::uint32_t>(64, run.length - done);
        std::uint64_t differ = differences(read, i + done, position + done, length);
        std::uint32_t at = 0;
        while (differ != 0) {
          const auto next = static_cast<std::uint32_t>(__builtin_ctzll(differ));
          differ &= differ - 1;
          matched += next - at;
          append_number(out.md, matched);
          matched = 0;
          out.md += reference_.letter(position + done + next);
          ++edits;
          if (eqx_) {
            put(out, first, CigarOp::equal, next - at);
            put(out, first, CigarOp::mismatch, 1);
          }
          at = next + 1;
        }
        matched += length - at;
        if (eqx_) {
          put(out, first, CigarOp::equal, length - at);
        }
      }
      i += run.length;
      position += run.length;
    }
  }
  append_number(out.md, matched);
  alignment.cigar = first;
  alignment.cigar_length = static_cast<std::uint32_t>(out.cigar.size() - first);
  alignment.md = md_begin;
  alignment.md_length = static_cast<std::uint32_t>(out.md.size() - md_begin);
  alignment.edits = edits;
  alignment.span = static_cast<std::uint32_t>(position - start);
}

void Aligner::prefetch(std::span<const Locus> loci, const sequence::EncodedRead& read) const {
  for (const Locus& locus : loci) {
    const std::uint64_t begin = locus.end - std::min<std::uint64_t>(locus.end, read.length());
    __builtin_prefetch(reference_.planes().data() + begin / 64);
    __builtin_prefetch(reference_.planes().data() + locus.end / 64);
    __builtin_prefetch(reference_.ambiguous().data() + begin / 64);
  }
}

Alignment Aligner::align(const Locus& locus, const sequence::EncodedRead& read, AlignmentBatch& out) {
  const std::uint64_t contig_begin = reference_.contigs()[reference_.contig_at(locus.end)].offset;
  std::uint64_t position = 0;
  runs_.clear();
  if (fits_without_gap(locus, read)) {
    runs_.push_back({match::Step::diagonal, static_cast<std::uint32_t>(read.length())});
    position = locus.end + 1 - read.length();
  } else {
    position = trace(locus, read, contig_begin);
    std::reverse(runs_.begin(), runs_.end());
  }
  return describe(locus, read, position, runs_, out);
}

Alignment Aligner::describe(const Locus& locus, const sequence::EncodedRead& read, std::uint64_t position,
                            std::span<const AlignedRun> runs, AlignmentBatch& out) {
  Alignment alignment;
  const std::size_t contig = reference_.contig_at(locus.end);
  alignment.contig = static_cast<std::uint32_t>(contig);
  alignment.start = position - reference_.contigs()[contig].offset;
  alignment.distance = locus.distance;
  alignment.reverse = locus.reverse;
  write_runs(read, runs, alignment, position, out);
  return alignment;
}

std::uint64_t Aligner::mismatch_costs(const sequence::EncodedRead& read, std::size_t i, std::uint64_t position,
                                      std::size_t length, std::string_view qualities, const MapqModel& model) const {
  std::uint64_t cost = 0;
  for (std::size_t done = 0; done < length; done += 64) {
    std::uint64_t differ = differences(read, i + done, position + done, std::min<std::size_t>(64, length - done));
    for (; differ != 0; differ &= differ - 1) {
      const std::size_t at = i + done + static_cast<std::size_t>(__builtin_ctzll(differ));
      cost += model.mismatch_cost(qualities.empty() ? MapqModel::kDefaultQuality
                                                    : static_cast<unsigned>(qualities[at] - '!'));
    }
  }
  return cost;
}

std::uint64_t Aligner::cost_of(const Alignment& alignment, const sequence::EncodedRead& read,
                               std::string_view qualities, const AlignmentBatch& batch, const MapqModel& model) const {
  std::uint64_t cost = 0;
  std::size_t i = 0;
  std::uint64_t position = reference_.contigs()[alignment.contig].offset + alignment.start;
  for (std::uint32_t c = 0; c < alignment.cigar_length; ++c) {
    const std::uint32_t element = batch.cigar_of(alignment)[c];
    const std::uint32_t length = element >> 4;
    switch (static_cast<CigarOp>(element & 15u)) {
      case CigarOp::insertion:
        cost += std::uint64_t{length} * MapqModel::kGapCost;
        i += length;
        break;
      case CigarOp::deletion:
        cost += std::uint64_t{length} * MapqModel::kGapCost;
        position += length;
        break;
      default:
        cost += mismatch_costs(read, i, position, length, qualities, model);
        i += length;
        position += length;
    }
  }
  return cost;
}

std::uint64_t Aligner::cost_of(const Locus& locus, const sequence::EncodedRead& read, std::string_view qualities,
                               std::uint64_t average_cost, const MapqModel& model) const {
  if (!fits_without_gap(locus, read)) {
    return locus.distance * average_cost;
  }
  return mismatch_costs(read, 0, locus.end + 1 - read.length(), read.length(), qualities, model);
}

}  // namespace trawl::align
