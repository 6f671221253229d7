// How strongly a primer binds: the nearest-neighbour model of SantaLucia 1998 (PNAS 95, 1460: the unified parameters of
// table 2, and its salt correction), with magnesium counted as von Ahsen et al. 2001 (Clin Chem 47, 1956) do.
//
//   const MeltingConditions conditions{.monovalent = 50, .divalent = 0, .dntp = 0, .strands = 50};
//   const double tm = melting_temperature("ACCAACCAACTTTCGATCTCTTGT", conditions);
//   tm > 54.7 && tm < 54.72                                           // in degrees Celsius
//   const std::vector<std::uint8_t> cgttga{2, 4, 8, 8, 4, 1};
//   duplex_energy(cgttga, {.monovalent = 1000, .divalent = 0, .dntp = 0}) < -5.2   // kcal/mol at 37 degrees
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace trawl::scan {

struct MeltingConditions {
  double monovalent = 50;  // mM of Na+ and K+
  double divalent = 1.5;   // mM of Mg2+
  double dntp = 0.6;       // mM: they bind as much of the magnesium
  double strands = 50;     // nM of all strands that take part

  /// mM of Na+ with the same effect.
  double sodium() const;
};

/// The melting temperature of a primer and its exact complement, in degrees Celsius. `bases`: IUPAC letters; where one
/// stands for several bases, the mean of the possible neighbours counts. A primer that is its own reverse complement
/// binds itself.
double melting_temperature(std::string_view bases, const MeltingConditions& conditions);

/// The free energy of a duplex at 37 degrees in kcal/mol; a more stable one has a smaller value. `sets`: one strand as
/// sets of bases (sequence::iupac_set()), from its 5' end. One that is its own reverse complement is less stable.
double duplex_energy(std::span<const std::uint8_t> sets, const MeltingConditions& conditions);

/// The share of G and C, from 0 to 1; an IUPAC letter counts by the share of its bases.
double gc_share(std::string_view bases);

}  // namespace trawl::scan
