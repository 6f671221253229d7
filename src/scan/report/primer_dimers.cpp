#include "scan/report/primer_dimers.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <bit>
#include <compare>
#include <iterator>
#include <mutex>
#include <tuple>
#include <utility>

#include "sequence/alphabet.hpp"

namespace trawl::scan {
namespace {

constexpr std::size_t kMostBases = 8;                                        // that are looked up
constexpr std::uint64_t kSeveralBases = std::uint64_t{1} << 2 * kMostBases;  // after all words

// Letters of a primer that another one's last letters may bind.
struct Copied {
  std::uint64_t key = 0;  // the group and a word
  std::uint32_t primer = 0;
  std::uint32_t at = 0;
  auto operator<=>(const Copied&) const = default;
};

// A duplex with fewer bases is not as stable as `most`; fewer than 4 are never stable. None is more stable than GCGC..,
// but for its symmetry term, which is less than 0.5.
std::size_t fewest_bases(const MeltingConditions& conditions, double most) {
  std::vector<std::uint8_t> duplex{4, 2, 4, 2};
  while (duplex.size() < kMostBases && duplex_energy(duplex, conditions) - 0.5 > most) {
    duplex.push_back(duplex[duplex.size() - 2]);
  }
  return duplex.size();
}

// Letters i < bases, each the set set_at(i); kSeveralBases if one of them may be several bases.
template <class SetAt>
std::uint64_t word_of(std::size_t bases, const SetAt& set_at) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < bases; ++i) {
    const std::uint8_t set = set_at(i);
    if (!std::has_single_bit(set)) {
      return kSeveralBases;
    }
    word = word << 2 | static_cast<unsigned>(std::countr_zero(set));
  }
  return word;
}

}  // namespace

std::vector<PrimerDimer> find_dimers(const PrimerPool& pool, const std::vector<std::uint32_t>& groups,
                                     const MeltingConditions& conditions, double most) {
  const std::size_t count = pool.size();
  std::vector<std::vector<std::uint8_t>> sets(count);
  const std::size_t fewest = fewest_bases(conditions, most);
  std::vector<Copied> all;
  for (std::uint32_t p = 0; p < count; ++p) {
    std::ranges::transform(pool.patterns()[p].bases, std::back_inserter(sets[p]), sequence::iupac_set);
    for (std::uint32_t at = 1; at + fewest <= sets[p].size(); ++at) {
      const std::uint64_t word = word_of(fewest, [&](std::size_t i) { return sets[p][at + i]; });
      all.push_back({2 * kSeveralBases * groups[p] + word, p, at});
    }
  }
  tbb::parallel_sort(all.begin(), all.end());
  std::vector<PrimerDimer> found;
  std::mutex adding;
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count), [&](const auto& range) {
    std::vector<PrimerDimer> own;
    std::vector<std::uint8_t> duplex;
    std::vector<Copied> here;
    for (std::size_t p = range.begin(); p < range.end(); ++p) {
      const std::vector<std::uint8_t>& end = sets[p];
      here.clear();
      const auto take = [&](std::uint64_t word, std::uint64_t words) {
        const std::uint64_t key = 2 * kSeveralBases * groups[p] + word;
        here.insert(here.end(), std::ranges::lower_bound(all, key, {}, &Copied::key),
                    std::ranges::lower_bound(all, key + words, {}, &Copied::key));
      };
      if (end.size() >= fewest) {
        const std::uint64_t word =
            word_of(fewest, [&](std::size_t i) { return sequence::complement_set(end[end.size() - 1 - i]); });
        take(word == kSeveralBases ? 0 : word, word == kSeveralBases ? kSeveralBases : 1);
        take(kSeveralBases, 1);
      }
      std::ranges::sort(here, {}, [](const Copied& place) { return std::pair(place.primer, place.at); });
      for (std::size_t next = 0; next < here.size();) {
        const std::uint32_t other = here[next].primer;
        const std::vector<std::uint8_t>& letters = sets[other];
        PrimerDimer best;
        best.energy = most;
        bool is_found = false;
        // The last base of the primer is opposite letters[at], the one before it opposite letters[at + 1].
        for (; next < here.size() && here[next].primer == other; ++next) {
          const std::size_t at = here[next].at;
          const std::size_t longest = std::min(end.size(), letters.size() - at);
          std::size_t bases = 0;
          while (bases < longest &&
                 (end[end.size() - 1 - bases] & sequence::complement_set(letters[at + bases])) != 0) {
            ++bases;
          }
          if (bases < fewest) {
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
