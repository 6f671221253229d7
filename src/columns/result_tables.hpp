// What a result shows to Python and Arrow: named columns, which point into it.
//
//   const auto contigs = std::make_shared<const std::vector<std::string>>(1, "chr1");
//   const Table table = table_of(std::make_shared<Alignments>(), contigs, false);
//   table.find("start")->format == 'l'
//   table.find("mate_start") == nullptr
//
// And what Arrow has in another form than the columns:
//
//   Cigars cigars;
//   cigars.elements = {7 << 4, 1 << 4 | 1};
//   cigars.offset = {0, 1, 2};
//   cigar_texts(cigars)[1] == "1I"
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "trawl/columns.hpp"
#include "trawl/mapper.hpp"
#include "trawl/scanner.hpp"

namespace trawl::columns {

/// Names that a column of numbers stands for, such as those of contigs.
using Labels = std::shared_ptr<const std::vector<std::string>>;

/// Names that the caller keeps.
inline Labels kept_labels(const std::vector<std::string>& names) { return {Labels(), &names}; }

/// The letters that Arrow has for types of numbers.
template <class T>
constexpr char format_of() {
  if constexpr (std::is_same_v<T, std::int8_t>) return 'c';
  if constexpr (std::is_same_v<T, std::uint8_t>) return 'C';
  if constexpr (std::is_same_v<T, std::uint16_t>) return 'S';
  if constexpr (std::is_same_v<T, std::int32_t>) return 'i';
  if constexpr (std::is_same_v<T, std::uint32_t>) return 'I';
  if constexpr (std::is_same_v<T, std::int64_t>) return 'l';
}

struct Column {
  /// `column` must be a literal. `null_below_zero`: a negative number means that there is no value.
  template <class T>
  Column(std::string_view column, const std::vector<T>& values, bool null_below_zero = false, Labels names = nullptr)
      : name(column),
        format(format_of<T>()),
        numbers(values.data()),
        negative_is_null(null_below_zero),
        labels(std::move(names)) {}
  Column(std::string_view column, const Texts& values) : name(column), texts(&values) {}
  Column(std::string_view column, const Cigars& values) : name(column), cigars(&values) {}

  std::string_view name;  // a literal
  // Numbers, with labels for a dictionary; or texts; or CIGARs.
  char format = 'U';
  const void* numbers = nullptr;
  bool negative_is_null = false;
  Labels labels;
  const Texts* texts = nullptr;
  const Cigars* cigars = nullptr;
};

struct Table {
  std::size_t rows = 0;
  std::vector<Column> columns;
  std::shared_ptr<const void> owner;  // of what the columns point to; any thread may release it

  /// nullptr if there is none.
  const Column* find(std::string_view name) const {
    for (const Column& column : columns) {
      if (column.name == name) return &column;
    }
    return nullptr;
  }
};

/// For reads: read, name (if they have names), contig, start, end, strand, distance, mapq, cigar, flag, edits, score,
/// count, dropped; for pairs mate_contig, mate_start, template_length; md. `reads`: what has the names of the reads, if
/// `found` has only some of its rows.
Table table_of(std::shared_ptr<const Alignments> found, Labels contigs, bool has_pairs,
               std::shared_ptr<const Alignments> reads = nullptr);

/// For patterns: pattern, name, contig, start, end, strand, distance, mismatches, dna_bulges, rna_bulges, edits, cigar,
/// sequence. `patterns`: their names.
Table table_of(std::shared_ptr<const Hits> found, Labels contigs, Labels patterns);

/// All CIGARs as text, one after the other.
Texts cigar_texts(const Cigars& cigars);

/// Makes a bit for each row that has a value, and returns how many have none. If all have one: no bits.
std::int64_t mark_valid(const Column& column, std::size_t rows, std::vector<std::uint8_t>& valid);

}  // namespace trawl::columns
