// Reads lines, FASTA, FASTQ and SAM from plain or gzip files, with only what these programs need: no htslib, with which
// Trawl writes.
//
//   SequenceReader reader("reads.fq.gz");
//   Sequence read;
//   while (reader.next(read)) { ... read.name, read.bases, read.qualities ... }
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
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

  std::uint64_t line_number() const { return line_number_; }
  /// Throws std::runtime_error, with file and line.
  [[noreturn]] void fail(const std::string& what) const;

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
  explicit SequenceReader(const std::string& path) : lines_(path) {}

  /// False at the end of the file. Throws std::runtime_error, with file and line, if the file is not FASTA or FASTQ.
  bool next(Sequence& sequence);

 private:
  bool next_line();

  LineReader lines_;
  std::string_view line_;
  bool have_line_ = false;
};

std::vector<Sequence> read_all(const std::string& path);

inline constexpr std::uint32_t kFlagPaired = 0x1;
inline constexpr std::uint32_t kFlagProper = 0x2;
inline constexpr std::uint32_t kFlagUnmapped = 0x4;
inline constexpr std::uint32_t kFlagMateUnmapped = 0x8;
inline constexpr std::uint32_t kFlagReverse = 0x10;
inline constexpr std::uint32_t kFlagMateReverse = 0x20;
inline constexpr std::uint32_t kFlagFirst = 0x40;
inline constexpr std::uint32_t kFlagSecond = 0x80;
inline constexpr std::uint32_t kFlagSecondary = 0x100;
inline constexpr std::uint32_t kFlagSupplementary = 0x800;

/// The fields point into the reader's line. They are valid until the next record is read.
struct SamRecord {
  std::string_view name;
  std::uint32_t flag = 0;
  std::string_view contig;
  std::uint64_t position = 0;  // 1-based; 0 where there is none
  std::uint32_t mapq = 0;
  std::string_view cigar;
  std::string_view mate_contig;  // "=": the same contig
  std::uint64_t mate_position = 0;
  std::string_view bases;
  std::string_view qualities;
  std::string_view tags;  // all tags, with their tabs

  bool mapped() const { return (flag & kFlagUnmapped) == 0; }
  bool reverse() const { return (flag & kFlagReverse) != 0; }
  /// Each read has one primary record, and it comes first.
  bool primary() const { return (flag & (kFlagSecondary | kFlagSupplementary)) == 0; }

  /// The value of a tag, for example `NM:i:`. Nothing if the record does not have it.
  std::optional<std::int64_t> integer_tag(std::string_view tag) const;
  std::optional<std::string_view> text_tag(std::string_view tag) const;
};

class SamReader {
 public:
  explicit SamReader(const std::string& path) : lines_(path) {}

  /// False at the end. Throws std::runtime_error, with file and line, if the text is not SAM.
  bool next(SamRecord& record);

  std::uint64_t line_number() const { return lines_.line_number(); }
  [[noreturn]] void fail(const std::string& what) const { lines_.fail(what); }

 private:
  LineReader lines_;
};

/// Gives names numbers, in the order in which they are first seen.
class NameTable {
 public:
  std::uint32_t number_of(std::string_view name);
  std::optional<std::uint32_t> find(std::string_view name) const;
  const std::string& name_of(std::uint32_t number) const { return *names_[number]; }
  std::size_t size() const { return names_.size(); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> numbers_;
  std::vector<const std::string*> names_;
};

struct CigarElement {
  std::uint64_t length;
  char operation;
};

/// Nothing if the text is not a CIGAR ("*" is an empty one).
std::optional<std::vector<CigarElement>> parse_cigar(std::string_view text);

/// Covered bases of the reference; bases clipped (S and H) before the first aligned one and after the last one; bases
/// of the read, with clipped ones.
std::uint64_t reference_span(std::string_view cigar);
std::uint64_t leading_clip(std::string_view cigar);
std::uint64_t trailing_clip(std::string_view cigar);
std::uint64_t read_span(std::string_view cigar);

/// "read/1" and "read/2" become "read": some tools remove the mate's number.
std::string_view without_mate(std::string_view name);

}  // namespace trawl::bench
