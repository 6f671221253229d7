// Reads FASTA. The text is parsed in blocks, by several threads; this joins the blocks in order.
//
//   FastaStream stream("genome.fa", {.threads = 8});
//   while (const auto piece = stream.next()) { ... }   // the first one of chr1: piece->start->name == "chr1"
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "io/read/fasta_block.hpp"
#include "io/read/text_blocks.hpp"
#include "sequence/packed_letters.hpp"
#include "sequence/reference.hpp"

namespace trawl::io {

/// Letters of a contig, those after the piece before. They may be held as long as their source lives; they keep a block
/// of text in memory.
struct ContigPiece {
  /// A contig that begins with this piece. `name` is its header up to the first white space.
  struct Start {
    std::string name;
    sequence::Topology topology;
  };

  std::optional<Start> start;
  std::shared_ptr<const sequence::PackedLetters> letters;
  std::uint64_t begin = 0;  // in the letters
  std::uint64_t count = 0;  // at least one
};

/// Gives the sequences of a reference that have letters, in order.
class ContigSource {
 public:
  virtual ~ContigSource() = default;
  /// The next piece; nothing at the end.
  virtual std::optional<ContigPiece> next() = 0;
  /// Bytes of the input used so far, without those of the last `unused` letters.
  virtual std::uint64_t consumed(std::uint64_t unused) const = 0;
  /// About how many letters there are in all, judged from the part that was read; 0 if that is not known.
  virtual std::uint64_t expected_letters() const { return 0; }
  /// At the end: one line about what was left out; "" if nothing was.
  virtual std::string warning() const = 0;
};

/// The line about sequences that are left out because they have no letters: SAM cannot have such contigs. Names at most
/// `most` of them; "" if there are none.
std::string empty_sequences_warning(const std::string& file, const std::vector<std::string>& names, std::size_t most);

class FastaStream final : public ContigSource {
 public:
  /// A plain, gzip or BGZF file, or the standard input ("-"). Throws IoError.
  FastaStream(const std::string& path, const TextOptions& options)
      : FastaStream(std::make_unique<InputFile>(path), options) {}
  /// A file that is open, and of which nothing was read.
  FastaStream(std::unique_ptr<InputFile> file, const TextOptions& options);

  /// Throws InputError (with the line) or IoError. A file without a sequence is an InputError at its end.
  std::optional<ContigPiece> next() override;

  std::uint64_t consumed(std::uint64_t unused = 0) const override;
  std::uint64_t expected_letters() const override;
  std::string warning() const override;

 private:
  // What the text so far ends with.
  struct TextEnd {
    enum class In { start, header, letters, blanks };

    std::uint64_t line = 1;  // in which it ends
    In in = In::start;
    char blank = ' ';    // the first of the blanks at its end
    std::string header;  // the part of a header that is in earlier blocks, with its '>'
  };
  struct LatestBlock {
    std::uint64_t bytes_before = 0;  // of the file
    std::uint64_t bytes = 0;         // with this block
    std::uint64_t letters = 0;
  };

  [[noreturn]] void fail(std::uint64_t line, const std::string& what) const;
  [[noreturn]] void fail_nameless(std::uint64_t line, char first) const;
  [[noreturn]] void fail_letter(std::uint64_t line, char letter) const;
  bool read_block();
  void join(const std::shared_ptr<FastaBlock>& block);
  void join_head(const std::shared_ptr<FastaBlock>& block);
  void join_rest(const std::shared_ptr<FastaBlock>& block);
  void begin_sequence(const FastaHeader& header, std::uint64_t line);
  void add(const std::shared_ptr<FastaBlock>& block, std::uint64_t begin, std::uint64_t end);
  void close_sequence();

  std::optional<std::uint64_t> file_size_;
  TextBlocks blocks_;
  std::uint64_t text_size_ = 0;  // characters so far
  LatestBlock block_;
  std::deque<ContigPiece> pieces_;  // of it, that wait for next()
  std::exception_ptr failure_;      // after them
  TextEnd end_;

  std::optional<ContigPiece::Start> latest_;  // sequence
  bool is_empty_ = true;                      // it has no letters yet
  std::unordered_set<std::string> names_;
  std::vector<std::string> empty_names_;
  // Of names that SAM does not allow.
  struct {
    bool wanted = false;
    std::size_t count = 0;
    std::string first = {};  // "A(H5) is now A_H5_"
  } renaming_;
};

}  // namespace trawl::io
