#include "align/origin.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "align/cigar.hpp"
#include "base/append_number.hpp"

namespace trawl::align {

namespace {

bool is_over_origin(const Alignment& a) { return a.circle > 0 && a.start + a.span > a.circle; }

// The MD of columns [begin, end) of the reference in an alignment with this MD. Neither border lies in a deletion.
// `differences`: becomes the number of letters of mismatches and deletions.
std::string part_of_md(std::string_view md, std::uint64_t begin, std::uint64_t end, std::uint32_t& differences) {
  std::string part;
  std::uint64_t column = 0;
  std::uint64_t matched = 0;
  bool in_deletion = false;
  differences = 0;
  for (std::size_t i = 0; i < md.size();) {
    if (md[i] >= '0' && md[i] <= '9') {
      std::uint64_t run = 0;
      for (; i < md.size() && md[i] >= '0' && md[i] <= '9'; ++i) {
        run = 10 * run + static_cast<std::uint64_t>(md[i] - '0');
      }
      const std::uint64_t first = std::max(column, begin);
      const std::uint64_t last = std::min(column + run, end);
      matched += first < last ? last - first : 0;
      column += run;
      in_deletion = false;
      continue;
    }
    if (md[i] == '^') {
      in_deletion = true;
      if (column >= begin && column < end) {
        append_number(part, static_cast<std::uint32_t>(matched));
        matched = 0;
        part += '^';
      }
      ++i;
      continue;
    }
    if (column >= begin && column < end) {
      if (!in_deletion) {
        append_number(part, static_cast<std::uint32_t>(matched));
        matched = 0;
      }
      part += md[i];
      ++differences;
    }
    ++column;
    ++i;
  }
  append_number(part, static_cast<std::uint32_t>(matched));
  return part;
}

// Cuts alignments at the origins that they go over.
class OriginCutter {
 public:
  explicit OriginCutter(AlignmentBatch& batch) : batch_(batch) {}

  // The parts, from left to right; valid until the next call.
  const std::vector<Alignment>& cut(const Alignment& whole) {
    parts_.clear();
    whole_ = whole;
    elements_.assign(batch_.cigar_of(whole), batch_.cigar_of(whole) + whole.cigar_length);
    md_ = batch_.md_of(whole);
    bases_ = 0;
    for (const std::uint32_t element : elements_) {
      bases_ += is_operation(element, CigarOp::deletion) ? 0 : element >> 4;
    }
    begin_part(0, 0);
    std::uint32_t base = 0;
    std::uint64_t column = 0;
    std::uint64_t border = whole.circle - whole.start;
    bool is_cut = false;  // at the left end of the part
    for (const std::uint32_t element : elements_) {
      std::uint32_t length = element >> 4;
      const std::uint32_t operation = element & 15;
      if (is_operation(element, CigarOp::soft_clip)) {
        base += length;
        if (column == 0) {
          begin_part(base, 0);
        }
        continue;
      }
      if (is_operation(element, CigarOp::insertion)) {
        base += length;
        if (!is_cut || !part_.empty()) {
          part_.push_back(element);
        }
        continue;
      }
      const bool deletes = is_operation(element, CigarOp::deletion);
      while (length > 0) {
        const auto some = static_cast<std::uint32_t>(std::min<std::uint64_t>(length, border - column));
        if (deletes && is_cut && part_.empty()) {
          column += some;
        } else {
          if (is_cut && part_.empty()) {
            begin_part(base, column);
          }
          part_.push_back(some << 4 | operation);
          column += some;
          base += deletes ? 0 : some;
          if (!deletes) {
            used_ = part_.size();
            base_end_ = base;
            column_end_ = column;
          }
        }
        length -= some;
        if (column == border && column < whole.span) {
          part_.resize(used_);
          end_part(base_end_, column_end_);
          is_cut = true;
          border += whole.circle;
        }
      }
    }
    end_part(base - (is_operation(elements_.back(), CigarOp::soft_clip) ? elements_.back() >> 4 : 0), column);
    return parts_;
  }

 private:
  void begin_part(std::uint32_t base, std::uint64_t column) {
    part_.clear();
    used_ = 0;
    base_begin_ = base_end_ = base;
    column_begin_ = column_end_ = column;
  }

