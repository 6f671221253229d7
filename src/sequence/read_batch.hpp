// A numbered batch of reads: a ReadSource gives it, an engine takes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trawl::sequence {

/// Where a record begins in the input: a line, from 1, of file number `file`.
struct RecordOrigin {
  std::uint32_t file = 0;
  std::uint64_t line = 0;
};

/// Reads in input order. Names, bases and qualities are stored one after the other, read by read, in one buffer. So a
/// batch needs few allocations and can be reused.
class ReadBatch {
 public:
  /// Index of the batch in the input, from 0.
  std::uint64_t number = 0;
  /// Index of its first read in the input, from 0.
  std::uint64_t first_read = 0;
  /// Bytes of the (compressed) input that were read when this batch was complete; used to show progress.
  std::uint64_t input_bytes = 0;
  /// Reads 2 i and 2 i + 1 are the first and the second mate of pair i, and have the same name.
  bool paired = false;

  std::size_t size() const { return reads_.size(); }
  bool empty() const { return reads_.empty(); }

  std::string_view name(std::size_t i) const { return view(reads_[i].name, reads_[i].name_length); }
  /// The bases as in the file, but in upper case: A, C, G, T, IUPAC codes.
  std::string_view bases(std::size_t i) const { return view(reads_[i].bases, reads_[i].length); }
  /// The Phred+33 qualities as in the file; empty if the input has none.
  std::string_view qualities(std::size_t i) const {
    return reads_[i].has_qualities ? view(reads_[i].qualities, reads_[i].length) : std::string_view{};
  }
  std::size_t length(std::size_t i) const { return reads_[i].length; }

  /// `qualities` must be empty or as long as `bases`.
  void add(std::string_view name, std::string_view bases, std::string_view qualities, const RecordOrigin& origin = {}) {
    Read read;
    read.line = origin.line;
    read.file = origin.file;
    read.name = append(name);
    read.name_length = static_cast<std::uint32_t>(name.size());
    read.bases = append(bases);
    read.length = static_cast<std::uint32_t>(bases.size());
    read.qualities = append(qualities);
    read.has_qualities = !qualities.empty();
    reads_.push_back(read);
  }

  /// The offsets of a record's lines in the record's text.
  struct Lines {
    std::size_t name = 0;
    std::size_t bases = 0;
    std::size_t qualities = 0;
    std::uint32_t name_length = 0;
    std::uint32_t length = 0;
  };
  /// Adds the whole text of a record, which is checked later.
  void add_unchecked(std::string_view record, const Lines& lines, const RecordOrigin& origin) {
    const std::size_t at = append(record);
    reads_.push_back({at + lines.name, at + lines.bases, at + lines.qualities, origin.line, lines.name_length,
                      lines.length, origin.file, lines.length > 0, false, 0});
  }

  bool is_checked(std::size_t i) const { return reads_[i].checked; }
  /// Known for the reads that a ReadSource gives.
  RecordOrigin origin(std::size_t i) const { return {reads_[i].file, reads_[i].line}; }
  /// 1 or 2 if the header says after the name which mate of a pair this is, as in "@r7 2:N:0:ACGT"; otherwise 0.
  unsigned marked_mate(std::size_t i) const { return reads_[i].marked_mate; }
  void set_marked_mate(std::size_t i, unsigned mate) { reads_[i].marked_mate = static_cast<std::uint8_t>(mate); }
  /// Lets a check correct the bases. Their number stays the same.
  char* mutable_bases(std::size_t i) { return text_.data() + reads_[i].bases; }
  void set_checked(std::size_t i) { reads_[i].checked = true; }
  /// Keeps only the first characters of a read's name.
  void shorten_name(std::size_t i, std::size_t length) { reads_[i].name_length = static_cast<std::uint32_t>(length); }

  void clear() {
    paired = false;
    text_.clear();
    reads_.clear();
  }

 private:
  struct Read {
    std::size_t name = 0;
    std::size_t bases = 0;
    std::size_t qualities = 0;
    std::uint64_t line = 0;
    std::uint32_t name_length = 0;
    std::uint32_t length = 0;
    std::uint32_t file = 0;
    bool has_qualities = false;
    bool checked = true;
    std::uint8_t marked_mate = 0;
  };

  std::size_t append(std::string_view piece) {
    const std::size_t at = text_.size();
    text_.append(piece);
    return at;
  }
  std::string_view view(std::size_t at, std::size_t length) const { return std::string_view(text_).substr(at, length); }

  std::string text_;
  std::vector<Read> reads_;
};

}  // namespace trawl::sequence
