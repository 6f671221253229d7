#include "bench/sequence_files.hpp"

#include <cstring>
#include <stdexcept>

namespace trawl::bench {

namespace {

constexpr std::size_t kBufferSize = std::size_t{1} << 20;

std::string first_word(std::string_view text) { return std::string(text.substr(0, text.find_first_of(" \t"))); }

}  // namespace

LineReader::LineReader(const std::string& path)
    : path_(path), file_(path == "-" ? gzdopen(0, "rb") : gzopen(path.c_str(), "rb")), buffer_(kBufferSize) {
  if (file_ == nullptr) {
    throw std::runtime_error(path + ": cannot be opened");
  }
  gzbuffer(file_, kBufferSize);
}

LineReader::~LineReader() { gzclose(file_); }

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

SequenceReader::SequenceReader(const std::string& path) : lines_(path) {}

void SequenceReader::fail(const std::string& what) const {
  throw std::runtime_error(lines_.path() + ":" + std::to_string(lines_.line_number()) + ": " + what);
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
    fail("a record must begin with > or @");
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
    fail("the record ends before its bases");
  }
  sequence.bases = line_;
  if (!next_line() || line_.empty() || line_[0] != '+') {
    fail("the third line of a record must begin with +");
  }
  if (!next_line() || line_.size() != sequence.bases.size()) {
    fail("there must be as many qualities as bases");
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

}  // namespace trawl::bench
