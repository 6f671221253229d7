#include "io/read/fasta_stream.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "io/format/letters.hpp"
#include "io/read/foreign_format.hpp"

namespace trawl::io {

FastaStream::FastaStream(std::unique_ptr<InputFile> file, const TextBlocks::Options& options)
    : file_size_(file->is_regular() ? std::optional(file->size()) : std::nullopt),
      blocks_(std::move(file), options, [] { return std::make_unique<FastaBlock>(); }) {}

std::optional<ContigPiece> FastaStream::next() {
  while (pieces_.empty()) {
    if (failure_) {
      std::rethrow_exception(failure_);
    }
    if (!read_block()) {
      return std::nullopt;
    }
  }
  ContigPiece piece = std::move(pieces_.front());
  pieces_.pop_front();
  return piece;
}

bool FastaStream::read_block() {
  auto next = blocks_.next();
  if (!next) {
    if (ends_in_ == Line::header) {
      begin_sequence(parse_fasta_header(std::string_view(header_).substr(1)), line_);
    }
    close_sequence();
    if (names_.size() == empty_names_.size()) {
      throw InputError(blocks_.name(), 0, "has no sequences; a reference must be FASTA");
    }
    return false;
  }
  const std::shared_ptr<FastaBlock> block(static_cast<FastaBlock*>(next.release()), [this](FastaBlock* used) {
    blocks_.give_back(std::unique_ptr<TextBlock>(used));
  });
  if (text_size_ == 0) {
    const std::string foreign = foreign_reference({block->begin(), block->size()}, blocks_.name());
    if (!foreign.empty()) {
      throw InputError(blocks_.name(), 0, foreign);
    }
  }
  text_size_ += block->size();
  bytes_before_ = std::exchange(bytes_, block->input_bytes());
  block_letters_ = 0;
  try {
    join(block);
  } catch (...) {
    failure_ = std::current_exception();  // after the pieces before it
  }
  return true;
}

std::uint64_t FastaStream::consumed(std::uint64_t unused) const {
  for (const ContigPiece& piece : pieces_) {
    unused += piece.count;
  }
  if (unused == 0) {
    return bytes_;
  }
  const double share = static_cast<double>(unused) / static_cast<double>(std::max(unused, block_letters_));
  return bytes_ - static_cast<std::uint64_t>(static_cast<double>(bytes_ - bytes_before_) * share);
}

std::uint64_t FastaStream::expected_letters() const {
  if (!file_size_ || bytes_ == 0) {
    return 0;
  }
  // Of text that is compressed to almost nothing, the start is not taken for all of it.
  const double growth = std::min(8.0, static_cast<double>(text_size_) / static_cast<double>(bytes_));
  return static_cast<std::uint64_t>(growth * static_cast<double>(*file_size_));
}

std::string FastaStream::warning() const {
  if (empty_names_.empty()) {
    return "";
  }
  std::string names;
  for (std::size_t i = 0; i < std::min<std::size_t>(empty_names_.size(), 5); ++i) {
    names += (i > 0 ? ", " : "") + empty_names_[i];
  }
  return blocks_.name() + ": " + std::to_string(empty_names_.size()) + " sequence(s) of length 0 left out: " + names +
         (empty_names_.size() > 5 ? ", ..." : "");
}

void FastaStream::fail(std::uint64_t line, const std::string& what) const {
  throw InputError(blocks_.name(), line, what + std::string(blocks_.doubt()));
}

// `first`: the first character of the first line that is not blank.
void FastaStream::fail_nameless(std::uint64_t line, char first) const {
  fail(line, first == '@' ? "this is a FASTQ file; a reference must be FASTA, and is the first file"
                          : "text before the first '>'; a reference must be FASTA");
}

void FastaStream::fail_letter(std::uint64_t line, char letter) const {
  fail(line, describe_character(letter) + " in the sequence " + latest_->name + " is not an IUPAC letter");
}

void FastaStream::join(const std::shared_ptr<FastaBlock>& block) {
  const FastaBlock& b = *block;
  if (ends_in_ == Line::start && *b.begin() == '>') {
    ends_in_ = Line::header;
    header_.clear();
  }
  if (ends_in_ == Line::header) {
    header_.append(b.begin(), b.head_size);
    if (b.head_ends) {
      begin_sequence(parse_fasta_header(std::string_view(header_).substr(1)), line_);
    }
  } else if (b.head_size > 0) {
    join_head(block);
  }
  if (b.head_ends) {
    ++line_;
    join_rest(block);
  }
}

// The head is a part of a sequence line.
void FastaStream::join_head(const std::shared_ptr<FastaBlock>& block) {
  const FastaBlock& b = *block;
  const bool is_blank = b.head_letters == 0 && b.head_bad == nullptr;
  if (!is_blank) {
    if (!latest_) {
      fail_nameless(line_, ends_in_ == Line::start ? *b.begin() : blank_);
    }
    if (ends_in_ == Line::blanks) {
      fail_letter(line_, blank_);
    }
    if (b.head_bad != nullptr) {
      fail_letter(line_, *b.head_bad);
    }
    add(block, 0, b.head_letters);
  }
  if (b.head_blanks == nullptr) {
    ends_in_ = Line::letters;
  } else if (!is_blank || ends_in_ != Line::blanks) {
    ends_in_ = Line::blanks;
    blank_ = *b.head_blanks;
  }
}

void FastaStream::join_rest(const std::shared_ptr<FastaBlock>& block) {
  const FastaBlock& b = *block;
  const auto& first = b.sequences.front();
  if (!latest_ && (first.end > first.begin || (b.bad != nullptr && b.sequences.size() == 1))) {
    std::uint64_t line = line_;
    const char* at = b.begin() + b.head_size + 1;
    for (const char* c = at; is_space(*c) || *c == '\n'; ++c) {
      if (*c == '\n') {
        ++line;
        at = c + 1;
      }
    }
    fail_nameless(line, *at);
  }
  for (const auto& sequence : b.sequences) {
    if (&sequence != &first) {
      begin_sequence(sequence.header, line_ + sequence.line);
    }
    add(block, sequence.begin, sequence.end);
  }
  if (b.bad != nullptr) {
    fail_letter(line_ + b.bad_line, *b.bad);
  }
  line_ += b.lines;
  if (b.open_header != nullptr) {
    ends_in_ = Line::header;
    header_.assign(b.open_header, b.end());
  } else if (b.blanks != nullptr) {
    ends_in_ = Line::blanks;
    blank_ = *b.blanks;
  } else {
    ends_in_ = b.end()[-1] == '\n' ? Line::start : Line::letters;
  }
}

void FastaStream::begin_sequence(const FastaHeader& header, std::uint64_t line) {
  close_sequence();
  if (!header.error.empty()) {
    fail(line, header.error);
  }
  latest_ = {std::string(header.name), {header.circular}};
  if (!names_.insert(latest_->name).second) {
    fail(line, "a second sequence with the name " + latest_->name + "; names must differ");
  }
}

void FastaStream::add(const std::shared_ptr<FastaBlock>& block, std::uint64_t begin, std::uint64_t end) {
  if (begin == end) {
    return;
  }
  block_letters_ += end - begin;
  pieces_.push_back(
      {std::exchange(is_empty_, false) ? latest_ : std::nullopt, {block, &block->letters}, begin, end - begin});
}

void FastaStream::close_sequence() {
  if (latest_ && is_empty_) {
    empty_names_.push_back(latest_->name);
  }
  is_empty_ = true;
}

}  // namespace trawl::io
