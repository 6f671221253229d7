// Highway includes this file once for every instruction set it compiles for.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sequence/letter_masks_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <bit>

#include "sequence/alphabet.hpp"
#include "sequence/letter_masks.hpp"

HWY_BEFORE_NAMESPACE();
namespace trawl::sequence::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

void find_letters(const char* text, std::size_t blocks, LetterMasks* masks) {
  for (std::size_t b = 0; b < blocks; ++b, text += 64) {
    masks[b] = {};
    for (unsigned i = 0; i < 64; ++i) {
      const std::uint64_t code = base_code(text[i]);
      masks[b].bases |= std::uint64_t{code != kAmbiguous} << i;
      masks[b].high |= (code >> 1 & 1) << i;
      masks[b].low |= (code & 1) << i;
      masks[b].n |= std::uint64_t{(text[i] & 0xdf) == 'N'} << i;
      masks[b].line_ends |= std::uint64_t{text[i] == '\n'} << i;
      masks[b].headers |= std::uint64_t{text[i] == '>'} << i;
    }
  }
}

#else

using D = hn::CappedTag<std::uint8_t, 64>;
using V = hn::Vec<D>;

// Collects the masks of the vectors of one block.
class BlockBits {
 public:
  template <class Mask>
  HWY_INLINE void put(std::size_t first, Mask mask) {
    // It may write 8 bytes, whatever the size of a vector.
    hn::StoreMaskBits(D(), mask, bytes_ + first / 8);
  }
  HWY_INLINE std::uint64_t word() const {
    std::uint64_t word = 0;
    if constexpr (std::endian::native == std::endian::little) {
      hwy::CopyBytes<8>(bytes_, &word);
    } else {
      for (unsigned i = 0; i < 8; ++i) {
        word |= std::uint64_t{bytes_[i]} << (8 * i);
      }
    }
    return word;
  }

 private:
  std::uint8_t bytes_[16];
};

void find_letters(const char* text, std::size_t blocks, LetterMasks* masks) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  // [low four bits of a letter]: the letter in upper case, or a value with other low bits.
  alignas(16) static constexpr std::uint8_t kLetters[16] = {1, 'A', 0, 'C', 'T', 'U', 0, 'G', 0, 0, 0, 0, 0, 0, 'N', 0};
  const V letters = hn::LoadDup128(d, kLetters);
  const V upper_case = hn::Set(d, 0xdf);
  const V low_bits = hn::Set(d, 0x0f);
  const V n_letter = hn::Set(d, 'N');
  const V line_end = hn::Set(d, '\n');
  const V header = hn::Set(d, '>');
  const V bit_1 = hn::Set(d, 2);
  const V bit_2 = hn::Set(d, 4);
  for (std::size_t b = 0; b < blocks; ++b, text += 64) {
    BlockBits one, two, known, n, ends, headers;
    for (std::size_t i = 0; i < 64; i += lanes) {
      const V raw = hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(text) + i);
      const V upper = hn::And(raw, upper_case);
      known.put(i, hn::Eq(hn::TableLookupBytes(letters, hn::And(raw, low_bits)), upper));
      n.put(i, hn::Eq(upper, n_letter));
      ends.put(i, hn::Eq(raw, line_end));
      headers.put(i, hn::Eq(raw, header));
      one.put(i, hn::TestBit(raw, bit_1));
      two.put(i, hn::TestBit(raw, bit_2));
    }
    // In ASCII, bits 2 and 1 of A, C, G and T (U) are 00, 01, 11 and 10.
    const std::uint64_t high = two.word();
    masks[b] = {high, high ^ one.word(), known.word() & ~n.word(), n.word(), ends.word(), headers.word()};
  }
}

#endif

}  // namespace trawl::sequence::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace trawl::sequence {

HWY_EXPORT(find_letters);

void find_letters(const char* text, std::size_t blocks, LetterMasks* masks) {
  HWY_DYNAMIC_DISPATCH(find_letters)(text, blocks, masks);
}

}  // namespace trawl::sequence

#endif  // HWY_ONCE
