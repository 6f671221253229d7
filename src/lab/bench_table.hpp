// A table of measurements: aligned on the terminal, TSV in a file.
#pragma once

#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

namespace trawl::lab {

class BenchTable {
 public:
  using Row = std::vector<std::pair<std::string, std::string>>;  // column and value; every row the same columns

  /// Prints the row, the header before the first.
  void add(const Row& row, std::ostream& out);
  /// Columns in the first line. Throws IoError.
  void write_tsv(const std::string& path) const;

 private:
  std::vector<Row> rows_;
};

/// A number with `digits` significant digits.
std::string number(double value, int digits = 4);

}  // namespace trawl::lab