  void end_part(std::uint32_t base_end, std::uint64_t column_end) {
    const bool has_bases = used_ > 0;
    if (has_bases) {
      Alignment part = whole_;
      part.start = (whole_.start + column_begin_) % whole_.circle;
      part.span = static_cast<std::uint32_t>(column_end - column_begin_);
      part.cigar = batch_.cigar.size();
      const auto clip = [&](std::uint32_t bases) {
        if (bases > 0) {
          batch_.cigar.push_back(bases << 4 | static_cast<std::uint32_t>(CigarOp::soft_clip));
        }
      };
      std::uint32_t differences = 0;
      const std::string md = part_of_md(md_, column_begin_, column_end, differences);
      clip(base_begin_);
      for (const std::uint32_t element : part_) {
        batch_.cigar.push_back(element);
        differences += is_operation(element, CigarOp::insertion) ? element >> 4 : 0;
      }
      clip(bases_ - base_end);
      part.cigar_length = static_cast<std::uint32_t>(batch_.cigar.size() - part.cigar);
      part.edits = differences;
      part.md = batch_.md.size();
      part.md_length = static_cast<std::uint32_t>(md.size());
      batch_.md += md;
      parts_.push_back(part);
    }
    begin_part(base_end, column_end);
  }

  AlignmentBatch& batch_;
  Alignment whole_;
  std::vector<std::uint32_t> elements_;
  std::string md_;
  std::uint32_t bases_ = 0;  // of the read
  std::vector<Alignment> parts_;
  // The part that is being made: its elements; up to the last one that aligns bases; where it begins, and where that
  // one ends, in the read and in the reference.
  std::vector<std::uint32_t> part_;
  std::size_t used_ = 0;
  std::uint32_t base_begin_ = 0, base_end_ = 0;
  std::uint64_t column_begin_ = 0, column_end_ = 0;
};

// Puts the longest part first.
void longest_first(std::vector<Alignment>& parts) {
  const auto longest = std::max_element(parts.begin(), parts.end(),
                                        [](const Alignment& a, const Alignment& b) { return a.span < b.span; });
  std::rotate(parts.begin(), longest, longest + 1);
}

}  // namespace

void lay_on_circles(const sequence::Reference& searched, AlignmentBatch& batch) {
  for (Alignment& a : batch.alignments) {
    const sequence::Contig& contig = searched.contigs()[a.contig];
    const std::uint64_t circle = contig.circle();
    if (circle > 0) {
      a.circle = static_cast<std::uint32_t>(circle);
      a.start = (a.start + circle - contig.topology.repeated % circle) % circle;
    }
  }
}

void split_at_origins(AlignmentBatch& batch) {
  OriginCutter cutter(batch);
  std::vector<Alignment> parts, others;
  const auto cut = [&](const Alignment& whole) {
    parts = is_over_origin(whole) ? cutter.cut(whole) : std::vector{whole};
    longest_first(parts);
  };
  for (std::size_t r = 0; r < batch.reads.size(); ++r) {
    Alignment* const primary = primary_of(batch, r);
    if (primary == nullptr) {
      continue;
    }
    ReadResult& result = batch.reads[r];
    const auto supplementary = batch.alignments.begin() + static_cast<std::ptrdiff_t>(result.supplementary);
    if (!is_over_origin(*primary) &&
        std::none_of(supplementary, supplementary + result.supplementary_count, is_over_origin)) {
      continue;
    }
    cut(*primary);
    *primary = parts.front();
    others.assign(parts.begin() + 1, parts.end());
    for (std::size_t j = 0; j < result.supplementary_count; ++j) {
      cut(batch.alignments[result.supplementary + j]);
      others.insert(others.end(), parts.begin(), parts.end());
    }
    others.resize(std::min<std::size_t>(others.size(), UINT8_MAX));
    result.supplementary = batch.alignments.size();
    result.supplementary_count = static_cast<std::uint8_t>(others.size());
    batch.alignments.insert(batch.alignments.end(), others.begin(), others.end());
  }
  for (Alignment& a : batch.alignments) {
    if (is_over_origin(a)) {
      cut(a);
      a = parts.front();
    }
  }
}

}  // namespace trawl::align
