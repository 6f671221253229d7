// Results of the library as tables for Python.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <span>

#include "columns/map_columns.hpp"
#include "columns/result_tables.hpp"
#include "input_texts.hpp"
#include "trawl/mapper.hpp"
#include "trawl/scanner.hpp"

namespace trawl::python {

using columns::Labels, columns::Table;

/// Numbers of rows, which Python has checked.
using Rows = std::span<const std::int64_t>;

class AlignmentTable : public Table {
 public:
  /// `reads` and `qualities`: of the call; of files null, then the rows have them.
  AlignmentTable(Alignments found, Labels contig_names, bool has_pairs, std::shared_ptr<InputTexts> reads = nullptr,
                 std::shared_ptr<InputTexts> qualities = nullptr);

  /// Of a read, as it was given. Throws UsageError if there is none with this number.
  std::string_view name(std::size_t read) const;
  std::string_view bases(std::size_t read) const;
  std::string_view qualities(std::size_t read) const;

  /// Some rows; reads keep their numbers.
  AlignmentTable chosen(Rows rows) const;
  /// All of it for pickle, with the reads that have a row.
  nanobind::tuple state() const;
  static AlignmentTable of_state(const nanobind::tuple& state);

 private:
  AlignmentTable() = default;
  bool has_pairs() const { return find("mate_contig") != nullptr; }

  std::shared_ptr<const Alignments> found_;
  std::shared_ptr<const Alignments> of_reads_;  // whose names, bases and qualities they are
  std::shared_ptr<InputTexts> reads_;
  std::shared_ptr<InputTexts> qualities_;
};

struct SiteTable : Table {
  SiteTable(Hits given, std::shared_ptr<const std::vector<Pattern>> searched, Labels pattern_names);

  SiteTable chosen(Rows rows) const { return {columns::chosen(*found, rows), patterns, find("name")->labels}; }
  nanobind::tuple state() const;
  static SiteTable of_state(const nanobind::tuple& state);

  std::shared_ptr<const Hits> found;
  std::shared_ptr<const std::vector<Pattern>> patterns;
};

void bind_tables(nanobind::module_& module);

}  // namespace trawl::python
