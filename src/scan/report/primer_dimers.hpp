// Primers that may be extended on each other.
//
//   PrimerPool pool;
//   pool.add({"a", "TTGACCTGCGGGACGC"}, {});
//   pool.add({"b", "AACCAAGCGTCCCGCATT"}, {});       // GCGTCCCGCA: the reverse complement of the end of a
//   const auto dimers = find_dimers(pool, pool.groups(Combine::all), MeltingConditions{}, -8);
//   dimers.size() == 1 && dimers[0].primer == 0 && dimers[0].copied_from == 1 && dimers[0].bases == 10
#pragma once

#include <cstdint>
#include <vector>

#include "scan/melting.hpp"
#include "scan/primer_pool.hpp"

namespace trawl::scan {

/// The last bases of a primer bind another primer, or another copy of itself, without a mismatch. The other primer has
/// bases beyond them, which a polymerase copies.
struct PrimerDimer {
  std::uint32_t primer = 0;       // the one that is extended
  std::uint32_t copied_from = 0;  // the other one
  std::uint32_t bases = 0;        // that bind
  std::uint32_t extension = 0;    // bases of the other primer that are copied
  double energy = 0;              // of the duplex, in kcal/mol at 37 degrees
};

/// The most stable dimer of each primer with each of its group, if its energy is at most `most`; by energy, then in the
/// order of the primers. IUPAC letters bind if one of their bases does.
std::vector<PrimerDimer> find_dimers(const PrimerPool& pool, const std::vector<std::uint32_t>& groups,
                                     const MeltingConditions& conditions, double most);

}  // namespace trawl::scan
