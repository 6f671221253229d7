#include "bench/files.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <stdexcept>

namespace trawl::bench {

namespace {

constexpr std::size_t kBufferSize = std::size_t{1} << 20;

std::string first_word(std::string_view text) { return std::string(text.substr(0, text.find_first_of(" \t"))); }

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

LineReader::LineReader(const std::string& path)
    : path_(path), file_(path == "-" ? gzdopen(0, "rb") : gzopen(path.c_str(), "rb")), buffer_(kBufferSize) {
  if (file_ == nullptr) {
    throw std::runtime_error(path + ": cannot be opened");
  }
  gzbuffer(file_, kBufferSize);
}

LineReader::~LineReader() { gzclose(file_); }

void LineReader::fail(const std::string& what) const {
  throw std::runtime_error(path_ + ":" + std::to_string(line_number_) + ": " + what);
}

// Moves the unused text to the front, makes the buffer larger if one line fills it, and reads more. False at the end.
bool LineReader::fill() {
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (end_ == buffer_.size()) {
    buffer_.resize(2 * buffer_.size());
  }
  const std::size_t room = std::min(buffer_.size() - end_, std::size_t{1} << 30);
  const int got = gzread(file_, buffer_.data() + end_, static_cast<unsigned>(room));
  int status = Z_OK;
  const char* message = gzerror(file_, &status);
  if (got < 0 || (got == 0 && status != Z_OK && status != Z_STREAM_END)) {
    throw std::runtime_error(path_ + ": " + message);
  }
  end_ += static_cast<std::size_t>(got);
  return got > 0;
}

bool LineReader::next(std::string_view& line) {
  std::size_t searched = 0;
  const char* line_end = nullptr;
  for (;;) {
    const std::size_t left = end_ - begin_;
    line_end = static_cast<const char*>(std::memchr(buffer_.data() + begin_ + searched, '\n', left - searched));
    if (line_end != nullptr) {
      break;
    }
    searched = left;
    if (!fill()) {
      if (begin_ == end_) {
        return false;
      }
      line_end = buffer_.data() + end_;
      break;
    }
  }
  const char* line_begin = buffer_.data() + begin_;
  std::size_t length = static_cast<std::size_t>(line_end - line_begin);
  begin_ = std::min(begin_ + length + 1, end_);
  if (length > 0 && line_begin[length - 1] == '\r') {
    --length;
  }
  line = std::string_view(line_begin, length);
  ++line_number_;
  return true;
}

bool SequenceReader::next_line() {
  have_line_ = lines_.next(line_);
  return have_line_;
}

bool SequenceReader::next(Sequence& sequence) {
  if (!have_line_) {
    next_line();
  }
  while (have_line_ && line_.empty()) {
    next_line();
  }
  if (!have_line_) {
    return false;
  }
  const char marker = line_[0];
  if (marker != '>' && marker != '@') {
    lines_.fail("a record must begin with > or @");
  }
  sequence.name = first_word(line_.substr(1));
  sequence.bases.clear();
  sequence.qualities.clear();
  if (marker == '>') {
    while (next_line() && (line_.empty() || line_[0] != '>')) {
      sequence.bases += line_;
    }
    return true;
  }
  // FASTQ with four lines per record: a quality line may begin with any character.
  if (!next_line()) {
    lines_.fail("the record ends before its bases");
  }
  sequence.bases = line_;
  if (!next_line() || line_.empty() || line_[0] != '+') {
    lines_.fail("the third line of a record must begin with +");
  }
  if (!next_line() || line_.size() != sequence.bases.size()) {
    lines_.fail("there must be as many qualities as bases");
  }
  sequence.qualities = line_;
  have_line_ = false;
  return true;
}

std::vector<Sequence> read_all(const std::string& path) {
  SequenceReader reader(path);
  std::vector<Sequence> sequences;
  Sequence sequence;
  while (reader.next(sequence)) {
    sequences.push_back(std::move(sequence));
  }
  return sequences;
}

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
