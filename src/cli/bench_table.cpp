#include "cli/bench_table.hpp"

#include <algorithm>
#include <iomanip>
#include <ostream>
#include <sstream>

#include "io/output_file.hpp"

namespace trawl::cli {

namespace {

int width_of(const std::string& column) { return static_cast<int>(std::max<std::size_t>(column.size(), 9)) + 2; }

}  // namespace

void BenchTable::add(const Row& row, std::ostream& out) {
  if (rows_.empty()) {
    for (const auto& [column, value] : row) {
      out << std::setw(width_of(column)) << column;
    }
    out << '\n';
  }
  for (const auto& [column, value] : row) {
    out << std::setw(width_of(column)) << value;
  }
  out << std::endl;
  rows_.push_back(row);
}

void BenchTable::write_tsv(const std::string& path) const {
  std::string text;
  const auto put_line = [&](const Row& row, bool header) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      text += (i > 0 ? "\t" : "") + (header ? row[i].first : row[i].second);
    }
    text += '\n';
  };
  if (!rows_.empty()) {
    put_line(rows_.front(), true);
  }
  for (const Row& row : rows_) {
    put_line(row, false);
  }
  io::OutputFile file(path);
  file.write(text);
  file.commit();
}

std::string number(double value, int digits) {
  std::ostringstream text;
  text << std::setprecision(digits) << value;
  return text.str();
}

}  // namespace trawl::cli
