#include "align/origin.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
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
  const auto put = [&](char letter) {
    if (letter == '^' || !in_deletion) {
      append_number(part, static_cast<std::uint32_t>(std::exchange(matched, 0)));
    }
    part += letter;
  };
  for (const char* at = md.data(); at != md.data() + md.size();) {
    const bool inside = column >= begin && column < end;
    if (*at >= '0' && *at <= '9') {
      std::uint64_t run = 0;
      at = std::from_chars(at, md.data() + md.size(), run).ptr;
      const std::uint64_t first = std::max(column, begin);
      const std::uint64_t last = std::min(column + run, end);
      matched += first < last ? last - first : 0;
      column += run;
      in_deletion = false;
      continue;
    }
    if (inside) {
      put(*at);
    }
    if (*at == '^') {
      in_deletion = true;
    } else {
      differences += inside ? 1 : 0;
      ++column;
    }
    ++at;
  }
  append_number(part, static_cast<std::uint32_t>(matched));
  return part;
}

// Elements of a CIGAR that lie between two origins: bases [base, base_end) of the read on columns [column, column_end)
// of the whole alignment.
struct OriginSection {
  std::vector<std::uint32_t> cigar;
  std::uint64_t base = 0, base_end = 0;
  std::uint64_t column = 0, column_end = 0;

  void add(std::uint32_t length, std::uint32_t operation) {
    cigar.push_back(length << 4 | operation);
    base_end += operation == static_cast<std::uint32_t>(CigarOp::deletion) ? 0 : length;
    column_end += operation == static_cast<std::uint32_t>(CigarOp::insertion) ? 0 : length;
  }
  // A gap at the origin is in neither part.
  void drop_last_gaps() {
    for (; !cigar.empty() && is_gap(cigar.back()); cigar.pop_back()) {
      (is_operation(cigar.back(), CigarOp::deletion) ? column_end : base_end) -= cigar.back() >> 4;
    }
  }
  void drop_first_gaps() {
    for (; !cigar.empty() && is_gap(cigar.front()); cigar.erase(cigar.begin())) {
      (is_operation(cigar.front(), CigarOp::deletion) ? column : base) += cigar.front() >> 4;
    }
  }
};

// Cuts an alignment at the origins that it goes over. The parts, from left to right.
std::vector<Alignment> cut(const Alignment& whole, AlignmentBatch& batch) {
  const std::vector<std::uint32_t> elements(batch.cigar_of(whole), batch.cigar_of(whole) + whole.cigar_length);
  const std::string whole_md(batch.md_of(whole));
  const ClippedEnds clipped = clipped_ends(batch, whole);
  std::vector<OriginSection> parts{{{}, clipped.left, clipped.left, 0, 0}};
  for (const std::uint32_t element : elements) {
    std::uint32_t length = element >> 4;
    if (is_operation(element, CigarOp::soft_clip)) {
      continue;
    }
    while (length > 0) {
      std::uint32_t some = length;
      if (!is_operation(element, CigarOp::insertion)) {
        const std::uint64_t border = parts.size() * std::uint64_t{whole.circle} - whole.start;
        if (parts.back().column_end == border) {
          const std::uint64_t base = parts.back().base_end;
          parts.push_back({{}, base, base, border, border});
          continue;
        }
        some = static_cast<std::uint32_t>(std::min<std::uint64_t>(length, border - parts.back().column_end));
      }
      parts.back().add(some, element & 15);
      length -= some;
    }
  }
  const std::uint64_t bases = parts.back().base_end + clipped.right;  // of the read
  std::vector<Alignment> alignments;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    OriginSection& part = parts[p];
    if (p > 0) {
      part.drop_first_gaps();
    }
    if (p + 1 < parts.size()) {
      part.drop_last_gaps();
    }
    if (part.cigar.empty()) {
      continue;
    }
    Alignment alignment = whole;
    alignment.start = (whole.start + part.column) % whole.circle;
    alignment.span = static_cast<std::uint32_t>(part.column_end - part.column);
    alignment.cigar = batch.cigar.size();
    const std::string md = part_of_md(whole_md, part.column, part.column_end, alignment.edits);
    append_clip(static_cast<std::uint32_t>(part.base), batch.cigar);
    for (const std::uint32_t element : part.cigar) {
      batch.cigar.push_back(element);
      alignment.edits += is_operation(element, CigarOp::insertion) ? element >> 4 : 0;
    }
    append_clip(static_cast<std::uint32_t>(bases - part.base_end), batch.cigar);
    alignment.cigar_length = static_cast<std::uint32_t>(batch.cigar.size() - alignment.cigar);
    alignment.md = batch.md.size();
    alignment.md_length = static_cast<std::uint32_t>(md.size());
    batch.md += md;
    alignments.push_back(alignment);
  }
  return alignments;
}

// The parts of an alignment, the longest one first.
std::vector<Alignment> parts_of(const Alignment& whole, AlignmentBatch& batch) {
  std::vector<Alignment> parts = is_over_origin(whole) ? cut(whole, batch) : std::vector{whole};
  const auto longest = std::max_element(parts.begin(), parts.end(),
                                        [](const Alignment& a, const Alignment& b) { return a.span < b.span; });
  std::rotate(parts.begin(), longest, longest + 1);
  return parts;
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
    std::vector<Alignment> others = parts_of(*primary, batch);
    *primary = others.front();
    others.erase(others.begin());
    for (std::size_t j = 0; j < result.supplementary_count; ++j) {
      const std::vector<Alignment> parts = parts_of(batch.alignments[result.supplementary + j], batch);
      others.insert(others.end(), parts.begin(), parts.end());
    }
    others.resize(std::min<std::size_t>(others.size(), UINT8_MAX));
    result.supplementary = batch.alignments.size();
    result.supplementary_count = static_cast<std::uint8_t>(others.size());
    batch.alignments.insert(batch.alignments.end(), others.begin(), others.end());
  }
  for (Alignment& a : batch.alignments) {
    if (is_over_origin(a)) {
      a = parts_of(a, batch).front();
    }
  }
}

}  // namespace trawl::align
