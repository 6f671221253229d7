#include "scan/report/primer_dimers.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <tuple>

#include "sequence/alphabet.hpp"

namespace trawl::scan {
namespace {

constexpr std::size_t kFewestBases = 4;  // fewer are never stable; this is for speed

}  // namespace

std::vector<PrimerDimer> find_dimers(const PrimerPool& pool, const std::vector<std::uint32_t>& groups,
                                     const MeltingConditions& conditions, double most) {
  const std::size_t count = pool.size();
  std::vector<std::vector<std::uint8_t>> sets(count);
  std::vector<std::vector<std::uint32_t>> members;
  for (std::size_t p = 0; p < count; ++p) {
    std::ranges::transform(pool.patterns()[p].bases, std::back_inserter(sets[p]), sequence::iupac_set);
    members.resize(std::max<std::size_t>(members.size(), groups[p] + std::size_t{1}));
    members[groups[p]].push_back(static_cast<std::uint32_t>(p));
  }
  std::vector<PrimerDimer> found;
  std::mutex adding;
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count), [&](const auto& range) {
    std::vector<PrimerDimer> own;
    std::vector<std::uint8_t> duplex;
    for (std::size_t p = range.begin(); p < range.end(); ++p) {
      const std::vector<std::uint8_t>& end = sets[p];
      for (const std::uint32_t other : members[groups[p]]) {
        const std::vector<std::uint8_t>& letters = sets[other];
        PrimerDimer best;
        best.energy = most;
        bool is_found = false;
        // The last base of the primer is opposite letters[at], the one before it opposite letters[at + 1].
        for (std::size_t at = 1; at + kFewestBases <= letters.size(); ++at) {
          const std::size_t longest = std::min(end.size(), letters.size() - at);
          std::size_t bases = 0;
          while (bases < longest &&
                 (end[end.size() - 1 - bases] & sequence::complement_set(letters[at + bases])) != 0) {
            ++bases;
          }
          if (bases < kFewestBases) {
            continue;
          }
          duplex.clear();
          for (std::size_t b = bases; b-- > 0;) {
            duplex.push_back(end[end.size() - 1 - b] & sequence::complement_set(letters[at + b]));
          }
          const double energy = duplex_energy(duplex, conditions);
          if (energy < best.energy || (!is_found && energy == best.energy)) {
            best = {static_cast<std::uint32_t>(p), other, static_cast<std::uint32_t>(bases),
                    static_cast<std::uint32_t>(at), energy};
            is_found = true;
          }
        }
        if (is_found) {
          own.push_back(best);
        }
      }
    }
    const std::lock_guard lock(adding);
    found.insert(found.end(), own.begin(), own.end());
  });
  std::sort(found.begin(), found.end(), [](const PrimerDimer& a, const PrimerDimer& b) {
    return std::tie(a.energy, a.primer, a.copied_from) < std::tie(b.energy, b.primer, b.copied_from);
  });
  return found;
}

}  // namespace trawl::scan
