#include "lab/bench_table.hpp"

#include <algorithm>
#include <iomanip>
#include <ostream>
#include <sstream>

#include "io/write/output_file.hpp"

namespace trawl::lab {

namespace {

// Wide enough for the column's name, its first value, and any number.
int width_of(const std::pair<std::string, std::string>& first) {
  return static_cast<int>(std::max({first.first.size(), first.second.size(), std::size_t{9}})) + 2;
}

std::string tsv_line(const BenchTable::Row& row, bool header) {
  std::string line;
  for (std::size_t i = 0; i < row.size(); ++i) {
    line += (i > 0 ? "\t" : "") + (header ? row[i].first : row[i].second);
  }
  return line + '\n';
}

}  // namespace

void BenchTable::add(const Row& row, std::ostream& out) {
  if (form_ == Form::tsv) {
    out << (rows_.empty() ? tsv_line(row, true) : "") << tsv_line(row, false) << std::flush;
    rows_.push_back(row);
    return;
  }
  const Row& first = rows_.empty() ? row : rows_.front();
  if (rows_.empty()) {
    for (const auto& cell : first) {
      out << std::setw(width_of(cell)) << cell.first;
    }
    out << '\n';
  }
  for (std::size_t i = 0; i < row.size(); ++i) {
    const int width = width_of(first[i]);
    // If a value is longer than the first one, the rest of its line moves to the right.
    out << (row[i].second.size() + 2 > static_cast<std::size_t>(width) ? "  " : "") << std::setw(width)
        << row[i].second;
  }
  out << std::endl;
  rows_.push_back(row);
}

void BenchTable::write_tsv(const std::string& path) const {
  std::string text = rows_.empty() ? "" : tsv_line(rows_.front(), true);
  for (const Row& row : rows_) {
    text += tsv_line(row, false);
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

}  // namespace trawl::lab
