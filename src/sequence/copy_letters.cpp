#include "sequence/copy_letters.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace trawl::sequence {

namespace {

// Byte i of the result is bit i of `bits`, as 0 or 1.
std::uint64_t spread_bits(std::uint64_t bits) {
  const std::uint64_t picked = ((bits & 0xff) * 0x0101010101010101) & 0x8040201008040201;
  return ((picked + 0x7f7f7f7f7f7f7f7f) >> 7) & 0x0101010101010101;
}

// The letters of 64 positions. At ambiguous positions they have no meaning.
void write_block(const PlaneBlock& block, char* to) {
  for (int i = 0; i < 8; ++i) {
    const std::uint64_t high = spread_bits(block.high >> (8 * i));
    const std::uint64_t low = spread_bits(block.low >> (8 * i));
    // 'A' = 0x41, 'C' = 'A' + 2, 'G' = 'A' + 6, 'T' = 'A' + 2 + 6 + 11
    std::uint64_t letters = 0x4141414141414141 + 2 * low + 6 * high + 11 * (high & low);
    if constexpr (std::endian::native == std::endian::big) {
      letters = __builtin_bswap64(letters);
    }
    std::memcpy(to + 8 * i, &letters, 8);
  }
}

}  // namespace

void copy_letters(const Reference& reference, std::uint64_t begin, std::size_t length, char* to) {
  const std::uint64_t end = begin + length;
  std::array<char, 64> edge;
  for (std::uint64_t at = begin; at < end;) {
    const std::size_t skip = at % 64;
    const std::size_t n = std::min<std::uint64_t>(64 - skip, end - at);
    char* out = to + (at - begin);
    if (n == 64) {
      write_block(reference.planes()[at / 64], out);
    } else {
      write_block(reference.planes()[at / 64], edge.data());
      std::memcpy(out, edge.data() + skip, n);
    }
    at += n;
  }
  const auto& runs = reference.ambiguous_runs();
  auto run = std::partition_point(runs.begin(), runs.end(),
                                  [begin](const AmbiguousRun& r) { return r.begin + r.length <= begin; });
  for (; run != runs.end() && run->begin < end; ++run) {
    const std::uint64_t from = std::max(run->begin, begin);
    const std::uint64_t until = std::min(run->begin + run->length, end);
    std::memset(to + (from - begin), run->letter, until - from);
  }
}

std::string letters_at(const Reference& reference, std::uint64_t begin, std::size_t length) {
  std::string letters(length, 'N');
  copy_letters(reference, begin, length, letters.data());
  return letters;
}

std::shared_ptr<const PackedLetters> packed_letters_at(const Reference& reference, std::uint64_t begin,
                                                       std::size_t length) {
  auto packed = std::make_shared<PackedLetters>();
  packed->append(letters_at(reference, begin, length));
  return packed;
}

}  // namespace trawl::sequence
