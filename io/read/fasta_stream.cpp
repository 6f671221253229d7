#include "io/read/fasta_stream.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "io/format/letters.hpp"
#include "io/read/foreign_format.hpp"

namespace trawl::io {

FastaStream::FastaStream(std::unique_ptr<InputFile> file, const TextOptions& options)
    : file_size_(file->is_regular() ? std::optional(file->size()) : std::nullopt),
      blocks_(std::move(file), options, [] { return std::make_unique<FastaBlock>(); }),
      renaming_{.wanted = options.renames_contigs} {}

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
    if (end_.in == TextEnd::In::header) {
      begin_sequence(parse_fasta_header(std::string_view(end_.header).substr(1)), end_.line);
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
  block_ = {block_.bytes, block->input_bytes(), 0};
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
    return block_.bytes;
  }
  const double share = static_cast<double>(unused) / static_cast<double>(std::max(unused, block_.letters));
  return block_.bytes - static_cast<std::uint64_t>(static_cast<double>(block_.bytes - block_.bytes_before) * share);
}

std::uint64_t FastaStream::expected_letters() const {
  if (!file_size_ || block_.bytes == 0) {
    return 0;
  }
  // Of text that is compressed to almost nothing, the start is not taken for all of it.
  const double growth = std::min(8.0, static_cast<double>(text_size_) / static_cast<double>(block_.bytes));
  return static_cast<std::uint64_t>(growth * static_cast<double>(*file_size_));
}

std::string empty_sequences_warning(const std::string& file, const std::vector<std::string>& names, std::size_t most) {
  std::string list;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i) {
    list += (i > 0 ? ", " : "") + names[i];
  }
  return names.empty() ? ""
                       : file + ": " + std::to_string(names.size()) + " sequence(s) of length 0 left out: " + list +
                             (names.size() > most ? ", ..." : "");
}

std::string FastaStream::warning() const {
  std::string text = empty_sequences_warning(blocks_.name(), empty_names_, 5);
  if (renaming_.count > 0) {
    text += (text.empty() ? blocks_.name() + ": " : "; ") + std::to_string(renaming_.count) +
            " sequence name(s) changed for SAM (--rename-contigs): " + renaming_.first;
  }
  return text;
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
  if (end_.in == TextEnd::In::start && *b.begin() == '>') {
    end_.in = TextEnd::In::header;
    end_.header.clear();
  }
  if (end_.in == TextEnd::In::header) {
    end_.header.append(b.begin(), b.head_size);
    if (b.head_ends) {
      begin_sequence(parse_fasta_header(std::string_view(end_.header).substr(1)), end_.line);
    }
  } else if (b.head_size > 0) {
    join_head(block);
  }
  if (b.head_ends) {
    ++end_.line;
    join_rest(block);
  }
}

// The head is a part of a sequence line.
void FastaStream::join_head(const std::shared_ptr<FastaBlock>& block) {
  const FastaBlock& b = *block;
  const bool is_blank = b.head_letters == 0 && b.head_bad == nullptr;
  if (!is_blank) {
    if (!latest_) {
      fail_nameless(end_.line, end_.in == TextEnd::In::start ? *b.begin() : end_.blank);
    }
    if (end_.in == TextEnd::In::blanks) {
      fail_letter(end_.line, end_.blank);
    }
    if (b.head_bad != nullptr) {
      fail_letter(end_.line, *b.head_bad);
    }
    add(block, 0, b.head_letters);
  }
  if (b.head_blanks == nullptr) {
    end_.in = TextEnd::In::letters;
  } else if (!is_blank || end_.in != TextEnd::In::blanks) {
    end_.in = TextEnd::In::blanks;
    end_.blank = *b.head_blanks;
  }
}

void FastaStream::join_rest(const std::shared_ptr<FastaBlock>& block) {
  const FastaBlock& b = *block;
  const auto& first = b.sequences.front();
  if (!latest_ && (first.end > first.begin || (b.bad != nullptr && b.sequences.size() == 1))) {
    std::uint64_t line = end_.line;
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
      begin_sequence(sequence.header, end_.line + sequence.line);
    }
    add(block, sequence.begin, sequence.end);
  }
  if (b.bad != nullptr) {
    fail_letter(end_.line + b.lines, *b.bad);
  }
  end_.line += b.lines;
  if (b.open_header != nullptr) {
    end_.in = TextEnd::In::header;
    end_.header.assign(b.open_header, b.end());
  } else if (b.blanks != nullptr) {
    end_.in = TextEnd::In::blanks;
    end_.blank = *b.blanks;
  } else {
    end_.in = b.end()[-1] == '\n' ? TextEnd::In::start : TextEnd::In::letters;
  }
}

void FastaStream::begin_sequence(const FastaHeader& header, std::uint64_t line) {
  close_sequence();
  const bool renames = header.renames && renaming_.wanted;
  if (!header.error.empty() && !renames) {
    fail(line, header.error);
  }
  latest_ = {std::string(header.name), {header.circular}};
  std::string& name = latest_->name;
  if (renames) {
    name[0] = name[0] == '*' || name[0] == '=' ? '_' : name[0];
    for (std::size_t at = find_not_in_sam_name(name); at < name.size(); at = find_not_in_sam_name(name)) {
      name[at] = '_';
    }
    if (renaming_.count++ == 0) {
      renaming_.first = std::string(header.name) + " is now " + name;
    }
  }
  if (!names_.insert(name).second) {
    fail(line, "a second sequence with the name " + name +
                   (renaming_.count > 0 ? " (--rename-contigs makes _ of letters that SAM does not allow)" : "") +
                   "; names must differ");
  }
}

void FastaStream::add(const std::shared_ptr<FastaBlock>& block, std::uint64_t begin, std::uint64_t end) {
  if (begin == end) {
    return;
  }
  block_.letters += end - begin;
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
