#include "serve/record_answers.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <vector>

#include "io/format/json.hpp"

namespace trawl::serve {

namespace {

std::vector<std::string_view> cut(std::string_view line) {
  std::vector<std::string_view> cells;
  for (std::size_t begin = 0;;) {
    const std::size_t end = std::min(line.find('\t', begin), line.size());
    cells.push_back(line.substr(begin, end - begin));
    if (end == line.size()) {
      return cells;
    }
    begin = end + 1;
  }
}

template <class Take>
void for_each_line(std::string_view lines, const Take& take) {
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    take(lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
}

// Objects of one line each.
class ObjectList {
 public:
  void begin() {
    text_ += is_first_ ? "[{" : ",\n {";
    is_first_ = false;
    is_first_key_ = true;
  }
  void add(std::string_view key, std::string_view json) {
    text_ += is_first_key_ ? "\"" : ", \"";
    is_first_key_ = false;
    text_.append(key).append("\": ").append(json);
  }
  void add_text(std::string_view key, std::string_view text) { add(key, io::json_string(text)); }
  void end() { text_ += '}'; }
  std::string take() {
    text_ += is_first_ ? "[]\n" : "\n]\n";
    return std::move(text_);
  }

 private:
  std::string text_;
  bool is_first_ = true;
  bool is_first_key_ = true;
};

bool is_number(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  const bool is_plain = text.size() > first && text[first] >= '0' && text[first] <= '9' &&
                        !(text[first] == '0' && text.size() > first + 1 && text[first + 1] != '.');
  return read.ec == std::errc() && read.ptr == end && is_plain && text.back() != '.';
}

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::uint64_t span_of(std::string_view cigar) {
  std::uint64_t span = 0;
  std::uint64_t length = 0;
  for (const char letter : cigar) {
    if (letter >= '0' && letter <= '9') {
      length = 10 * length + static_cast<std::uint64_t>(letter - '0');
    } else {
      span += std::string_view("MDN=X").find(letter) != std::string_view::npos ? length : 0;
      length = 0;
    }
  }
  return span;
}

std::string tags_json(const std::vector<std::string_view>& cells) {
  std::string json;
  for (std::size_t i = 11; i < cells.size(); ++i) {
    const std::string_view tag = cells[i];
    const std::string_view value = tag.substr(std::min<std::size_t>(5, tag.size()));
    json += (json.empty() ? "{" : ", ") + io::json_string(tag.substr(0, 2)) + ": ";
    json += tag.substr(3, 1) == "i" ? std::string(value) : io::json_string(value);
  }
  return json.empty() ? "{}" : json + "}";
}

std::string_view tag_value(const std::vector<std::string_view>& cells, std::string_view begin) {
  for (std::size_t i = 11; i < cells.size(); ++i) {
    if (cells[i].starts_with(begin)) {
      return cells[i].substr(begin.size());
    }
  }
  return "null";
}

}  // namespace

std::string json_of_sam(std::string_view lines) {
  ObjectList list;
  for_each_line(lines, [&](std::string_view line) {
    const auto cells = cut(line);
    if (cells.size() < 11) {
      return;
    }
    const std::uint64_t flag = number(cells[1]);
    const bool is_mapped = (flag & 4) == 0;
    const std::uint64_t start = number(cells[3]) - 1;
    const std::string none = "null";
    list.begin();
    list.add_text("read", cells[0]);
    list.add("flag", cells[1]);
    list.add("contig", is_mapped ? io::json_string(cells[2]) : none);
    list.add("start", is_mapped ? std::to_string(start) : none);
    list.add("end", is_mapped ? std::to_string(start + span_of(cells[5])) : none);
    list.add("strand", !is_mapped ? none : (flag & 16) != 0 ? "\"-\"" : "\"+\"");
    list.add("distance", is_mapped ? tag_value(cells, "NM:i:") : none);
    list.add("mapq", cells[4]);
    list.add("cigar", is_mapped ? io::json_string(cells[5]) : none);
    const bool has_mate = cells[6] != "*";
    list.add("mate_contig", has_mate ? io::json_string(cells[6] == "=" ? cells[2] : cells[6]) : none);
    list.add("mate_start", has_mate ? std::to_string(number(cells[7]) - 1) : none);
    list.add("insert", has_mate ? cells[8] : none);
    list.add("tags", tags_json(cells));
    list.end();
  });
  return list.take();
}

std::string json_of_table(std::string_view table) {
  constexpr std::array<std::string_view, 8> kTexts = {"contig", "pattern", "strand",  "cigar",
                                                      "text",   "gene",    "alleles", "samples"};
  ObjectList list;
  std::vector<std::string_view> names;
  for_each_line(table, [&](std::string_view line) {
    const auto cells = cut(line);
    if (names.empty()) {
      names = cells;
      return;
    }
    list.begin();
    for (std::size_t i = 0; i < std::min(cells.size(), names.size()); ++i) {
      const bool is_text = std::find(kTexts.begin(), kTexts.end(), names[i]) != kTexts.end();
      if (!is_text && is_number(cells[i])) {
        list.add(names[i], cells[i]);
      } else if (!is_text && (cells[i] == "." || cells[i].empty())) {
        list.add(names[i], "null");
      } else {
        list.add_text(names[i], cells[i]);
      }
    }
    list.end();
  });
  return list.take();
}

}  // namespace trawl::serve
