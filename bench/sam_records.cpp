#include "bench/sam_records.hpp"

#include <charconv>
#include <stdexcept>

namespace trawl::bench {

namespace {

template <typename Integer>
bool parse(std::string_view text, Integer& value) {
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failure == std::errc() && end == text.data() + text.size();
}

// Removes the first field from `rest`; false if there is none.
bool cut_field(std::string_view& rest, std::string_view& field) {
  if (rest.data() == nullptr) {
    return false;
  }
  const std::size_t tab = rest.find('\t');
  field = rest.substr(0, tab);
  rest = tab == std::string_view::npos ? std::string_view() : rest.substr(tab + 1);
  return true;
}

// Calls visit(length, operation) for each element; false if the text is not a CIGAR.
template <typename Visit>
bool visit_cigar(std::string_view text, const Visit& visit) {
  if (text == "*") {
    return true;
  }
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    std::uint64_t length = 0;
    const auto [digits_end, failure] = std::from_chars(at, end, length);
    if (failure != std::errc() || digits_end == end ||
        std::string_view("MIDNSHP=X").find(*digits_end) == std::string_view::npos) {
      return false;
    }
    visit(length, *digits_end);
    at = digits_end + 1;
  }
  return !text.empty();
}

std::uint64_t sum_of(std::string_view cigar, std::string_view operations) {
  std::uint64_t sum = 0;
  visit_cigar(cigar, [&](std::uint64_t length, char operation) {
    sum += operations.find(operation) == std::string_view::npos ? 0 : length;
  });
  return sum;
}

}  // namespace

std::optional<std::string_view> SamRecord::text_tag(std::string_view tag) const {
  std::string_view rest = tags;
  std::string_view field;
  while (cut_field(rest, field)) {
    if (field.size() >= 5 && field.substr(0, 2) == tag) {
      return field.substr(5);
    }
  }
  return std::nullopt;
}

std::optional<std::int64_t> SamRecord::integer_tag(std::string_view tag) const {
  std::int64_t value = 0;
  const auto text = text_tag(tag);
  return text && parse(*text, value) ? std::optional(value) : std::nullopt;
}

SamReader::SamReader(const std::string& path) : lines_(path) {}

void SamReader::fail(const std::string& what) const {
  throw std::runtime_error(lines_.path() + ":" + std::to_string(lines_.line_number()) + ": " + what);
}

bool SamReader::next(SamRecord& record) {
  std::string_view rest;
  do {
    if (!lines_.next(rest)) {
      return false;
    }
  } while (!rest.empty() && rest[0] == '@');
  std::string_view flag;
  std::string_view position;
  std::string_view mapq;
  std::string_view mate_position;
  std::string_view unused;
  const bool complete = cut_field(rest, record.name) && cut_field(rest, flag) && cut_field(rest, record.contig) &&
                        cut_field(rest, position) && cut_field(rest, mapq) && cut_field(rest, record.cigar) &&
                        cut_field(rest, record.mate_contig) && cut_field(rest, mate_position) &&
                        cut_field(rest, unused) && cut_field(rest, record.bases) && cut_field(rest, record.qualities);
  if (!complete || !parse(flag, record.flag) || !parse(position, record.position) || !parse(mapq, record.mapq) ||
      !parse(mate_position, record.mate_position)) {
    fail("not a SAM record");
  }
  record.tags = rest;
  return true;
}

std::uint32_t NameTable::number_of(std::string_view name) {
  if (const auto known = find(name)) {
    return *known;
  }
  const auto added = numbers_.emplace(std::string(name), static_cast<std::uint32_t>(names_.size())).first;
  names_.push_back(&added->first);
  return added->second;
}

std::optional<std::uint32_t> NameTable::find(std::string_view name) const {
  const auto found = numbers_.find(name);
  return found == numbers_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::vector<CigarElement>> parse_cigar(std::string_view text) {
  std::vector<CigarElement> elements;
  const bool good = visit_cigar(text, [&](std::uint64_t length, char operation) {
    elements.push_back({length, operation});
  });
  return good ? std::optional(std::move(elements)) : std::nullopt;
}

std::uint64_t reference_span(std::string_view cigar) { return sum_of(cigar, "MDN=X"); }

std::uint64_t read_span(std::string_view cigar) { return sum_of(cigar, "MIS=XH"); }

std::uint64_t leading_clip(std::string_view cigar) {
  std::uint64_t clip = 0;
  bool aligned = false;
  visit_cigar(cigar, [&](std::uint64_t length, char operation) {
    aligned = aligned || (operation != 'S' && operation != 'H');
    clip += aligned ? 0 : length;
  });
  return clip;
}

std::uint64_t trailing_clip(std::string_view cigar) {
  std::uint64_t clip = 0;
  visit_cigar(cigar, [&](std::uint64_t length, char operation) {
    clip = operation == 'S' || operation == 'H' ? clip + length : 0;
  });
  return clip;
}

std::string_view without_mate(std::string_view name) {
  const bool has_mate = name.size() > 2 && (name.ends_with("/1") || name.ends_with("/2"));
  return has_mate ? name.substr(0, name.size() - 2) : name;
}

}  // namespace trawl::bench
