// Sequences of bases that are to be searched together, each exactly: equal ones once, and grouped by their lengths.
//
//   const auto groups = group_literals({{0, "GATTACAGATTACA"}, {1, "ACGT"}, {2, "ACGT"}});
//   groups[0].size() == 1      // ids 1 and 2 are the same literal
//   groups[0].ids == {1, 2}
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sequence/huge_array.hpp"
#include "sequence/reference.hpp"

namespace trawl::scan {

/// A sequence of A, C, G and T.
struct Literal {
  std::uint32_t id = 0;  // its hits are reported with this id
  std::string_view bases;
};

/// Different literals of similar lengths.
struct LiteralGroup {
  /// The longest gram that is looked up, in letters.
  static constexpr unsigned kLongestGram = 16;

  struct Different {
    std::uint32_t length;  // letters
    std::uint32_t block;   // index of its first block in `blocks`
    std::uint32_t ids;     // index of its first id in `ids`
  };

  std::uint32_t shortest = 0;
  std::uint32_t longest = 0;
  std::vector<Different> literals;           // and one after the last
  std::vector<sequence::PlaneBlock> blocks;  // their letters; every literal begins with a new block
  std::vector<std::uint32_t> ids;

  std::size_t size() const { return literals.size() - 1; }
};

/// The last 32 letters of a literal; letter i is bits 2 i and 2 i + 1 of the result, and the last one is letter 31.
/// Bits before the literal are 0.
std::uint64_t last_letters_of(std::string_view bases);

/// The letters of a literal in blocks of 64, appended.
void append_blocks(std::string_view bases, std::vector<sequence::PlaneBlock>& blocks);

/// The literals in the order of their groups, which have similar lengths, the shortest first; group g is [first[g],
/// first[g + 1]), and may be empty.
sequence::HugeArray<Literal> sort_by_group(const std::vector<Literal>& literals, std::vector<std::uint64_t>& first);

/// Sorts the literals into groups, the shortest first, on all threads. Within a group their order means nothing, but it
/// depends on the literals only.
std::vector<LiteralGroup> group_literals(const std::vector<Literal>& literals);

}  // namespace trawl::scan
