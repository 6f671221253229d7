#include "io/read/pattern_lines.hpp"

#include <algorithm>
#include <utility>

#include "io/format/letters.hpp"
#include "io/read/line_reader.hpp"

namespace trawl::io {

namespace {
constexpr std::size_t kLongestName = 254;  // as in SAM
}

void split_cells(std::string_view line, char separator, std::vector<std::string_view>& cells,
                 std::vector<std::string>& room) {
  cells.clear();
  room.clear();
  room.reserve(line.size() / 2 + 1);
  for (std::size_t begin = 0; begin <= line.size();) {
    if (begin < line.size() && line[begin] == '"') {
      std::string cell;
      std::size_t at = begin + 1;
      for (; at < line.size() && (line[at] != '"' || (at + 1 < line.size() && line[at + 1] == '"')); ++at) {
        at += line[at] == '"' ? 1 : 0;
        cell += line[at];
      }
      begin = std::min(line.find(separator, at), line.size()) + 1;
      cells.push_back(trimmed(room.emplace_back(std::move(cell))));
      continue;
    }
    const std::size_t end = std::min(line.find(separator, begin), line.size());
    cells.push_back(trimmed(line.substr(begin, end - begin)));
    begin = end + 1;
  }
}

void split_at_blanks(std::string_view line, std::vector<std::string_view>& cells) {
  cells.clear();
  for (std::size_t begin = 0; begin < line.size();) {
    if (is_space(line[begin])) {
      ++begin;
      continue;
    }
    std::size_t end = begin;
    while (end < line.size() && !is_space(line[end])) {
      ++end;
    }
    cells.push_back(line.substr(begin, end - begin));
    begin = end;
  }
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& letter : lower) {
    letter = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter == ' ' ? '_' : letter;
  }
  return lower;
}

bool is_iupac(std::string_view text) { return !text.empty() && find_not_iupac(text) == text.size(); }

std::string wrong_pattern_name(std::string_view name, bool is_fasta) {
  if (name.empty()) {
    return is_fasta ? "a pattern without a name; write one directly after the '>'"
                    : "a pattern without a name; put one before its sequence";
  }
  if (name.size() > kLongestName) {
    return "the pattern name has " + std::to_string(name.size()) + " characters; SAM allows " +
           std::to_string(kLongestName);
  }
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; };
  if (const auto at = std::find_if(name.begin(), name.end(), is_control); at != name.end()) {
    return "the pattern name contains " + describe_character(*at) + ", which cannot be printed; rename it";
  }
  return "";
}

std::string wrong_pattern_letters(std::string_view letters, std::string_view name) {
  const std::size_t at = find_not_iupac(letters);
  return at == letters.size()
             ? ""
             : describe_character(letters[at]) + " in the pattern " + std::string(name) + " is not an IUPAC letter";
}

}  // namespace trawl::io
