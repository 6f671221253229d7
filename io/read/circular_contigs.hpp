// Circular sequences of a reference: plasmids, mitochondria, bacteria. Their ends are repeated at the other side, so
// that what lies over the origin is found; places() then says which places are no repetition, and where they are.
//
//   with: std::unique_ptr<ContigSource> fasta
//   auto source = std::make_unique<CircularContigs>(std::move(fasta), std::vector<std::string>{"chrM"}, 100);
//   const auto circles = source->circles();
//   // chrM, 16569 bases, is given with 100 letters before it and 100 after it
//   circles->place(0, 100, 120) == std::pair<std::uint64_t, std::uint64_t>{0, 20}
//   circles->place(0, 16660, 16680) == std::pair<std::uint64_t, std::uint64_t>{16560, 16580}   // over the origin
//   circles->place(0, 16669, 16689) == std::nullopt                                            // the first one again
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "io/read/fasta_stream.hpp"

namespace trawl::io {

/// What is known of the circular sequences so far. Threads may ask while others are read.
class Circles {
 public:
  explicit Circles(std::uint64_t repeated) : repeated_(repeated) {}

  void add(std::uint64_t contig, std::uint64_t length) {
    const std::lock_guard lock(changing_);
    lengths_[contig] = length;
  }
  /// Of a circular contig without the letters that are repeated.
  std::optional<std::uint64_t> length(std::uint64_t contig) const {
    const std::lock_guard lock(changing_);
    const auto found = lengths_.find(contig);
    return found == lengths_.end() ? std::nullopt : std::optional(found->second);
  }
  /// How many letters are repeated on each side.
  std::uint64_t repeated() const { return repeated_; }
  /// How many were repeated in all contigs.
  std::uint64_t all_repeated() const {
    const std::lock_guard lock(changing_);
    return 2 * repeated_ * lengths_.size();
  }

  /// The start and end of a place in the contig, from those in the text. An end over the origin is larger than the
  /// length. Nothing: another place is the same one.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> place(std::uint64_t contig, std::uint64_t start,
                                                               std::uint64_t end) const {
    const auto known = length(contig);
    if (!known) {
      return std::pair(start, end);
    }
    if (start < repeated_ || start - repeated_ >= *known) {
      return std::nullopt;
    }
    return std::pair(start - repeated_, end - repeated_);
  }

 private:
  std::uint64_t repeated_;
  mutable std::mutex changing_;
  std::unordered_map<std::uint64_t, std::uint64_t> lengths_;
};

class CircularContigs final : public ContigSource, private FastaHandler {
 public:
  /// `names`: of the circular contigs. A circular contig is kept in memory while it is given.
  CircularContigs(std::unique_ptr<ContigSource> source, const std::vector<std::string>& names, std::uint64_t repeated);

  /// Throws also UsageError at the end, for a name that no contig has.
  bool step(FastaHandler& handler) override;
  std::uint64_t consumed(std::uint64_t) const override { return source_->consumed(0); }
  std::string warning() const override { return source_->warning(); }

  std::shared_ptr<const Circles> circles() const { return circles_; }

 private:
  struct Piece {
    std::shared_ptr<const sequence::PackedLetters> letters;
    std::uint64_t begin = 0;
    std::uint64_t count = 0;
  };

  void begin_contig(const std::string& name) override;
  void append(const std::shared_ptr<const sequence::PackedLetters>& letters, std::uint64_t begin,
              std::uint64_t count) override;
  void give_circle();
  void give(std::uint64_t begin, std::uint64_t count);

  std::unique_ptr<ContigSource> source_;
  std::set<std::string> names_;  // that no contig had so far
  std::shared_ptr<Circles> circles_;
  FastaHandler* handler_ = nullptr;
  std::uint64_t contigs_ = 0;
  bool is_circle_ = false;  // the latest contig, whose letters wait:
  std::deque<Piece> pieces_;
  std::uint64_t length_ = 0;
};

}  // namespace trawl::io
