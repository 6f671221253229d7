// Reads the sequences of a 2bit file, as UCSC has them for each genome.
//
//   with: const std::string& path                            // hg38.2bit
//   is_two_bit(path) == true
//   TwoBitContigs contigs(path);
//   while (const auto piece = contigs.next()) { ... }
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/read/fasta_stream.hpp"
#include "io/read/gzip/input_file.hpp"

namespace trawl::io {

/// Whether a regular file begins as 2bit does. False for files that cannot be read, and for "-".
bool is_two_bit(const std::string& path);

/// Versions 0 and 1, in either byte order. The letters are A, C, G, T and N; the mask (lower case) is left out, as for
/// FASTA. Throws InputError for damaged files, IoError.
class TwoBitContigs final : public ContigSource {
 public:
  explicit TwoBitContigs(const std::string& path);

  std::optional<ContigPiece> next() override;
  std::uint64_t consumed(std::uint64_t unused) const override;
  std::uint64_t expected_letters() const override { return 4 * file_.size(); }
  std::string warning() const override;

 private:
  struct Sequence {
    std::string name;
    std::uint64_t at = 0;  // in the file
  };
  struct Run {
    std::uint64_t begin = 0;
    std::uint64_t length = 0;
  };

  [[noreturn]] void fail(const std::string& what) const;
  std::uint64_t number(std::uint64_t& at, unsigned bytes = 4) const;
  std::string bytes_at(std::uint64_t at, std::uint64_t count) const;
  std::vector<std::uint64_t> numbers(std::uint64_t& at, std::uint64_t count) const;
  void begin(const Sequence& sequence);
  std::shared_ptr<const sequence::PackedLetters> letters(std::uint64_t count);

  InputFile file_;
  bool is_swapped_ = false;  // the other byte order
  std::vector<Sequence> sequences_;
  std::size_t next_ = 0;  // the one that comes next
  std::vector<std::string> empty_names_;
  // Of the sequence that is read:
  std::uint64_t length_ = 0;
  std::uint64_t done_ = 0;    // letters
  std::uint64_t at_ = 0;      // of the first letter, in the file
  std::vector<Run> unknown_;  // of N, by position
  std::size_t run_ = 0;       // the first that is not before done_
};

}  // namespace trawl::io
