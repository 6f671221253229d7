#include "scan/melting.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "sequence/alphabet.hpp"

namespace trawl::scan {
namespace {

// Enthalpy in kcal/mol and entropy in cal/(mol K), at 1 M NaCl.
struct Heat {
  double enthalpy = 0;
  double entropy = 0;

  Heat& operator+=(const Heat& other) {
    enthalpy += other.enthalpy;
    entropy += other.entropy;
    return *this;
  }
};

// SantaLucia 1998, table 2. Rows: a base (A, C, G, T); columns: the base after it on the same strand. Each pair of
// neighbours and its reverse complement are the same.
constexpr Heat kNeighbours[4][4] = {
    //  AA              AC              AG              AT
    {{-7.9, -22.2}, {-8.4, -22.4}, {-7.8, -21.0}, {-7.2, -20.4}},
    //  CA              CC              CG               CT
    {{-8.5, -22.7}, {-8.0, -19.9}, {-10.6, -27.2}, {-7.8, -21.0}},
    //  GA              GC              GG              GT
    {{-8.2, -22.2}, {-9.8, -24.4}, {-8.0, -19.9}, {-8.4, -22.4}},
    //  TA              TC              TG              TT
    {{-7.2, -21.3}, {-8.2, -22.2}, {-8.5, -22.7}, {-7.9, -22.2}}};
constexpr Heat kEndWithAT{2.3, 4.1};
constexpr Heat kEndWithGC{0.1, -2.8};
constexpr double kSymmetry = -1.4;  // entropy of a strand that is its own reverse complement

constexpr double kSaltFactor = 0.368;     // entropy for each phosphate of a strand and ln [Na+]
constexpr double kMagnesiumFactor = 120;  // von Ahsen 2001: [Na+] in mM = that of monovalent ions + 120 sqrt([Mg2+])
constexpr double kGasConstant = 1.987;    // cal/(mol K)
constexpr double kZeroCelsius = 273.15;
constexpr double kBodyHeat = 310.15;

// The mean of use(base) over the bases of a set.
template <class Use>
Heat mean_of(std::uint8_t set, Use&& use) {
  Heat sum;
  for (unsigned base = 0; base < 4; ++base) {
    if ((set >> base & 1) != 0) {
      sum += use(base);
    }
  }
  const double count = std::max(std::popcount(set), 1);
  return {sum.enthalpy / count, sum.entropy / count};
}

Heat end_of(std::uint8_t set) {
  return mean_of(set, [](unsigned base) { return base == 1 || base == 2 ? kEndWithGC : kEndWithAT; });
}

Heat duplex_heat(std::span<const std::uint8_t> sets, const MeltingConditions& conditions) {
  Heat sum;
  if (sets.empty()) {
    return sum;
  }
  sum += end_of(sets.front());
  sum += end_of(sets.back());
  for (std::size_t i = 1; i < sets.size(); ++i) {
    sum += mean_of(sets[i - 1], [&](unsigned first) {
      return mean_of(sets[i], [&](unsigned second) { return kNeighbours[first][second]; });
    });
  }
  sum.entropy += kSaltFactor * static_cast<double>(sets.size() - 1) * std::log(conditions.sodium() / 1000);
  return sum;
}

std::vector<std::uint8_t> sets_of(std::string_view bases) {
  std::vector<std::uint8_t> sets(bases.size());
  std::transform(bases.begin(), bases.end(), sets.begin(), sequence::iupac_set);
  return sets;
}

}  // namespace

double MeltingConditions::sodium() const {
  return monovalent + kMagnesiumFactor * std::sqrt(std::max(divalent - dntp, 0.0));
}

double melting_temperature(std::string_view bases, const MeltingConditions& conditions) {
  Heat heat = duplex_heat(sets_of(bases), conditions);
  const bool is_symmetric = sequence::reverse_complement(bases) == bases;
  if (is_symmetric) {
    heat.entropy += kSymmetry;
  }
  const double molar = conditions.strands * 1e-9 / (is_symmetric ? 1 : 4);
  return 1000 * heat.enthalpy / (heat.entropy + kGasConstant * std::log(molar)) - kZeroCelsius;
}

double duplex_energy(std::span<const std::uint8_t> sets, const MeltingConditions& conditions) {
  Heat heat = duplex_heat(sets, conditions);
  if (std::equal(sets.begin(), sets.end(), sets.rbegin(),
                 [](std::uint8_t a, std::uint8_t b) { return a == sequence::complement_set(b); })) {
    heat.entropy += kSymmetry;
  }
  return heat.enthalpy - kBodyHeat * heat.entropy / 1000;
}

double gc_share(std::string_view bases) {
  double sum = 0;
  for (const char letter : bases) {
    const std::uint8_t set = sequence::iupac_set(letter);
    sum += static_cast<double>(std::popcount(static_cast<unsigned>(set & 0b0110))) /
           std::max(std::popcount(static_cast<unsigned>(set)), 1);
  }
  return bases.empty() ? 0 : sum / static_cast<double>(bases.size());
}

}  // namespace trawl::scan
