// What the readers of patterns and of primers have in common: cells of a line, and what is wrong with a name or
// letters.
//
//   std::vector<std::string_view> cells;
//   std::vector<std::string> room;
//   split_cells("a,\"b, c\"", ',', cells, room);
//   cells.size() == 2 && cells[1] == "b, c"
//   lower_case("Primer Sequence") == "primer_sequence"
//   wrong_pattern_letters("ACGT", "EMX1") == ""
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trawl::io {

/// `room` keeps cells that were in double quotes.
void split_cells(std::string_view line, char separator, std::vector<std::string_view>& cells,
                 std::vector<std::string>& room);

void split_at_blanks(std::string_view line, std::vector<std::string_view>& cells);

/// The name of a column: in lower case, with '_' for blanks.
std::string lower_case(std::string_view text);

/// Whether it has letters, and IUPAC codes only.
bool is_iupac(std::string_view text);

/// What is wrong with the name of a pattern; "" if nothing.
std::string wrong_pattern_name(std::string_view name, bool is_fasta);

/// What is wrong with the letters of a pattern; "" if nothing.
std::string wrong_pattern_letters(std::string_view letters, std::string_view name);

}  // namespace trawl::io
