// Many sequences of bases that are searched at once, each exactly. The cost of a search hardly grows with their number.
//
//   LiteralSet set({{0, "GATTACAGATTACA"}, {1, "ACGTACGTACGT"}});
//   std::vector<Hit> hits;
//   literal_scan(reference, set, {}, 0, reference.size(), hits);    // hits of ids 0 and 1
//
// Every literal ends with w grams of q letters: the gram that ends with the literal, the one that ends a letter
// earlier, and so on. If only every w-th gram of the text is looked up, one of these w is met wherever the literal
// occurs. A bitmap of hashed grams drops nearly all grams of the text; for those it keeps, a table lists the literals
// with that gram, which are then compared with the text. Literals are grouped by length, so that short ones do not make
// the grams of all others short.
//
// In a large set each step of a look-up misses the cache. So the steps are done for many grams at a time, and each step
// asks for the memory that the next one reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "scan/find/literal_group.hpp"
#include "scan/find/wu_manber_program.hpp"
#include "sequence/huge_array.hpp"
#include "sequence/reference.hpp"

namespace trawl::scan {

/// The letters of a stretch of the text, 2 bits each.
class PackedText {
 public:
  /// The most positions of a stretch, and how many more may be before it.
  static constexpr std::uint64_t kMost = 4096;
  static constexpr std::uint64_t kBefore = 64;

  /// Loads the positions from `begin`, a multiple of 64, to `end`, at most kMost + 2 kBefore.
  void load(const sequence::Reference& reference, std::uint64_t begin, std::uint64_t end);

  std::uint64_t begin() const { return begin_; }
  /// The letters from offset i on; at least 29 of them.
  std::uint64_t letters(std::uint64_t i) const {
    std::uint64_t word;
    __builtin_memcpy(&word, reinterpret_cast<const char*>(words_) + i / 4, sizeof word);
    return word >> (2 * (i % 4));
  }
  /// The 32 letters that end at offset i, as LiteralGroup::last_letters(). What is before `begin` is not known.
  std::uint64_t last_letters(std::uint64_t i) const {
    const std::uint64_t w = i / 32;
    const auto shift = static_cast<unsigned>(2 * (31 - i % 32));
    return words_[w] << shift | (shift > 0 && w > 0 ? words_[w - 1] >> (64 - shift) : 0);
  }
  /// Whether all of the stretch is A, C, G and T.
  bool is_plain() const { return is_plain_; }

 private:
  std::uint64_t begin_ = 0;
  bool is_plain_ = true;
  std::uint64_t words_[2 * (kMost / 64 + 4)] = {};
};

/// A gram of the text that may be one of a literal.
struct GramAt {
  std::uint32_t offset;  // in the PackedText
  std::uint32_t code;    // letter i is bits 2 i and 2 i + 1
};

/// The literals of a group, and tables to look up grams of a text.
class LiteralTable {
 public:
  explicit LiteralTable(LiteralGroup group);

  unsigned gram() const { return group_.gram; }
  unsigned step() const { return group_.step; }

  /// Whether the bitmap has a gram. Sometimes true for others.
  bool may_have(std::uint32_t code) const {
    const std::uint32_t h = hash(code) >> (32 - bitmap_bits_);
    return (bitmap_[h / 64] >> (h % 64)) & 1;
  }
  /// For prefetching.
  const std::uint64_t* bitmap_word(std::uint32_t code) const {
    return &bitmap_[(hash(code) >> (32 - bitmap_bits_)) / 64];
  }
  bool bitmap_is_large() const { return bitmap_bits_ > 21; }

  /// Appends the hits of the literals that have one of these grams, if they occur there. Stops after `most` of them,
  /// and returns false if there may be more.
  bool check(const sequence::Reference& reference, const PackedText& text, std::span<const GramAt> grams,
             std::size_t most, std::vector<Hit>& hits) const;

 private:
  // What a comparison reads of a literal.
  struct Known {
    std::uint64_t last;    // LiteralGroup::last_letters()
    std::uint32_t length;  // plus kSeveral if it has several ids
    std::uint32_t id;
  };
  static constexpr std::uint32_t kSeveral = std::uint32_t{1} << 31;

  static std::uint32_t hash(std::uint32_t code) {
    return static_cast<std::uint32_t>((std::uint64_t{code} * 0x9E3779B97F4A7C15u) >> 32);
  }
  void make_known();
  void make_tables();
  bool occurs(const sequence::Reference& reference, const LiteralGroup::Different& literal, std::uint64_t begin) const;

  LiteralGroup group_;
  sequence::HugeArray<Known> known_;
  unsigned bitmap_bits_;  // 2^bits bits
  unsigned bucket_bits_;  // 2^bits buckets
  sequence::HugeArray<std::uint64_t> bitmap_;
  sequence::HugeArray<std::uint32_t> buckets_;  // bucket b has the entries [buckets_[b], buckets_[b + 1])
  sequence::HugeArray<std::uint32_t> entries_;  // literal times kLargestStep, plus the number of letters after the gram
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
