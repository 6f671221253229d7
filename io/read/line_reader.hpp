// The lines of a text file: plain, gzip or BGZF, or the standard input ("-"); and the cells of a line.
//
//   LineReader lines("genes.gff3");
//   std::string_view line;
//   while (lines.next(line)) { ... }     // without white space at its end
//   lines.number() == 5                  // from 1
//   Cells cells;
//   cells.split("name,\"b, c\"", ',');
//   cells[1] == "b, c"
//   cells.column_of("id name") == 0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/read/text_blocks.hpp"

namespace trawl::io {

class LineReader {
 public:
  /// Throws IoError.
  explicit LineReader(const std::string& path, const TextOptions& options = {}) : text_(path, options) {}

  /// False at the end. The line is valid until the next call; one that lies whole in a block is not copied. Throws
  /// IoError, InputError.
  bool next(std::string_view& line);
  std::uint64_t number() const { return number_; }
  /// How many characters of white space the line ended with.
  std::size_t blanks() const { return blanks_; }
  /// For messages.
  const std::string& name() const { return text_.name(); }

 private:
  TextBlocks text_;
  std::unique_ptr<TextBlock> block_;
  const char* at_ = nullptr;  // in the block
  std::string broken_;        // a line that lies in several blocks
  std::uint64_t number_ = 0;
  std::size_t blanks_ = 0;
};

/// The cells of a line, without white space at their ends.
class Cells {
 public:
  /// A cell may be in double quotes. With ' ' as the separator: the words of the line, which may have tabs, too.
  void split(std::string_view line, char separator);

  std::size_t size() const { return cells_.size(); }
  std::string_view operator[](std::size_t column) const { return cells_[column]; }
  auto begin() const { return cells_.begin(); }
  auto end() const { return cells_.end(); }
  /// In a line of column names: the first column with the first of these names that the line has, except column `but`.
  /// `names`: in lower case, with '_' for the blanks in a name and blanks between names.
  std::optional<std::size_t> column_of(std::string_view names, std::optional<std::size_t> but = {}) const;

 private:
  std::vector<std::string_view> cells_;
  std::vector<std::string> quoted_;  // cells that were in quotes
};

/// The name of a column, with '_' for blanks.
///   lower_case("Primer Sequence") == "primer_sequence"
std::string lower_case(std::string_view text);

/// Where the name of a column is among `names`, as column_of() has them; npos: nowhere.
///   place_in("sequence primer_sequence", "Primer Sequence") == 9
std::size_t place_in(std::string_view names, std::string_view cell);

/// What stands between the cells of a line: a tab, a comma or a semicolon, whichever of these comes first in this list;
/// `other` if the line has none.
///   separator_of("a;b,c", ' ') == ','
char separator_of(std::string_view line, char other);

/// The parts of a list, also empty ones. An empty text has none.
///   parts_of("a,,b", ',') == std::vector<std::string_view>{"a", "", "b"}
std::vector<std::string_view> parts_of(std::string_view text, char separator);

/// The name in the header line of a FASTA record.
///   fasta_name(">EMX1 human") == "EMX1"
std::string_view fasta_name(std::string_view header);

/// Whether a line of a table is one of a genome browser: "track ..." or "browser ...".
bool is_browser_line(std::string_view line);

/// Without white space at both ends.
std::string_view trimmed(std::string_view text);

}  // namespace trawl::io
