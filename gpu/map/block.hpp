// 32 positions of a text, or 32 bases of a read, as bit planes. The CUDA engine keeps its texts in this form. One block
// is one load of 16 bytes. All of gpu/map/ is host and device code without CUDA headers; the tests run it on the host.
#pragma once

#include <cstdint>
#include <type_traits>

#include "base/bits.hpp"
#include "base/host_device.hpp"
#include "sequence/alphabet.hpp"

namespace trawl::gpu {

/// Bit i of `high` and `low`: the 2-bit code of position i (0 if ambiguous). Bit i of `ambiguous`: position i matches
/// nothing.
struct alignas(16) BaseBlock {
  std::uint32_t high = 0;
  std::uint32_t low = 0;
  std::uint32_t ambiguous = 0;
  std::uint32_t unused = 0;

  static constexpr unsigned kPlanes = 3;
  TRAWL_HOST_DEVICE constexpr std::uint32_t plane(unsigned p) const { return p == 0 ? high : p == 1 ? low : ambiguous; }
  /// Where the bits of the planes of a text and of a read match.
  template <class Word>
  TRAWL_HOST_DEVICE static Word equal(const Word* text, const Word* read) {
    return static_cast<Word>(~((text[0] ^ read[0]) | (text[1] ^ read[1]) | text[2] | read[2]));
  }
};

/// The same where ambiguous letters match what they may stand for. Bit i of plane c: position i may be base c.
struct alignas(16) SetBlock {
  std::uint32_t of[4] = {};

