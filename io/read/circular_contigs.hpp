// Circular sequences of a reference: plasmids, mitochondria, bacteria. Their ends are repeated at the other side, so
// that what lies over the origin is found; place() then says which places are no repetition, and where they are. A
// sequence is circular if its name is given, or if its header says so (FastaHeader::circular).
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
#include <functional>
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
  /// `repeated`: how many letters are repeated on each side of a contig of a length.
  explicit Circles(std::function<std::uint64_t(std::uint64_t)> repeated) : repeated_(std::move(repeated)) {}

  void add(std::uint64_t contig, std::uint64_t length) {
    const std::lock_guard lock(changing_);
    lengths_[contig] = length;
  }
  /// The length of a circular contig, without the letters that are repeated.
  std::optional<std::uint64_t> length(std::uint64_t contig) const {
    const std::lock_guard lock(changing_);
    const auto found = lengths_.find(contig);
    return found == lengths_.end() ? std::nullopt : std::optional(found->second);
  }
  bool empty() const {
    const std::lock_guard lock(changing_);
    return lengths_.empty();
  }
  std::uint64_t repeated(std::uint64_t length) const { return repeated_(length); }
  /// How many letters were repeated in all contigs.
  std::uint64_t all_repeated() const {
    const std::lock_guard lock(changing_);
    std::uint64_t all = 0;
    for (const auto& [contig, length] : lengths_) {
      all += 2 * repeated_(length);
    }
    return all;
  }

  /// The start and end of a place in the contig, from those in the text. An end over the origin is larger than the
  /// length. Nothing: the place repeats another one.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> place(std::uint64_t contig, std::uint64_t start,
                                                               std::uint64_t end) const {
    const auto known = length(contig);
    if (!known) {
      return std::pair(start, end);
    }
    const std::uint64_t before = repeated_(*known);
    if (start < before || start - before >= *known) {
      return std::nullopt;
    }
    return std::pair(start - before, end - before);
  }

 private:
  std::function<std::uint64_t(std::uint64_t)> repeated_;
  mutable std::mutex changing_;
  std::unordered_map<std::uint64_t, std::uint64_t> lengths_;
};

/// Throws UsageError: --circular names a contig that does not exist.
[[noreturn]] void fail_without_contig(const std::string& name);

class CircularContigs final : public ContigSource {
 public:
  /// `names`: of circular contigs, beside those whose headers say so. `repeated`: as for Circles, or the same number
  /// for all. A circular contig is kept in memory while it is given.
  CircularContigs(std::unique_ptr<ContigSource> source, const std::vector<std::string>& names,
                  std::function<std::uint64_t(std::uint64_t)> repeated);
  CircularContigs(std::unique_ptr<ContigSource> source, const std::vector<std::string>& names, std::uint64_t repeated)
      : CircularContigs(std::move(source), names, [repeated](std::uint64_t) { return repeated; }) {}

  /// Throws also UsageError at the end, for a name that no contig has.
  std::optional<ContigPiece> next() override;
  std::uint64_t consumed(std::uint64_t) const override { return source_->consumed(0); }
  std::uint64_t expected_letters() const override { return source_->expected_letters(); }
  std::string warning() const override { return source_->warning(); }

  std::shared_ptr<const Circles> circles() const { return circles_; }

 private:
  std::optional<ContigPiece> take();
  void read_circle(ContigPiece first);
  void give(const std::vector<ContigPiece>& circle, std::uint64_t begin, std::uint64_t count);

  std::unique_ptr<ContigSource> source_;
  std::set<std::string> names_;  // that no contig had so far
  std::shared_ptr<Circles> circles_;
  std::uint64_t contigs_ = 0;
  bool is_at_end_ = false;            // of the source
  std::optional<ContigPiece> after_;  // the piece after a circle, read to see where the circle ends
  std::deque<ContigPiece> circle_;    // what is to be given of the latest circle
};

}  // namespace trawl::io
