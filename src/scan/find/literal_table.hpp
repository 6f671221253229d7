// Many sequences of bases that are searched at once, each exactly. The cost of a search hardly grows with their number.
//
//   with: const sequence::Reference reference = reference_of("CCGATTACAGATTACACC")
//   const auto tables = make_literal_tables({{0, "GATTACAGATTACA"}, {1, "ACGTACGTACGT"}});
//   std::vector<Hit> hits;
//   literal_scan(reference, tables, {}, 0, reference.size(), hits);
//   hits[0].end == sequence::kContigGap + 15
//   hits[0].id == 0
//
// One of every w grams of q letters in a row is taken (text_grams.hpp), in the text and in the literals: the same one
// wherever a literal occurs. So it is enough to look up these grams of the text, about 2 of w + 1, in a bitmap of one
// gram of each literal, that of its last window. Where it has a gram, literals may end with the windows that the gram
// was taken for: a table lists the literals by their last letters, and they are compared with the text. (Listed by
// their grams, too many would have to be compared in repeats, which have the same grams again and again.) Literals are
// grouped by length, so that short ones do not make the grams of all others short.
//
// In a large set each step of a look-up misses the cache. So each step is done for many places at a time, and asks for
// the memory that the next one reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "scan/find/literal_group.hpp"
#include "scan/find/text_grams.hpp"
#include "scan/find/wu_manber_program.hpp"
#include "sequence/huge_array.hpp"
#include "sequence/reference.hpp"

namespace trawl::scan {

/// Literals of similar lengths, and tables to look up grams of a text.
class LiteralTable {
 public:
  /// Equal literals may have several ids. `literals` is not needed afterwards. `most_unknown`: the most ambiguous
  /// letters that a literal may have in the text. More than 0 is for literals whose hits are checked afterwards: such a
  /// letter stands for any one base, and a few hits have more of these letters. Each literal has plan.letters() letters
  /// or more.
  LiteralTable(std::span<const Literal> literals, unsigned most_unknown, const GramPlan& plan);
  LiteralTable(std::span<const Literal> literals, unsigned most_unknown);

  /// How grams are chosen: what costs least for this number of literals of at least `shortest` letters.
  static GramPlan choose_plan(std::uint64_t literals, std::uint32_t shortest);

  /// What a search works in; it may be used again.
  struct Room {
    struct Place {
      std::uint32_t offset;  // in the PackedText
      std::uint32_t bucket;
    };
    TextGrams grams;
    std::uint64_t hashes[TextGrams::kMostGrams];
    std::uint16_t passed[TextGrams::kMostGrams];
    Place places[TextGrams::kMostWindows];
  };

  /// Appends the hits of literals that end at an offset in [first, last) of `text`, at most PackedText::kMost offsets.
  /// The text must begin at the reference's start, or kBefore letters before `first`. Stops after `most` hits, and
  /// returns false if there may be more.
  bool search(const sequence::Reference& reference, const PackedText& text, std::uint64_t first, std::uint64_t last,
              std::size_t most, Room& room, std::vector<Hit>& hits) const;

  /// For a table of literals that all have the same number of letters, at most 32, with a window of 1: whether one of
  /// them may be this word, as last_letters_of(); and the ids of those that are. First ask for the memory of many.
  void fetch_gram(std::uint64_t word) const { __builtin_prefetch(&bitmap_[hash_of(word) >> word_shift_]); }
  bool may_have_gram(std::uint64_t word) const { return may_have(hash_of(word)); }
  void fetch_bucket(std::uint64_t word) const { __builtin_prefetch(&buckets_[bucket_of(word)]); }
  template <class Use>
  void for_equal(std::uint64_t word, const Use& use) const {
    const std::uint32_t bucket = bucket_of(word);
    for (std::uint32_t i = buckets_[bucket]; i < buckets_[bucket + 1]; ++i) {
      if (known_[i].last == word) {
        use(known_[i].id);
      }
    }
  }

 private:
  // What a comparison reads of a literal.
  struct Known {
    std::uint64_t last;  // last_letters_of()
    std::uint32_t length;
    std::uint32_t id;  // of a literal with more than 32 letters: its index in long_
  };
  struct Long {
    std::uint32_t id;
    std::uint32_t block;  // index of its first block in blocks_
  };

  std::uint64_t hash(std::uint32_t gram) const { return gram * factor_; }
  std::uint64_t hash_of(std::uint64_t word) const {
    return hash(static_cast<std::uint32_t>(word >> (64 - 2 * plan_.gram)));
  }
  // Whether the bitmap has the gram with this hash. Sometimes true for others.
  bool may_have(std::uint64_t hash) const {
    const std::uint64_t word = bitmap_[hash >> word_shift_];
    return ((word >> (hash >> first_bit_ & 63)) & (word >> (hash >> second_bit_ & 63)) & 1) != 0;
  }
  std::uint32_t bucket_of(std::uint64_t last) const {
    // Multiplied once only, literals of repeats, which differ in a letter or two, would often share a bucket.
    std::uint64_t h = (last >> key_shift_) * 0x9E3779B97F4A7C15u;
    h = (h ^ h >> 32) * 0xD6E8FEB86659FD93u;
    return static_cast<std::uint32_t>(h >> bucket_shift_);
  }
  void make_buckets(std::span<const Literal> literals);
  void make_bitmap();
  template <class Use>
  void for_grams(std::uint64_t last, const Use& use) const;
  std::size_t find_passed(const PackedText& text, std::uint64_t first, Room& room) const;
  bool compare(const sequence::Reference& reference, const PackedText& text, std::size_t count, std::size_t most,
               const Room& room, std::vector<Hit>& hits) const;
  bool occurs(const sequence::Reference& reference, const Known& known, std::uint64_t begin) const;

  unsigned most_unknown_;
  GramPlan plan_;
  // The hash of a gram chooses a word of the bitmap and two of its bits.
  std::uint64_t factor_ = 0;
  unsigned word_shift_ = 0, first_bit_ = 0, second_bit_ = 0;
  bool bitmap_is_large_ = false;
  sequence::HugeArray<std::uint64_t> bitmap_;
  // The last letters that all literals have, up to 32, choose a bucket.
  unsigned key_shift_ = 0;
  unsigned bucket_shift_ = 0;
  sequence::HugeArray<std::uint32_t> buckets_;  // bucket b has the literals [buckets_[b], buckets_[b + 1]) of known_
  sequence::HugeArray<Known> known_;
  std::vector<Long> long_;
  std::vector<sequence::PlaneBlock> blocks_;
};

/// Both bits of those of the last 32 letters up to `end` that are ambiguous, as last_letters_of().
std::uint64_t unknown_letters(const sequence::Reference& reference, std::uint64_t end);

std::vector<LiteralTable> make_literal_tables(const std::vector<Literal>& literals, unsigned most_unknown = 0);

/// Appends every hit with an end in [begin, end) to `hits`, in no particular order, and returns `end`, or an earlier
/// position, as wu_manber_scan() does.
std::uint64_t literal_scan(const sequence::Reference& reference, std::span<const LiteralTable> tables,
                           const HitRoom& options, std::uint64_t begin, std::uint64_t end, std::vector<Hit>& hits);

}  // namespace trawl::scan
