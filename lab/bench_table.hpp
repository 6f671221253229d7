// A table of measurements: aligned columns on the terminal, TSV in a file.
#pragma once

#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

namespace trawl::lab {

class BenchTable {
 public:
  enum class Form { aligned, tsv };

  /// The form in which add() prints.
  explicit BenchTable(Form form = Form::aligned) : form_(form) {}

  using Row = std::vector<std::pair<std::string, std::string>>;  // column, value; all rows have the same columns

  /// Prints the row; before the first row it prints the header.
  void add(const Row& row, std::ostream& out);
  /// Writes TSV; the first line has the column names. Throws IoError.
  void write_tsv(const std::string& path) const;

 private:
  Form form_;
  std::vector<Row> rows_;
};

/// A number with `digits` significant digits.
std::string number(double value, int digits = 4);

}  // namespace trawl::lab