  static constexpr unsigned kPlanes = 4;
  TRAWL_HOST_DEVICE constexpr std::uint32_t plane(unsigned p) const { return of[p]; }
  template <class Word>
  TRAWL_HOST_DEVICE static Word equal(const Word* text, const Word* read) {
    return static_cast<Word>((text[0] & read[0]) | (text[1] & read[1]) | (text[2] & read[2]) | (text[3] & read[3]));
  }
  /// The positions in `bits` may also be the bases of `set` (sequence::iupac_set()).
  TRAWL_HOST_DEVICE void add(std::uint32_t set, std::uint32_t bits) {
    TRAWL_UNROLL
    for (unsigned c = 0; c < 4; ++c) {
      of[c] |= (set >> c & 1) != 0 ? bits : 0;
    }
  }
};

/// The sets of a block. That of an ambiguous position is empty.
TRAWL_HOST_DEVICE inline SetBlock sets_of(const BaseBlock& block) {
  return {{~(block.high | block.low | block.ambiguous), block.low & ~(block.high | block.ambiguous),
           block.high & ~(block.low | block.ambiguous), block.high & block.low & ~block.ambiguous}};
}

/// sequence::iupac_set() of a letter in upper case. Its table is only on the host.
TRAWL_HOST_DEVICE inline std::uint32_t letter_set(char letter) {
  constexpr auto table = [](char first) {
    std::uint64_t sets = 0;
    for (int i = 0; i < 16; ++i) {
      sets |= std::uint64_t{sequence::iupac_set(static_cast<char>(first + i))} << (4 * i);
    }
    return sets;
  };
  constexpr std::uint64_t kFromA = table('A'), kFromQ = table('Q');
  return static_cast<std::uint32_t>(letter < 'A' || letter > 'Z' ? 0
                                    : letter < 'Q'               ? kFromA >> (4 * (letter - 'A'))
                                                                 : kFromQ >> (4 * (letter - 'Q'))) &
         15;
}

/// 32 bits of the 64 bits `next:word`, from bit `shift` on; shift is from 0 to 31.
TRAWL_HOST_DEVICE inline std::uint32_t funnel(std::uint32_t word, std::uint32_t next, unsigned shift) {
#ifdef __CUDA_ARCH__
  return __funnelshift_r(word, next, shift);
#else
  return (word >> shift) | ((next << 1) << (31 - shift));
#endif
}

TRAWL_HOST_DEVICE inline BaseBlock funnel(const BaseBlock& block, const BaseBlock& next, unsigned shift) {
  return {funnel(block.high, next.high, shift), funnel(block.low, next.low, shift),
          funnel(block.ambiguous, next.ambiguous, shift)};
}

/// Bit i: position i of `a` does not match position i of `b`.
TRAWL_HOST_DEVICE inline std::uint32_t differ(const BaseBlock& a, const BaseBlock& b) {
  return (a.high ^ b.high) | (a.low ^ b.low) | a.ambiguous | b.ambiguous;
}
TRAWL_HOST_DEVICE inline std::uint32_t differ(const SetBlock& a, const SetBlock& b) {
  return ~SetBlock::equal(a.of, b.of);
}

/// The lowest `n` bits, n from 0 to 32.
TRAWL_HOST_DEVICE inline std::uint32_t low_bits(unsigned n) {
  return n >= 32 ? ~std::uint32_t{0} : (std::uint32_t{1} << n) - 1;
}

/// The bits of word `word` of a row of bits that are in [begin, end).
TRAWL_HOST_DEVICE inline std::uint32_t range_bits(std::uint32_t begin, std::uint32_t end, std::uint32_t word) {
  const std::uint32_t from = begin > 32 * word ? begin - 32 * word : 0;
  const std::uint32_t to = end > 32 * word ? end - 32 * word : 0;
  return low_bits(to) & ~low_bits(from);
}

/// The key of the first `q` <= 15 bases, which are in the lowest bits of the planes. It is a base-4 number with the
/// first base as the most significant digit, so keys with the same first bases are neighbours.
TRAWL_HOST_DEVICE inline std::uint32_t gram_key(std::uint32_t high, std::uint32_t low, unsigned q) {
  const auto spread = [](std::uint32_t v) {
    v = (v | (v << 8)) & 0x00ff00ffu;
    v = (v | (v << 4)) & 0x0f0f0f0fu;
    v = (v | (v << 2)) & 0x33333333u;
    return (v | (v << 1)) & 0x55555555u;
  };
  const auto first_on_top = [q](std::uint32_t v) {
#ifdef __CUDA_ARCH__
    return __brev(v) >> (32 - q);
#else
    v = ((v >> 1) & 0x55555555u) | ((v & 0x55555555u) << 1);
    v = ((v >> 2) & 0x33333333u) | ((v & 0x33333333u) << 2);
    v = ((v >> 4) & 0x0f0f0f0fu) | ((v & 0x0f0f0f0fu) << 4);
    return __builtin_bswap32(v) >> (32 - q);
#endif
  };
  return spread(first_on_top(high)) << 1 | spread(first_on_top(low));
}

/// The smallest i in [0, size) for which `after(i)` is true, or `size` if there is none. From this i on, `after` must
/// be true.
template <class After>
TRAWL_HOST_DEVICE inline std::uint64_t first_where(std::uint64_t size, const After& after) {
  std::uint64_t low = 0;
  while (low < size) {
    const std::uint64_t middle = low + (size - low) / 2;
    if (after(middle)) {
      size = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/// Adds 1 to `*counter` and returns its old value: a slot in an output that threads fill in any order.
template <class Count>
TRAWL_HOST_DEVICE inline Count claim(Count* counter) {
#ifdef __CUDA_ARCH__
  using Atomic = std::conditional_t<sizeof(Count) == 8, unsigned long long, unsigned>;
  // One atomic operation for all threads of the warp that are active here.
  const unsigned here = __activemask();
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  const int leader = __ffs(static_cast<int>(here)) - 1;
  Count first = 0;
  if (static_cast<int>(lane) == leader) {
    first = static_cast<Count>(atomicAdd(reinterpret_cast<Atomic*>(counter), static_cast<Atomic>(__popc(here))));
  }
  first = __shfl_sync(here, first, leader);
  return first + static_cast<Count>(__popc(here & ((1u << lane) - 1)));
#else
  return (*counter)++;
#endif
}

TRAWL_HOST_DEVICE inline std::uint32_t fetch_add(std::uint32_t* value, std::uint32_t more) {
#ifdef __CUDA_ARCH__
  return atomicAdd(value, more);
#else
  const std::uint32_t before = *value;
  *value += more;
  return before;
#endif
}

TRAWL_HOST_DEVICE inline void add_to(std::uint64_t* value, std::uint64_t more) {
#ifdef __CUDA_ARCH__
  atomicAdd(reinterpret_cast<unsigned long long*>(value), static_cast<unsigned long long>(more));
#else
  *value += more;
#endif
}

/// `*value` becomes `other` if that is smaller.
TRAWL_HOST_DEVICE inline void lower_to(std::uint64_t* value, std::uint64_t other) {
#ifdef __CUDA_ARCH__
  atomicMin(reinterpret_cast<unsigned long long*>(value), static_cast<unsigned long long>(other));
#else
  *value = other < *value ? other : *value;
#endif
}
TRAWL_HOST_DEVICE inline void lower_to(std::uint32_t* value, std::uint32_t other) {
#ifdef __CUDA_ARCH__
  atomicMin(value, other);
#else
  *value = other < *value ? other : *value;
#endif
}

}  // namespace trawl::gpu
