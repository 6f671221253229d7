// Many sequences of bases that are searched at once, each exactly. The cost of a search hardly grows with their number.
//
//   LiteralSet set({{0, "GATTACAGATTACA"}, {1, "ACGTACGTACGT"}});
//   std::vector<Hit> hits;
//   literal_scan(reference, set, {}, 0, reference.size(), hits);    // hits of ids 0 and 1
//
// Every literal ends with w grams of q letters: the gram that ends with the literal, the one that ends a letter earlier,
// and so on. If only every w-th gram of the text is looked up, one of these w is met wherever the literal occurs. A
// bitmap of hashed grams drops nearly all grams of the text; for those it keeps, a table lists the literals with that
// gram, which are then compared with the text. Literals are grouped by length, so that short ones do not make the grams
// of all others short.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "scan/find/wu_manber_program.hpp"
#include "sequence/reference.hpp"

namespace trawl::scan {

/// A sequence of A, C, G and T.
struct Literal {
  std::uint32_t id = 0;  // its hits are reported with this id
  std::string_view bases;
};

/// Different literals of similar lengths, and how their grams are looked up.
struct LiteralGroup {
  /// The longest gram, in letters; the largest step.
  static constexpr unsigned kLongestGram = 16;
  static constexpr unsigned kLargestStep = 4;

  struct Different {
    std::uint32_t length;  // letters
    std::uint32_t block;   // index of its first block in `blocks`
    std::uint32_t ids;     // index of its first id in `ids`
  };

  unsigned gram = 0;  // letters of a gram, 1 to kLongestGram
  unsigned step = 0;  // w: 1, 2 or 4; each literal has at least gram + step - 1 letters
  std::uint32_t longest = 0;
  std::vector<Different> literals;            // and one after the last
  std::vector<sequence::PlaneBlock> blocks;   // their letters; every literal begins with a new block
  std::vector<std::uint32_t> ids;

  std::size_t size() const { return literals.size() - 1; }
  /// The last 32 letters of a literal; letter i is bits 2 i and 2 i + 1 of the result, and the last one is letter 31.
  /// Bits before the literal are 0.
  std::uint64_t last_letters(std::size_t literal) const;
};

/// Sorts the literals into groups; equal ones are searched once.
std::vector<LiteralGroup> group_literals(std::vector<Literal> literals);

/// The literals of a group, and tables to look up grams of a text.
class LiteralTable {
 public:
  explicit LiteralTable(LiteralGroup group);

  unsigned gram() const { return group_.gram; }
  unsigned step() const { return group_.step; }

  /// Whether the bitmap has a gram with this code: letter i is bits 2 i and 2 i + 1. Sometimes true for others.
  bool may_have(std::uint32_t code) const {
    const std::uint32_t h = hash(code, bitmap_bits_);
    return (bitmap_[h / 64] >> (h % 64)) & 1;
  }
  /// For prefetching.
  const std::uint64_t* bitmap_word(std::uint32_t code) const { return &bitmap_[hash(code, bitmap_bits_) / 64]; }
  bool bitmap_is_large() const { return bitmap_bits_ > 21; }

  /// Appends the hits of the literals with this gram, if they occur where it ends at text position `gram_end`.
  void check(const sequence::Reference& reference, std::uint32_t code, std::uint64_t gram_end,
             std::vector<Hit>& hits) const;

 private:
  struct Entry {
    std::uint32_t code;     // of the gram
    std::uint32_t literal;  // its index, times kLargestStep, plus the number of its letters after the gram
  };

  static std::uint32_t hash(std::uint32_t code, unsigned bits) {
    return static_cast<std::uint32_t>((std::uint64_t{code} * 0x9E3779B97F4A7C15u) >> (64 - bits));
  }
  bool occurs(const sequence::Reference& reference, const LiteralGroup::Different& literal, std::uint64_t begin) const;

  LiteralGroup group_;
  unsigned bitmap_bits_;  // 2^bits bits
  unsigned bucket_bits_;  // 2^bits buckets
  std::vector<std::uint64_t> bitmap_;
  std::vector<std::uint32_t> buckets_;  // bucket b has the entries [buckets_[b], buckets_[b + 1])
  std::vector<Entry> entries_;
};

class LiteralSet {
 public:
  explicit LiteralSet(std::vector<Literal> literals);

  const std::vector<LiteralTable>& tables() const { return tables_; }

 private:
  std::vector<LiteralTable> tables_;
};

struct LiteralScanOptions {
  std::size_t most_hits = SIZE_MAX;  // stop after this many hits
  std::size_t room = SIZE_MAX;       // never hold many more hits than this
};

/// Appends every hit with an end in [begin, end) to `hits`, in no particular order, and returns `end`, or an earlier
/// position, as wu_manber_scan() does. Ambiguous letters match nothing.
std::uint64_t literal_scan(const sequence::Reference& reference, const LiteralSet& set,
                           const LiteralScanOptions& options, std::uint64_t begin, std::uint64_t end,
                           std::vector<Hit>& hits);

}  // namespace trawl::scan
