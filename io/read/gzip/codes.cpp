#include "io/read/gzip/codes.hpp"

#include <algorithm>

namespace trawl::io {

bool HuffmanCode::build(const std::uint8_t* lengths, std::size_t n) {
  count.fill(0);
  for (std::size_t i = 0; i < n; ++i) {
    ++count[lengths[i]];
  }
  count[0] = 0;
  longest = kMaxLength;
  while (longest > 0 && count[longest] == 0) {
    --longest;
  }
  int left = 1;
  std::array<std::uint16_t, kMaxLength + 2> at{};
  for (unsigned length = 1; length <= kMaxLength; ++length) {
    left = 2 * left - count[length];
    if (left < 0) {
      return false;
    }
    at[length + 1] = static_cast<std::uint16_t>(at[length] + count[length]);
  }
  if (left > 0 && longest > 1) {
    return false;
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (lengths[i] != 0) {
      symbols[at[lengths[i]]++] = static_cast<std::uint16_t>(i);
    }
  }
  return true;
}

int HuffmanCode::decode(BitReader& reader) const {
  reader.need(kMaxLength);
  std::uint64_t bits = reader.peek();
  int code = 0;
  int first = 0;
  int index = 0;
  // One bit is enough to find out that a code without symbols has no symbol.
  for (unsigned length = 1; length <= std::max(longest, 1U); ++length) {
    if (length > reader.available()) {
      return kNeedInput;
    }
    code |= static_cast<int>(bits & 1);
    bits >>= 1;
    if (code - count[length] < first) {
      reader.skip(length);
      return symbols[static_cast<std::size_t>(index + code - first)];
    }
    index += count[length];
    first = (first + count[length]) << 1;
    code <<= 1;
  }
  return kInvalid;
}

BlockCodes::Result BlockCodes::read(BitReader& reader) {
  if (!reader.need(14)) {
    return Result::kNeedInput;
  }
  literal_count = reader.take(5) + 257;
  distance_count = reader.take(5) + 1;
  const unsigned length_count = reader.take(4) + 4;
  if (literal_count > 286 || distance_count > 30) {
    return Result::kDamaged;
  }
  constexpr std::uint8_t kOrder[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
  std::uint8_t length_lengths[19] = {};
  for (unsigned i = 0; i < length_count; ++i) {
    if (!reader.need(3)) {
      return Result::kNeedInput;
    }
    length_lengths[kOrder[i]] = static_cast<std::uint8_t>(reader.take(3));
  }
  HuffmanCode& code = literals;  // used for the lengths first
  if (!code.build(length_lengths, 19)) {
    return Result::kDamaged;
  }
  if (code.longest == 0) {
    // zlib takes a bit for each length, and then misses the end of the block.
    for (unsigned i = 0; i < literal_count + distance_count; ++i) {
      if (!reader.need(1)) {
        return Result::kNeedInput;
      }
      reader.skip(1);
    }
    return Result::kDamaged;
  }
  if (code.longest == 1 && code.count[1] == 1) {
    return Result::kDamaged;  // zlib does not accept an incomplete code here
  }
  // 7 bits of the code's table are enough.
  std::array<std::uint8_t, 128> table{};  // symbol * 8 + length
  for_each_index(code, 7, [&](unsigned index, unsigned symbol, unsigned length) {
    table[index] = static_cast<std::uint8_t>(symbol * 8 + length);
  });
  const unsigned total = literal_count + distance_count;
  for (unsigned have = 0; have < total;) {
    reader.need(14);
    const unsigned symbol = table[reader.peek() & 127] / 8;
    const unsigned length = table[reader.peek() & 127] % 8;
    const unsigned extra = symbol < 16 ? 0 : symbol == 16 ? 2 : symbol == 17 ? 3 : 7;
    if (reader.available() < length + extra) {
      return Result::kNeedInput;
    }
    reader.skip(length);
    if (symbol < 16) {
      lengths[have++] = static_cast<std::uint8_t>(symbol);
      continue;
    }
    if (symbol == 16 && have == 0) {
      return Result::kDamaged;
    }
    const std::uint8_t value = symbol == 16 ? lengths[have - 1] : 0;
    const unsigned repeat = reader.take(extra) + (symbol == 18 ? 11 : 3);
    if (have + repeat > total) {
      return Result::kDamaged;
    }
    std::fill_n(lengths.begin() + have, repeat, value);
    have += repeat;
  }
  if (lengths[256] == 0 || !literals.build(lengths.data(), literal_count) ||
      !distances.build(lengths.data() + literal_count, distance_count)) {
    return Result::kDamaged;
  }
  return Result::kGood;
}

void BlockCodes::set_fixed() {
  literal_count = 288;
  distance_count = 32;
  std::fill_n(lengths.begin(), 144, std::uint8_t{8});
  std::fill_n(lengths.begin() + 144, 112, std::uint8_t{9});
  std::fill_n(lengths.begin() + 256, 24, std::uint8_t{7});
  std::fill_n(lengths.begin() + 280, 8, std::uint8_t{8});
  std::fill_n(lengths.begin() + 288, 32, std::uint8_t{5});
  literals.build(lengths.data(), literal_count);
  distances.build(lengths.data() + literal_count, distance_count);
}

}  // namespace trawl::io
