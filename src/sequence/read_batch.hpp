// A numbered batch of reads: what a ReadSource gives and an engine takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trawl::sequence {

/// Reads in input order. Names, bases and qualities lie one behind the other, read by read, in one buffer, so that a
/// batch costs few allocations and can be reused.
class ReadBatch {
 public:
  /// Place of the batch in the input, from 0.
  std::uint64_t number = 0;
  /// Place of the first read in the input, from 0.
  std::uint64_t first_read = 0;
  /// Bytes of the (compressed) input consumed when this batch was complete; for progress.
  std::uint64_t input_bytes = 0;

  std::size_t size() const { return reads_.size(); }
  bool empty() const { return reads_.empty(); }

  std::string_view name(std::size_t i) const { return view(reads_[i].name, reads_[i].name_length); }
  /// The bases as the file has them, in upper case: A, C, G, T, IUPAC codes.
  std::string_view bases(std::size_t i) const { return view(reads_[i].bases, reads_[i].length); }
  /// Phred+33 qualities as the file has them; empty where the input has none.
  std::string_view qualities(std::size_t i) const {
    return reads_[i].has_qualities ? view(reads_[i].qualities, reads_[i].length) : std::string_view{};
  }
  std::size_t length(std::size_t i) const { return reads_[i].length; }

  /// `qualities` is empty or as long as `bases`.
  void add(std::string_view name, std::string_view bases, std::string_view qualities) {
    Read read;
    read.name = append(name);
    read.name_length = static_cast<std::uint32_t>(name.size());
    read.bases = append(bases);
    read.length = static_cast<std::uint32_t>(bases.size());
    read.qualities = append(qualities);
    read.has_qualities = !qualities.empty();
    reads_.push_back(read);
  }

  /// Where the lines of a record as it stands in a file are found in it.
  struct Lines {
    std::size_t name = 0;
    std::size_t bases = 0;
    std::size_t qualities = 0;
    std::uint32_t name_length = 0;
    std::uint32_t length = 0;
  };
  /// Adds a record in one piece, not checked yet: `line` of file number `file` begins it.
  void add_unchecked(std::string_view record, const Lines& lines, std::uint32_t file, std::uint64_t line) {
    const std::size_t at = append(record);
    reads_.push_back({at + lines.name, at + lines.bases, at + lines.qualities, line, lines.name_length, lines.length,
                      file, lines.length > 0});
  }

  /// The file that a read must be checked with; kChecked where that is done.
  static constexpr std::uint32_t kChecked = ~std::uint32_t{0};
  std::uint32_t unchecked_file(std::size_t i) const { return reads_[i].file; }
  std::uint64_t unchecked_line(std::size_t i) const { return reads_[i].line; }
  /// To put right what a check found; as many letters as there are.
  char* mutable_bases(std::size_t i) { return text_.data() + reads_[i].bases; }
  void set_checked(std::size_t i, std::size_t name_length) {
    reads_[i].name_length = static_cast<std::uint32_t>(name_length);
    reads_[i].file = kChecked;
  }

  void clear() {
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
    std::uint32_t file = kChecked;
    bool has_qualities = false;
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
