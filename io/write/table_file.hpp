// Lines of cells, in a file that appears only when it is complete.
//
//   TableFile table("primers.csv", std::nullopt, ',');      // or with the level of BGZF
//   table.cell("a,b").number(7).fixed(58.25, 1);            // "a,b",7,58.2
//   table.end_line();
//   table.close();                                          // now primers.csv exists
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/append_number.hpp"
#include "io/format/table_cell.hpp"
#include "io/write/text_output.hpp"

namespace trawl::io {

class TableFile {
 public:
  /// Throws IoError, as end_line() and close().
  TableFile(const std::string& path, std::optional<int> level, char separator)
      : separator_(separator), output_(path, level) {}

  TableFile& cell(std::string_view text) {
    begin_cell() += cell_text(text, separator_, room_);
    return *this;
  }
  TableFile& number(std::uint64_t value) {
    append_number(begin_cell(), value);
    return *this;
  }
  /// With `decimals` digits after the point.
  TableFile& fixed(double value, int decimals) {
    append_fixed(begin_cell(), value, decimals);
    return *this;
  }
  void end_line() {
    text_ += '\n';
    is_first_ = true;
    output_.write_full(text_);
  }
  /// Completes the file and gives it its name.
  void close() {
    output_.write(text_);
    output_.close();
  }

 private:
  std::string& begin_cell() {
    text_.append(is_first_ ? 0 : 1, separator_);
    is_first_ = false;
    return text_;
  }

  char separator_;
  TextOutput output_;
  std::string text_;
  std::string room_;
  bool is_first_ = true;
};

}  // namespace trawl::io
