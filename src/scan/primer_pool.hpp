// The primers of a search for products, and which of them belong together.
//
//   split_primer_name("nCoV-2019_7_LEFT_alt0").amplicon == "nCoV-2019_7"
//   split_primer_name("EMX1-R").side == PrimerSide::right
//
//   PrimerPool pool;
//   pool.add({"a_LEFT", "ACGTTGCA"}, {.amplicon = pool.amplicon("a"), .side = PrimerSide::left});
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sequence/pattern.hpp"

namespace trawl::scan {

enum class PrimerSide : std::uint8_t { unknown, left, right };

/// Where a primer should bind.
struct PrimerPlace {
  std::uint64_t contig = 0;  // its number in the reference
  std::uint64_t start = 0;   // 0-based
  std::uint64_t end = 0;
  std::uint64_t circle = 0;  // the length of the contig if it is circular

  bool overlaps(std::uint64_t other_contig, std::uint64_t other_start, std::uint64_t other_end) const {
    const auto meets = [&](std::uint64_t shift, std::uint64_t other_shift) {
      return start + shift < other_end + other_shift && other_start + other_shift < end + shift;
    };
    return contig == other_contig && (meets(0, 0) || (circle > 0 && (meets(circle, 0) || meets(0, circle))));
  }
};

struct Primer {
  std::optional<std::uint32_t> amplicon = {};
  PrimerSide side = PrimerSide::unknown;
  std::optional<std::uint32_t> pool = {};  // the tube
  std::optional<PrimerPlace> place = {};

  /// Whether a locus is at the primer's own place.
  bool is_place(std::uint64_t contig, std::uint64_t start, std::uint64_t end, bool reverse) const {
    return place && reverse == (side == PrimerSide::right) && place->overlaps(contig, start, end);
  }
};

/// What a name says about a primer.
struct PrimerName {
  std::string amplicon = {};  // "": nothing
  PrimerSide side = PrimerSide::unknown;
  bool is_probe = false;
};

/// The amplicon is what is before LEFT, RIGHT, FORWARD, REVERSE, FWD, REV, F or R, in any case and as a word of its
/// own, and what is after it, unless that is a number or "alt". If there is no such word: what is before L, LOWER, U or
/// UPPER, or before one of all these words with a number (R1), and what is in a word with a number and L, F or R
/// (M13F).
PrimerName split_primer_name(std::string_view name);

/// Which primers are combined.
enum class Combine {
  pair,  // those of one amplicon
  pool,  // those of one pool; without pools, all
  all,
};

/// Each primer is a pattern.
class PrimerPool {
 public:
  /// A new amplicon, even if there is one with this name.
  std::uint32_t new_amplicon(std::string_view name) {
    amplicons_.emplace_back(name);
    return static_cast<std::uint32_t>(amplicons_.size() - 1);
  }
  /// The number of an amplicon or a pool; a new one if the name is new.
  std::uint32_t amplicon(std::string_view name) { return number_of(name, amplicon_numbers_, amplicons_); }
  std::uint32_t pool(std::string_view name) { return number_of(name, pool_numbers_, pools_); }

  void add(const sequence::Pattern& pattern, const Primer& primer) {
    patterns_.add(pattern.name, pattern.bases);
    primers_.push_back(primer);
  }
  /// Says that a contig is circular.
  void set_circle(std::uint64_t contig, std::uint64_t length) {
    for (Primer& primer : primers_) {
      if (primer.place && primer.place->contig == contig) {
        primer.place->circle = length;
      }
    }
  }
  /// Keeps the primers for which `keeps(i)`.
  template <class Keeps>
  void keep(Keeps&& keeps) {
    sequence::PatternList patterns;
    std::vector<Primer> primers;
    for (std::size_t i = 0; i < primers_.size(); ++i) {
      if (keeps(i)) {
        patterns.add(patterns_[i].name, patterns_[i].bases);
        primers.push_back(primers_[i]);
      }
    }
    patterns_ = std::move(patterns);
    primers_ = std::move(primers);
  }

  const sequence::PatternList& patterns() const { return patterns_; }
  std::size_t size() const { return primers_.size(); }
  const Primer& operator[](std::size_t i) const { return primers_[i]; }
  const std::vector<std::string>& amplicons() const { return amplicons_; }
  const std::vector<std::string>& pools() const { return pools_; }

  /// Rows of pairs: their primers have the names of the pairs. Two equal primers of a pair are one.
  bool is_table_of_pairs = false;
  /// How they are combined unless the user says it.
  Combine combine = Combine::pool;

  /// The primers that are combined have the same number; from 0.
  std::vector<std::uint32_t> groups(Combine how) const;

  /// Whether an amplicon should have a product of these two, on the left and on the right.
  bool are_partners(std::uint32_t left, std::uint32_t right) const {
    const Primer& one = primers_[left];
    const Primer& other = primers_[right];
    return one.amplicon && one.amplicon == other.amplicon && one.pool == other.pool && one.side != other.side &&
           one.side != PrimerSide::unknown && other.side != PrimerSide::unknown;
  }

 private:
  using Numbers = std::unordered_map<std::string, std::uint32_t>;

  static std::uint32_t number_of(std::string_view name, Numbers& numbers, std::vector<std::string>& names) {
    const auto [place, is_new] = numbers.emplace(name, static_cast<std::uint32_t>(names.size()));
    if (is_new) {
      names.emplace_back(name);
    }
    return place->second;
  }

  sequence::PatternList patterns_;
  std::vector<Primer> primers_;
  std::vector<std::string> amplicons_;
  std::vector<std::string> pools_;
  Numbers amplicon_numbers_;
  Numbers pool_numbers_;
};

}  // namespace trawl::scan
