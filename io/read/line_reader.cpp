#include "io/read/line_reader.hpp"

#include <algorithm>
#include <cstring>
#include <ranges>
#include <utility>

#include "io/format/letters.hpp"

namespace trawl::io {

namespace {

// Without white space at its end.
std::string_view without_end(std::string_view text) {
  while (!text.empty() && is_space(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

}  // namespace

bool LineReader::next(std::string_view& line) {
  broken_.clear();
  for (bool is_whole = false; !is_whole;) {
    if (!block_ || at_ == block_->end()) {
      text_.give_back(std::move(block_));
      block_ = text_.next();
      if (!block_) {
        if (broken_.empty()) {
          return false;
        }
        line = broken_;
        break;
      }
      at_ = block_->begin();
    }
    const auto left = static_cast<std::size_t>(block_->end() - at_);
    const auto* const end = static_cast<const char*>(std::memchr(at_, '\n', left));
    is_whole = end != nullptr;
    line = {at_, is_whole ? static_cast<std::size_t>(end - at_) : left};
    at_ += line.size() + (is_whole ? 1 : 0);
    if (!is_whole || !broken_.empty()) {
      line = broken_.append(line);
    }
  }
  const std::size_t all = line.size();
  line = without_end(line);
  blanks_ = all - line.size();
  ++number_;
  return true;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) {
    text.remove_prefix(1);
  }
  return without_end(text);
}

void Cells::split(std::string_view line, char separator) {
  cells_.clear();
  quoted_.clear();
  quoted_.reserve(line.size() / 2 + 1);  // cells stay where they are
  if (separator == ' ') {
    for (std::size_t begin = 0, end = 0; begin < line.size(); begin = end) {
      const auto find = [&](std::size_t from, bool blank) {
        return static_cast<std::size_t>(
            std::find_if(line.begin() + from, line.end(), [&](char c) { return is_space(c) == blank; }) - line.begin());
      };
      begin = find(begin, false);
      end = find(begin, true);
      if (begin < end) {
        cells_.push_back(line.substr(begin, end - begin));
      }
    }
    return;
  }
  for (std::size_t begin = 0; begin <= line.size();) {
    if (begin < line.size() && line[begin] == '"') {
      std::string cell;
      std::size_t at = begin + 1;
      for (; at < line.size() && (line[at] != '"' || (at + 1 < line.size() && line[at + 1] == '"')); ++at) {
        at += line[at] == '"' ? 1 : 0;
        cell += line[at];
      }
      begin = std::min(line.find(separator, at), line.size()) + 1;
      cells_.push_back(trimmed(quoted_.emplace_back(std::move(cell))));
      continue;
    }
    const std::size_t end = std::min(line.find(separator, begin), line.size());
    cells_.push_back(trimmed(line.substr(begin, end - begin)));
    begin = end + 1;
  }
}

std::optional<std::size_t> Cells::column_of(std::string_view names, std::optional<std::size_t> but) const {
  std::optional<std::size_t> best;
  std::size_t best_place = std::string_view::npos;
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    if (const std::size_t place = place_in(names, cells_[c]); place < best_place && c != but) {
      best = c;
      best_place = place;
    }
  }
  return best;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& letter : lower) {
    letter = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter == ' ' ? '_' : letter;
  }
  return lower;
}

std::size_t place_in(std::string_view names, std::string_view cell) {
  const std::string name = lower_case(cell);
  return name.empty() ? names.npos : (' ' + std::string(names) + ' ').find(' ' + name + ' ');
}

char separator_of(std::string_view line, char other) {
  for (const char separator : {'\t', ',', ';'}) {
    if (line.find(separator) != line.npos) {
      return separator;
    }
  }
  return other;
}

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (const auto part : std::views::split(text, separator)) {
    parts.emplace_back(part.begin(), part.end());
  }
  return parts;
}

std::string_view fasta_name(std::string_view header) {
  header.remove_prefix(1);
  return header.substr(0,
                       static_cast<std::size_t>(std::find_if(header.begin(), header.end(), is_space) - header.begin()));
}

bool is_browser_line(std::string_view line) { return line.starts_with("track ") || line.starts_with("browser "); }

}  // namespace trawl::io
