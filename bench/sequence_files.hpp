// Reads lines, FASTA and FASTQ from plain or gzip files.
//
//   SequenceReader reader("reads.fq.gz");
//   Sequence read;
//   while (reader.next(read)) { ... read.name, read.bases, read.qualities ... }
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trawl::bench {

/// Reads a file line by line. Recognises gzip by the file's first bytes.
class LineReader {
 public:
  explicit LineReader(const std::string& path);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  /// The next line without its line end; valid until the next call. False at the end of the file.
  bool next(std::string_view& line);

  const std::string& path() const { return path_; }
  std::uint64_t line_number() const { return line_number_; }

 private:
  bool fill();

  std::string path_;
  gzFile file_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t line_number_ = 0;
};

struct Sequence {
  std::string name;  // the header up to its first blank
  std::string bases;
  std::string qualities;  // empty for FASTA
};

class SequenceReader {
 public:
  explicit SequenceReader(const std::string& path);

  /// False at the end of the file. Throws std::runtime_error, with file and line, if the file is not FASTA or FASTQ.
  bool next(Sequence& sequence);

 private:
  bool next_line();
  [[noreturn]] void fail(const std::string& what) const;

  LineReader lines_;
  std::string_view line_;
  bool have_line_ = false;
};

std::vector<Sequence> read_all(const std::string& path);

}  // namespace trawl::bench
