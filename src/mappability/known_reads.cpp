#include "mappability/known_reads.hpp"

#include <algorithm>
#include <bit>

#include "base/bits.hpp"
#include "sequence/packed_letters.hpp"
#include "sequence/plane_window.hpp"

namespace trawl::mappability {

namespace {

// A human genome has about as many slots as reads with several loci.
std::size_t slots_for(std::uint64_t reads) {
  return std::bit_ceil(std::clamp<std::uint64_t>(reads / 16, std::uint64_t{1} << 10, std::uint64_t{1} << 25));
}

}  // namespace

KnownReads::KnownReads(const sequence::Reference& reference, std::uint32_t length, std::uint64_t reads)
    : reference_(reference), length_(length), slots_(slots_for(reads)) {}

std::optional<std::uint64_t> KnownReads::find(std::uint64_t hash, std::uint64_t position) const {
  const std::uint64_t entry = slot(hash).load(std::memory_order_relaxed);
  if (entry == 0 || entry >> (kPositionBits + kLociBits) != hash >> (64 - kHashBits)) {
    return std::nullopt;
  }
  const std::uint64_t known = entry & ((std::uint64_t{1} << kPositionBits) - 1);
  if (!same_bases(known, position) && !complementary(known, position)) {
    return std::nullopt;
  }
  return entry >> kPositionBits & kMostLoci;
}

void KnownReads::add(std::uint64_t hash, std::uint64_t position, std::uint64_t loci) {
  if (loci <= kMostLoci && position >> kPositionBits == 0) {
    slots_[hash & (slots_.size() - 1)].store(
        hash >> (64 - kHashBits) << (kPositionBits + kLociBits) | loci << kPositionBits | position,
        std::memory_order_relaxed);
  }
}

bool KnownReads::same_bases(std::uint64_t a, std::uint64_t b) const {
  const sequence::PlaneBlock* const planes = reference_.planes().data();
  for (std::uint32_t i = 0; i < length_; i += 64) {
    const auto first = sequence::planes_at(planes, a + i);
    const auto second = sequence::planes_at(planes, b + i);
    if ((((first.high ^ second.high) | (first.low ^ second.low)) & sequence::low_ones(std::min(64u, length_ - i))) !=
        0) {
      return false;
    }
  }
  return true;
}

// Complementary bases differ in both bits of their codes.
bool KnownReads::complementary(std::uint64_t a, std::uint64_t b) const {
  const sequence::PlaneBlock* const planes = reference_.planes().data();
  for (std::uint32_t i = 0; i < length_; i += 64) {
    const auto first = sequence::planes_at(planes, a + i);
    const auto second = sequence::planes_at(planes, b + length_ - i - 64);  // a contig has a gap before it
    const std::uint64_t equal = ~(first.high ^ reverse_bits(second.high)) | ~(first.low ^ reverse_bits(second.low));
    if ((equal & sequence::low_ones(std::min(64u, length_ - i))) != 0) {
      return false;
    }
  }
  return true;
}

}  // namespace trawl::mappability
