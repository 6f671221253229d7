#include "io/in/fasta_parser.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "io/in/letters.hpp"

namespace trawl::io {

bool FastaParser::step(FastaHandler& handler) {
  if (text_.begin() == text_.end() && !text_.refill()) {
    close_contig();
    if (contigs_ == 0) {
      throw InputError(text_.name(), 0, "has no sequences; a reference must be FASTA");
    }
    return false;
  }
  if (in_sequence_line_ || *text_.begin() != '>') {
    read_sequence(handler);
  } else {
    read_header();
  }
  return true;
}

std::string FastaParser::warning() const {
  if (empty_names_.empty()) {
    return "";
  }
  std::string names;
  for (std::size_t i = 0; i < std::min<std::size_t>(empty_names_.size(), 5); ++i) {
    names += (i > 0 ? ", " : "") + empty_names_[i];
  }
  return text_.name() + ": " + std::to_string(empty_names_.size()) + " sequence(s) of length 0 left out: " + names +
         (empty_names_.size() > 5 ? ", ..." : "");
}

void FastaParser::fail(const std::string& what) const { throw InputError(text_.name(), line_, what); }

void FastaParser::read_header() {
  const char* newline = nullptr;
  while ((newline = find_newline()) == nullptr && text_.refill()) {
  }
  const char* end = newline != nullptr ? newline : text_.end();
  close_contig();
  const char* begin = text_.begin() + 1;
  if (has_lone_cr({begin, static_cast<std::size_t>(end - begin)})) {
    fail(kLoneCr);
  }
  name_.assign(begin, std::find_if(begin, end, [](char c) { return is_space(c); }));
  if (name_.empty()) {
    fail("a sequence without a name; write one directly after the '>'");
  }
  if (name_[0] == '*' || name_[0] == '=') {
    fail("the sequence name " + name_ + " begins with '" + name_[0] + "', which SAM does not allow; rename it");
  }
  if (const std::size_t at = find_not_in_sam_name(name_); at < name_.size()) {
    fail("the sequence name " + name_ + " contains " + describe_character(name_[at]) +
         ", which SAM does not allow; rename it");
  }
  if (!names_.insert(name_).second) {
    fail("a second sequence with the name " + name_ + "; names must differ");
  }
  has_name_ = true;
  if (newline != nullptr) {
    ++line_;
  }
  text_.consume(static_cast<std::size_t>((newline != nullptr ? newline + 1 : end) - text_.begin()));
}

// Reads a line, or the part of it that is in the window.
void FastaParser::read_sequence(FastaHandler& handler) {
  const char* newline = find_newline();
  const char* end = newline != nullptr ? newline : text_.end();
  const char* last = end;
  while (last != text_.begin() && is_space(last[-1])) {
    --last;
  }
  const std::string_view letters(text_.begin(), static_cast<std::size_t>(last - text_.begin()));
  if (!letters.empty()) {
    add(letters, handler);
  }
  if (newline != nullptr) {
    ++line_;
    in_sequence_line_ = false;
    text_.consume(static_cast<std::size_t>(newline + 1 - text_.begin()));
    return;
  }
  in_sequence_line_ = in_sequence_line_ || !letters.empty();
  // Blanks at the end of the window can be the end of the line, or letters can follow them.
  text_.consume(letters.size());
  if (!text_.refill()) {
    text_.consume(static_cast<std::size_t>(text_.end() - text_.begin()));
  }
}

void FastaParser::add(std::string_view letters, FastaHandler& handler) {
  if (!has_name_) {
    if (letters[0] == '@') {
      fail("this is a FASTQ file; a reference must be FASTA");
    }
    fail("text before the first '>'; a reference must be FASTA");
  }
  if (const std::size_t at = find_not_iupac(letters); at < letters.size()) {
    fail(describe_character(letters[at]) + " in the sequence " + name_ + " is not an IUPAC letter");
  }
  if (contig_is_empty_) {
    handler.begin_contig(name_);
    contig_is_empty_ = false;
    ++contigs_;
  }
  handler.append(letters);
}

void FastaParser::close_contig() {
  if (has_name_ && contig_is_empty_) {
    empty_names_.push_back(name_);
  }
  contig_is_empty_ = true;
}

const char* FastaParser::find_newline() const {
  return static_cast<const char*>(
      std::memchr(text_.begin(), '\n', static_cast<std::size_t>(text_.end() - text_.begin())));
}

}  // namespace trawl::io
