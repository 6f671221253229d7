#include "columns/result_tables.hpp"

#include <algorithm>
#include <charconv>

namespace trawl::columns {

namespace {

Labels strands() {
  static const Labels both = std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"+", "-"});
  return both;
}

// What is made for the table of some alignments, and these.
struct MapRows {
  std::shared_ptr<const Alignments> found, reads;
  std::vector<std::int8_t> strand;  // 0: forward, 1: reverse, -1: not found
  Texts names;                      // by row
};

}  // namespace

Table table_of(std::shared_ptr<const Alignments> given, Labels contigs, bool has_pairs,
               std::shared_ptr<const Alignments> reads) {
  const auto made = std::make_shared<MapRows>();
  made->found = std::move(given);
  made->reads = reads ? std::move(reads) : made->found;
  const Alignments& found = *made->found;
  Table table;
  table.rows = found.size();
  made->strand.resize(table.rows);
  for (std::size_t row = 0; row < table.rows; ++row) {
    made->strand[row] = static_cast<std::int8_t>(found.is_found(row) ? found.is_reverse(row) : -1);
  }
  std::vector<Column>& columns = table.columns;
  columns.emplace_back("read", found.read);
  if (!made->reads->names.text.empty()) {
    for (const std::uint32_t read : found.read) {
      made->names.add(made->reads->names[read]);
    }
    columns.emplace_back("name", made->names);
  }
  columns.emplace_back("contig", found.contig, true, contigs);
  columns.emplace_back("start", found.start, true);
  columns.emplace_back("end", found.end, true);
  columns.emplace_back("strand", made->strand, true, strands());
  columns.emplace_back("distance", found.distance);
  columns.emplace_back("mapq", found.mapq);
  columns.emplace_back("cigar", found.cigar);
  columns.emplace_back("flag", found.flag);
  columns.emplace_back("edits", found.edits);
  columns.emplace_back("score", found.score);
  columns.emplace_back("count", found.count);
  columns.emplace_back("dropped", found.dropped);
  if (has_pairs) {
    columns.emplace_back("mate_contig", found.mate_contig, true, contigs);
    columns.emplace_back("mate_start", found.mate_start, true);
    columns.emplace_back("template_length", found.template_length);
  }
  columns.emplace_back("md", found.md);
  table.owner = made;
  return table;
}

Table table_of(std::shared_ptr<const Hits> found, Labels contigs, Labels patterns) {
  Table table;
  table.rows = found->size();
  std::vector<Column>& columns = table.columns;
  columns.reserve(13);
  columns.emplace_back("pattern", found->pattern);
  columns.emplace_back("name", found->pattern, false, std::move(patterns));
  columns.emplace_back("contig", found->contig, false, std::move(contigs));
  columns.emplace_back("start", found->start);
  columns.emplace_back("end", found->end);
  columns.emplace_back("strand", found->reverse, false, strands());
  columns.emplace_back("distance", found->distance);
  columns.emplace_back("mismatches", found->mismatches);
  columns.emplace_back("dna_bulges", found->dna_bulges);
  columns.emplace_back("rna_bulges", found->rna_bulges);
  columns.emplace_back("edits", found->edits);
  columns.emplace_back("cigar", found->cigar);
  columns.emplace_back("sequence", found->sequence);
  table.owner = std::move(found);
  return table;
}

namespace {

std::size_t digits(std::uint32_t number) {
  std::size_t count = 1;
  for (; number >= 10; number /= 10) {
    ++count;
  }
  return count;
}

template <class T>
std::int64_t mark_not_negative(const void* column, std::size_t rows, std::vector<std::uint8_t>& valid) {
  const T* const numbers = static_cast<const T*>(column);
  const auto nulls = std::count_if(numbers, numbers + rows, [](T number) { return number < 0; });
  valid.assign(nulls > 0 ? (rows + 7) / 8 : 0, 0);
  for (std::size_t row = 0; nulls > 0 && row < rows; ++row) {
    if (numbers[row] >= 0) {
      valid[row / 8] = static_cast<std::uint8_t>(valid[row / 8] | 1U << row % 8);
    }
  }
  return nulls;
}

}  // namespace

Texts cigar_texts(const Cigars& cigars) {
  Texts made;
  const std::size_t rows = cigars.size();
  made.offset.resize(rows + 1);
  std::size_t total = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    made.offset[row] = total;
    for (const std::uint32_t element : cigars[row]) {
      total += digits(element >> 4) + 1;
    }
  }
  made.offset[rows] = total;
  made.text.resize(total);
  char* next = made.text.data();
  char* const end = next + total;
  for (std::size_t i = cigars.offset.front(); i < cigars.offset.back(); ++i) {
    next = std::to_chars(next, end, cigars.elements[i] >> 4).ptr;
    *next++ = "MIDNSHP=X???????"[cigars.elements[i] & 15];
  }
  return made;
}

std::int64_t mark_valid(const Column& column, std::size_t rows, std::vector<std::uint8_t>& valid) {
  switch (column.negative_is_null ? column.format : ' ') {
    case 'c':
      return mark_not_negative<std::int8_t>(column.numbers, rows, valid);
    case 'i':
      return mark_not_negative<std::int32_t>(column.numbers, rows, valid);
    case 'l':
      return mark_not_negative<std::int64_t>(column.numbers, rows, valid);
    default:
      return 0;
  }
}

}  // namespace trawl::columns
