// Results of the library as tables for Python.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>

#include "columns/result_tables.hpp"
#include "input_texts.hpp"
#include "trawl/mapper.hpp"
#include "trawl/scanner.hpp"

namespace trawl::python {

using columns::Labels, columns::Table;

class AlignmentTable : public Table {
 public:
  /// `reads` and `qualities`: of the call; of files null, then the rows have them.
  AlignmentTable(Alignments found, Labels contig_names, bool has_pairs, std::shared_ptr<InputTexts> reads = nullptr,
                 std::shared_ptr<InputTexts> qualities = nullptr);

  /// Of a read, as it was given. Throws UsageError if there is none with this number.
  std::string_view name(std::size_t read) const;
  std::string_view bases(std::size_t read) const;
  std::string_view qualities(std::size_t read) const;

 private:
  std::shared_ptr<const Alignments> found_;
  std::shared_ptr<InputTexts> reads_;
  std::shared_ptr<InputTexts> qualities_;
};

struct SiteTable : Table {
  SiteTable(Hits found, std::shared_ptr<const std::vector<Pattern>> searched, Labels pattern_names);

  std::shared_ptr<const std::vector<Pattern>> patterns;
};

void bind_tables(nanobind::module_& module);

}  // namespace trawl::python
