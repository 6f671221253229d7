#include "align/damage.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "sequence/alphabet.hpp"

namespace trawl::align {

namespace {

constexpr char kNoBase = '\0';

// The letter of the reference beside each base of a read, on the forward strand; kNoBase where there is none.
std::string letters_beside(const AlignmentBatch& batch, const Alignment& alignment, std::string bases) {
  const std::string_view md = batch.md_of(alignment);
  std::size_t next = 0;  // in md
  const auto take_number = [&] {
    std::uint32_t number = 0;
    for (; next < md.size() && md[next] >= '0' && md[next] <= '9'; ++next) {
      number = 10 * number + static_cast<std::uint32_t>(md[next] - '0');
    }
    return number;
  };
  std::uint32_t equal = take_number();
  std::size_t base = 0;
  for (std::uint32_t e = 0; e < alignment.cigar_length; ++e) {
    const std::uint32_t element = batch.cigar_of(alignment)[e];
    const std::uint32_t length = element >> 4;
    const auto op = static_cast<CigarOp>(element & 15);
    if (op == CigarOp::insertion || op == CigarOp::soft_clip) {
      std::fill_n(bases.begin() + static_cast<std::ptrdiff_t>(base), length, kNoBase);
      base += length;
    } else if (op == CigarOp::deletion) {
      next += 1 + length;  // ^ and the letters
      equal = take_number();
    } else if (op != CigarOp::hard_clip) {
      for (const std::size_t end = base + length; base < end; ++base) {
        if (equal > 0) {
          --equal;
        } else {
          bases[base] = md[next++];
          equal = take_number();
        }
      }
    }
  }
  return bases;
}

double share(std::uint64_t part, std::uint64_t all) {
  return all > 0 ? static_cast<double>(part) / static_cast<double>(all) : 0;
}

double rounded(double rate) { return std::round(10'000 * rate) / 10'000; }

}  // namespace

double DamageRates::at(std::uint32_t i) const { return interior + (first - interior) * std::pow(1 - decay, i); }

void DamageCounts::add(const AlignmentBatch& batch, const Alignment& primary, std::string_view bases,
                       std::uint64_t times) {
  if (!library.on()) {
    return;
  }
  const std::string forward = primary.reverse ? sequence::reverse_complement(bases) : std::string(bases);
  const std::string beside = letters_beside(batch, primary, forward);
  const std::size_t length = bases.size();
  const auto count = [&](std::size_t at, char undamaged, char damaged, std::uint64_t& all, std::uint64_t& changed) {
    if (primary.reverse) {
      at = length - 1 - at;
      undamaged = sequence::complement_base(undamaged);
      damaged = sequence::complement_base(damaged);
    }
    if (beside[at] == undamaged) {
      all += times;
      changed += forward[at] == damaged ? times : 0;
    }
  };
  for (std::size_t i = 0; i < std::min<std::size_t>(length, kDamagedBases); ++i) {
    count(i, 'C', 'T', five_prime[i], five_prime_damaged[i]);
    count(length - 1 - i, library.single_stranded ? 'C' : 'G', library.single_stranded ? 'T' : 'A', three_prime[i],
          three_prime_damaged[i]);
  }
}

DamageRates DamageCounts::rates() const {
  constexpr std::uint64_t kFewest = 200;
  constexpr std::uint32_t kNearEnd = 15;  // the bases after these are the interior
  const auto rate = [&](std::uint32_t begin, std::uint32_t end) {
    std::uint64_t all = 0, damaged = 0;
    for (std::uint32_t i = begin; i < end; ++i) {
      all += five_prime[i] + three_prime[i];
      damaged += five_prime_damaged[i] + three_prime_damaged[i];
    }
    return share(damaged, all);
  };
  DamageRates rates = library;
  if (five_prime[0] + three_prime[0] < kFewest) {
    return rates;
  }
  rates.estimated = false;
  // The sum of a geometric series is its first number divided by the decay.
  rates.interior = rate(kNearEnd, kDamagedBases);
  const double first = rate(0, 1) - rates.interior;
  double sum = 0;
  for (std::uint32_t i = 0; i < kNearEnd; ++i) {
    sum += rate(i, i + 1) - rates.interior;
  }
  rates.decay = first > 0 && sum > first ? rounded(first / sum) : 1;
  rates.interior = rounded(rates.interior);
  rates.first = std::max(rounded(std::max(first, 0.0) + rates.interior), 0.0001);
  return rates;
}

}  // namespace trawl::align
