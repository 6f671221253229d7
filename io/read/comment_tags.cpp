#include "io/read/comment_tags.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>

#include "align/sam_fields.hpp"

namespace trawl::io {

namespace {

bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// from_chars() takes no '+'.
std::string_view without_plus(std::string_view number) {
  return number.starts_with('+') && number.size() > 1 && number[1] != '-' ? number.substr(1) : number;
}

bool is_integer(std::string_view text, std::int64_t least, std::int64_t most) {
  text = without_plus(text);
  std::int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() && read.ptr == text.data() + text.size() && number >= least && number <= most;
}

bool is_float(std::string_view text) {
  text = without_plus(text);
  float number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = !text.empty() && text.find_first_not_of("0123456789.eE+-") == text.npos;  // no "inf"
  return is_number && read.ec == std::errc() && read.ptr == text.data() + text.size();
}

bool is_array(std::string_view text) {
  if (text.empty()) {
    return false;
  }
  const char type = text[0];
  const auto fits = [type](std::string_view number) {
    switch (type) {
      case 'c':
        return is_integer(number, INT8_MIN, INT8_MAX);
      case 'C':
        return is_integer(number, 0, UINT8_MAX);
      case 's':
        return is_integer(number, INT16_MIN, INT16_MAX);
      case 'S':
        return is_integer(number, 0, UINT16_MAX);
      case 'i':
        return is_integer(number, INT32_MIN, INT32_MAX);
      case 'I':
        return is_integer(number, 0, UINT32_MAX);
      default:
        return type == 'f' && is_float(number);
    }
  };
  for (std::size_t at = 1; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at + 1), text.size());
    if (text[at] != ',' || !fits(text.substr(at + 1, end - at - 1))) {
      return false;
    }
    at = end;
  }
  return text.size() > 1;
}

// As in the SAM specification, section 1.5.
bool is_value(char type, std::string_view value) {
  const auto all = [value](auto is_good) { return std::all_of(value.begin(), value.end(), is_good); };
  switch (type) {
    case 'A':
      return value.size() == 1 && value[0] > ' ' && value[0] <= '~';
    case 'i':
      return is_integer(value, INT32_MIN, UINT32_MAX);
    case 'f':
      return is_float(value);
    case 'Z':
      return all([](char c) { return c >= ' ' && c <= '~'; });
    case 'H':
      return value.size() % 2 == 0 && all([](char c) { return is_digit(c) || (c >= 'A' && c <= 'F'); });
    default:
      return type == 'B' && is_array(value);
  }
}

bool is_tag(std::string_view field) {
  return field.size() >= 5 && is_letter(field[0]) && (is_letter(field[1]) || is_digit(field[1])) && field[2] == ':' &&
         field[4] == ':' && is_value(field[3], field.substr(5));
}

// "1:N:0:ACGT", with digits before the index.
bool is_illumina_mark(std::string_view word) {
  if (word.size() < 6 || (word[0] != '1' && word[0] != '2') || word[1] != ':' || (word[2] != 'Y' && word[2] != 'N') ||
      word[3] != ':') {
    return false;
  }
  const std::size_t colon = word.find(':', 4);
  return colon != word.npos && colon > 4 && std::all_of(word.begin() + 4, word.begin() + colon, is_digit);
}

bool is_written(std::string_view tag, const CommentRule& rule) {
  return std::find(std::begin(align::kWrittenTags), std::end(align::kWrittenTags), tag) !=
             std::end(align::kWrittenTags) ||
         (rule.read_group && tag == "RG");
}

bool has_tag(std::string_view tags, std::string_view tag) {
  for (std::size_t at = 0; at < tags.size(); at = std::min(tags.find('\t', at), tags.size() - 1) + 1) {
    if (tags.substr(at, 2) == tag) {
      return true;
    }
  }
  return false;
}

}  // namespace

CommentTags keep_tags(char* comment, std::size_t size, const CommentRule& rule) {
  const std::string_view all(comment, size);
  std::size_t at = 0;
  if (const std::size_t end = std::min(all.find_first_of(" \t"), size); is_illumina_mark(all.substr(0, end))) {
    at = std::min(end + 1, size);
  }
  std::size_t kept = 0;
  while (at < size) {
    const std::size_t end = std::min(all.find('\t', at), size);
    const std::string_view field = all.substr(at, end - at);
    at = end + 1;
    if (field.empty()) {
      continue;
    }
    if (!is_tag(field) || has_tag({comment, kept}, field.substr(0, 2))) {
      return {{}, field};
    }
    if (is_written(field.substr(0, 2), rule)) {
      continue;
    }
    if (kept > 0) {
      comment[kept++] = '\t';
    }
    std::copy(field.begin(), field.end(), comment + kept);  // to the left
    kept += field.size();
  }
  return {{comment, kept}, {}};
}

}  // namespace trawl::io
