// Reads FASTA line by line.
//
//   FastaParser parser("genome.fa.gz");
//   while (parser.step(handler)) { ... }   // handler.begin_contig("chr1"), handler.append("ACGTN"), ...
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "io/in/text_buffer.hpp"

namespace trawl::io {

/// Receives the sequences.
class FastaHandler {
 public:
  virtual ~FastaHandler() = default;
  /// A sequence that has letters. `name` is its header up to the first white space.
  virtual void begin_contig(const std::string& name) = 0;
  /// IUPAC letters, in upper or lower case, of the latest contig. At most as many as the text's window holds.
  virtual void append(std::string_view letters) = 0;
};

class FastaParser {
 public:
  /// A plain, gzip or BGZF file, or the standard input ("-"). Throws IoError.
  explicit FastaParser(const std::string& path) : text_(path) {}

  /// Reads a line, or the part of it that is in the window; false at the end. Throws InputError (with the line) or
  /// IoError. A file without a sequence is an InputError at its end.
  bool step(FastaHandler& handler);

  /// Bytes of the file parsed so far, counted before decompression, without those of the last `unused` letters.
  std::uint64_t consumed(std::size_t unused = 0) const { return text_.consumed(unused); }
  /// At the end: one line that names the sequences that were left out because they have no letters (SAM cannot have
  /// such contigs). Empty if there are none.
  std::string warning() const;

 private:
  [[noreturn]] void fail(const std::string& what) const;
  void read_header();
  void read_sequence(FastaHandler& handler);
  void add(std::string_view letters, FastaHandler& handler);
  void close_contig();
  const char* find_newline() const;

  TextBuffer text_;
  std::uint64_t line_ = 1;
  std::size_t contigs_ = 0;
  std::string name_;
  bool has_name_ = false;
  bool contig_is_empty_ = true;
  bool in_sequence_line_ = false;
  std::unordered_set<std::string> names_;
  std::vector<std::string> empty_names_;
};

}  // namespace trawl::io
