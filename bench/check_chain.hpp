// The chain of a split read: its primary record and its supplementary ones, and their tags SA.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/sam_records.hpp"

namespace trawl::bench {

/// The bases [begin, end) of a strand, or of a read.
struct Piece {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  std::uint64_t length() const { return end - begin; }
  bool contains(const Piece& other) const { return begin <= other.begin && other.end <= end; }
};

/// Collects the records of one read:
///
///   chain.clear();
///   chain.add(record, {0, 100}, 150);   // for each: its piece of the strand, and the length of the read
///   chain.fault();                      // after the last one: what is wrong, or nothing
///
/// Each tag SA must list the other records of the chain, the primary one first; other records have none. The piece of
/// a supplementary record has at least 30 bases, and lies in one of the ends that the primary record leaves out.
class Chain {
 public:
  void clear();
  void add(const SamRecord& record, const Piece& piece, std::uint64_t read_length);
  bool has_supplementary() const { return links_.size() > 1; }
  std::optional<std::string> fault() const;

 private:
  struct Link {
    std::string text;  // as in another record's SA
    std::string others;
    Piece piece;  // in the order of the read
  };

  std::vector<Link> links_;
  std::uint64_t read_length_ = 0;
  bool secondary_has_others_ = false;
};

}  // namespace trawl::bench
