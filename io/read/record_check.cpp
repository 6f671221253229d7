#include "io/read/record_check.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>

#include "align/sam_fields.hpp"
#include "base/error.hpp"
#include "io/format/letters.hpp"

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

// Of the integers of an array, by the letters of their types.
struct Integers {
  char type;
  std::int64_t least, most;
};
constexpr Integers kIntegers[] = {{'c', INT8_MIN, INT8_MAX}, {'C', 0, UINT8_MAX},         {'s', INT16_MIN, INT16_MAX},
                                  {'S', 0, UINT16_MAX},      {'i', INT32_MIN, INT32_MAX}, {'I', 0, UINT32_MAX}};

bool is_array(std::string_view text) {
  if (text.empty()) {
    return false;
  }
  const auto* const integers = std::find_if(std::begin(kIntegers), std::end(kIntegers),
                                            [&](const Integers& one) { return one.type == text[0]; });
  const auto fits = [&](std::string_view number) {
    return integers != std::end(kIntegers) ? is_integer(number, integers->least, integers->most)
                                           : text[0] == 'f' && is_float(number);
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

// "1:N:0:ACGT", with digits before the index; 0 in place of 1 or 2: see bam_text.hpp.
bool is_illumina_mark(std::string_view word) {
  if (word.size() < 6 || word[0] < '0' || word[0] > '2' || word[1] != ':' || (word[2] != 'Y' && word[2] != 'N') ||
      word[3] != ':') {
    return false;
  }
  const std::size_t colon = word.find(':', 4);
  return colon != word.npos && colon > 4 && std::all_of(word.begin() + 4, word.begin() + colon, is_digit);
}

bool has_tag(std::string_view tags, char separator, std::string_view tag) {
  for (std::size_t at = 0; at < tags.size(); at = std::min(tags.find(separator, at), tags.size() - 1) + 1) {
    if (tags.substr(at, 2) == tag) {
      return true;
    }
  }
  return false;
}

// Whether the field of a comment is kept, if it is a tag.
bool is_wanted(std::string_view field, const CommentRule& rule) {
  const auto is_of = [tag = field.substr(0, 2)](const auto& tags) {
    return std::find(std::begin(tags), std::end(tags), tag) != std::end(tags);
  };
  if (is_of(align::kWrittenTags) || (rule.read_group && field.starts_with("RG")) ||
      (rule.own && has_tag(*rule.own, ',', field.substr(0, 2)))) {
    return false;
  }
  if (rule.tags == "all") {
    return !rule.alignments || !is_of(align::kOtherMappersTags);
  }
  return has_tag(rule.tags, ',', field.substr(0, 2)) || (rule.alignments && field.starts_with("RG"));
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
    if (rule.tags != "all" && !is_wanted(field, rule)) {
      continue;
    }
    if (!is_tag(field) || has_tag({comment, kept}, '\t', field.substr(0, 2))) {
      if (rule.own) {
        continue;
      }
      return {{}, field};
    }
    if (!is_wanted(field, rule)) {
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

namespace {

// SAM specification, section 1.4: QNAME.
constexpr std::size_t kMaxNameLength = 254;

}  // namespace

void RecordCheck::fail(std::uint64_t line, const std::string& what) const {
  throw InputError(std::string(file_), line, what + std::string(doubt_));
}

std::size_t RecordCheck::name_length(std::string_view rest, char mark) const {
  const std::size_t length = find_not_printable(rest);
  const std::string_view name = rest.substr(0, length);
  if (length < rest.size() && !is_space(rest[length])) {
    fail(line_,
         "the read name contains " + describe_character(rest[length]) + "; SAM allows printable ASCII characters only");
  }
  if (name.empty()) {
    fail(line_, std::string("a read without a name; write one directly after the '") + mark + "'");
  }
  if (name.size() > kMaxNameLength) {
    fail(line_, "the read name has " + std::to_string(name.size()) + " characters; SAM allows at most 254");
  }
  if (name[0] == '@' || name == "*") {
    fail(line_, "the read name " + std::string(name) + " has another meaning in SAM; rename the read");
  }
  return length;
}

std::string_view RecordCheck::comment(char* comment, std::size_t size, const CommentRule& rule) const {
  const CommentTags tags = keep_tags(comment, size, rule);
  if (!tags.wrong.empty()) {
    constexpr std::size_t most_shown = 60;
    fail(line_, "-C: in the read's comment, '" + std::string(tags.wrong.substr(0, most_shown)) +
                    (tags.wrong.size() > most_shown ? "..." : "") +
                    "' is not a SAM tag, or comes twice; tags are TAG:TYPE:VALUE with tabs between them, for example "
                    "BC:Z:ACGT; leave -C out if the comments have none");
  }
  return tags.text;
}

void RecordCheck::length(std::size_t bases) const {
  if (bases > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    fail(line_, "a read of " + std::to_string(bases) + " bases; SAM allows at most 2147483647");
  }
}

void RecordCheck::clean_bases(char* bases, std::size_t length) const {
  if (const std::size_t bad = io::clean_bases(bases, length); bad < length) {
    fail(line_ + 1, "the sequence contains " + describe_character(bases[bad]) + ", which is not an IUPAC letter");
  }
}

void RecordCheck::qualities(std::string_view qualities, std::uint64_t line) const {
  if (!all_printable(qualities)) {
    fail(line, "the quality contains " + describe_character(qualities[find_not_printable(qualities)]) +
                   "; only '!' to '~' are allowed");
  }
}

void RecordCheck::lower_qualities(char* qualities, std::size_t length, std::uint64_t line) const {
  constexpr char kZero = '@', kSolexa = ';';
  for (char* quality = qualities; quality < qualities + length; ++quality) {
    if (*quality < kSolexa || *quality > '~') {
      fail(line, "--phred64: the quality contains " + describe_character(*quality) +
                     ", but with Phred+64 all are from '@' to '~' (Solexa: from ';'); leave --phred64 out");
    }
    *quality = static_cast<char>(std::max(*quality, kZero) - kZero + '!');
  }
}

}  // namespace trawl::io
