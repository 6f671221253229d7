// Damage of ancient DNA: C that was deaminated is read as T, mostly near the 5' end of a fragment, where its strand was
// alone (Briggs et al. 2007, PNAS 104:14616). Base i from the end is beyond the double strand with probability
// l^(i + 1), and is then damaged with rate s, otherwise with rate d:
//   rate(i) = s l^(i + 1) + d (1 - l^(i + 1)) = INTERIOR + (FIRST - INTERIOR) (1 - DECAY)^i
// with FIRST = rate(0), DECAY = 1 - l and INTERIOR = d, as in mapDamage (Jonsson et al. 2013) and mapAD. A library of
// double strands shows the damage of the other strand as G read as A, i bases from the 3' end; one of single strands
// shows C read as T at both ends.
//
//   const DamageRates rates{.first = 0.31, .decay = 0.5, .interior = 0.01};
//   rates.at(0) == 0.31
//   rates.at(1) == 0.16
//   rates.at(24) < 0.0101
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <tuple>

#include "align/alignment.hpp"

namespace trawl::align {

/// The bases from an end of a fragment that have rates of their own; further ones have that of the last.
inline constexpr std::uint32_t kDamagedBases = 25;

struct DamageRates {
  double first = 0;  // 0: no damage
  double decay = 0;
  double interior = 0;
  bool single_stranded = false;  // the library
  bool estimated = false;        // the rates are to be found from the first reads

  bool on() const { return first > 0; }
  double at(std::uint32_t i) const;
};
/// Where rates cannot be estimated.
inline constexpr DamageRates kUsualDamage{.first = 0.3, .decay = 0.3, .interior = 0.01};

/// How often bases of the reference were read as damaged ones would be.
struct DamageCounts {
  using Counts = std::array<std::uint64_t, kDamagedBases>;
  DamageRates library{};        // not counted; off: nothing is counted
  Counts five_prime{};          // [i]: C of the reference at base i from the 5' end of a read
  Counts five_prime_damaged{};  // of them: read as T
  Counts three_prime{};         // [i]: G, or C of a library of single strands, at base i from the 3' end
  Counts three_prime_damaged{};

  /// Counts the primary alignment of a read with these bases, as in the file.
  void add(const AlignmentBatch& batch, const Alignment& primary, std::string_view bases, std::uint64_t times = 1);
  /// Those of the library, estimated; with fewer than 200 counts at the first and last base together, as they are.
  DamageRates rates() const;

  template <class Self>
  static auto members(Self& self) {
    return std::tie(self.five_prime, self.five_prime_damaged, self.three_prime, self.three_prime_damaged);
  }
};

}  // namespace trawl::align
