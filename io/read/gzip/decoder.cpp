#include "io/read/gzip/decoder.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace trawl::io {
namespace {

constexpr unsigned kEndOfBlock = 256;
constexpr std::array<std::uint16_t, 29> kLengthBase = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                                       31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
constexpr std::array<std::uint8_t, 29> kLengthExtra = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                                       2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
constexpr std::array<std::uint16_t, 30> kDistanceBase = {1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                                         33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                                         1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
constexpr std::array<std::uint8_t, 30> kDistanceExtra = {0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
                                                         6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};

// An entry of the table of literals and lengths, for the next bits of the stream. It stands for several literals, or
// for some literals and a match's length after them:
//   bits 0-4    bits to take: all codes, and the extra bits of the length
//   bits 5-6    literals, at most 3
//   bit  7      a length follows
//   bits 16-..  the literals, each as wide as a Symbol; two of them if a length follows
//   bits 48-56  the length without its extra bits
//   bits 57-61  bits before the extra bits
// 0: no entry, the code is too long, or is not a literal or length.
constexpr std::uint64_t kHasLength = 1 << 7;
// An entry of the table of distances: bits to take (0-4), bits before the extra bits (5-8), distance without its extra
// bits (16-31). 0: no entry.

constexpr std::uint64_t low_bits(std::uint64_t value, unsigned n) { return value & ((std::uint64_t{1} << n) - 1); }

// Stores the first symbols of an entry, and some more that will be overwritten.
template <class Symbol>
inline void store_symbols(Symbol* to, std::uint64_t symbols) {
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(to, &symbols, sizeof symbols);
  } else {
    for (unsigned i = 0; i < 3; ++i) {
      to[i] = static_cast<Symbol>(symbols >> (8 * sizeof(Symbol) * i));
    }
  }
}

// Copies a match. Up to kSlack - 258 symbols after it may be overwritten.
template <class Symbol>
inline void copy_match(Symbol* to, std::size_t distance, std::size_t length) {
  constexpr std::size_t kStep = 16 / sizeof(Symbol);
  const Symbol* from = to - distance;
  const Symbol* const end = to + length;
  if (distance >= kStep) {
    std::memcpy(to, from, 16);
    std::memcpy(to + kStep, from + kStep, 16);
    for (to += 2 * kStep, from += 2 * kStep; to < end; to += kStep, from += kStep) {
      std::memcpy(to, from, 16);
    }
  } else if (distance == 1) {
    const Symbol value = *from;
    do {
      std::fill_n(to, kStep, value);
      to += kStep;
    } while (to < end);
  } else {
    do {
      *to++ = *from++;
    } while (to < end);
  }
}

}  // namespace

template <class Symbol>
void DeflateDecoder::fill_tables() {
  constexpr unsigned kWidth = 8 * sizeof(Symbol);
  constexpr unsigned kTableMask = (1U << kLiteralBits) - 1;
  // Symbol * 16 + length. 0: none.
  std::array<std::uint16_t, kTableMask + 1> single{};
  for_each_index(codes_.literals, kLiteralBits, [&](unsigned index, unsigned symbol, unsigned length) {
    single[index] = static_cast<std::uint16_t>(symbol << 4 | length);
  });
  for (unsigned index = 0; index <= kTableMask; ++index) {
    std::uint64_t entry = 0;
    unsigned taken = 0;
    unsigned literals = 0;
    unsigned rest = index;
    for (;;) {
      const unsigned symbol = single[rest] >> 4;
      const unsigned length = single[rest] & 15;
      if (length == 0 || taken + length > kLiteralBits) {
        break;
      }
      if (symbol < 256) {
        entry |= std::uint64_t{symbol} << (16 + kWidth * literals);
        taken += length;
        rest >>= length;
        if (++literals == 3) {
          break;
        }
        continue;
      }
      if (symbol > kEndOfBlock && symbol < 286) {
        const unsigned extra = kLengthExtra[symbol - 257];
        entry |= kHasLength | std::uint64_t{kLengthBase[symbol - 257]} << 48 | std::uint64_t{taken + length} << 57;
        taken += length + extra;
      }
      break;
    }
    literal_table_[index] = taken == 0 ? 0 : entry | literals << 5 | taken;
  }
  distance_table_.fill(0);
  for_each_index(codes_.distances, kDistanceBits, [&](unsigned index, unsigned symbol, unsigned length) {
    if (symbol < 30) {
      distance_table_[index] =
          (length + kDistanceExtra[symbol]) | length << 5 | static_cast<std::uint32_t>(kDistanceBase[symbol]) << 16;
    }
  });
  table_size_ = sizeof(Symbol);
}

DeflateDecoder::Stop DeflateDecoder::start_block() {
  const BitReader start = reader_;
  const auto need_input = [&] {
    reader_ = start;
    return Stop::kNeedInput;
  };
  if (!reader_.need(3)) {
    return need_input();
  }
  is_last_ = reader_.take(1) == 1;
  const unsigned type = reader_.take(2);
  if (type == 0) {
    reader_.align_to_byte();
    if (!reader_.need(32)) {
      return need_input();
    }
    const unsigned length = reader_.take(16);
    if ((reader_.take(16) ^ length) != 0xffff) {
      return Stop::kDamaged;
    }
    stored_ = length;
    kind_ = Kind::kStored;
    return Stop::kBlockEnd;
  }
  if (type == 3) {
    return Stop::kDamaged;
  }
  if (type == 1) {
    codes_.set_fixed();
  } else {
    const auto result = codes_.read(reader_);
    if (result == BlockCodes::Result::kNeedInput) {
      return need_input();
    }
    if (result == BlockCodes::Result::kDamaged) {
      return Stop::kDamaged;
    }
  }
  kind_ = Kind::kCodes;
  table_size_ = 0;
  return Stop::kBlockEnd;
}

template <class Symbol>
DeflateDecoder::Stop DeflateDecoder::run(Symbol*& to, const Symbol* oldest, const Symbol* limit) {
  if (kind_ == Kind::kNone) {
    const Stop stop = start_block();
    if (stop != Stop::kBlockEnd) {
      return stop;
    }
  }
  const Stop stop = kind_ == Kind::kStored ? run_stored(to, limit) : run_codes(to, oldest, limit);
  if (stop == Stop::kBlockEnd) {
    kind_ = Kind::kNone;
    return is_last_ ? Stop::kStreamEnd : stop;
  }
  return stop;
}

template <class Symbol>
DeflateDecoder::Stop DeflateDecoder::run_stored(Symbol*& to, const Symbol* limit) {
  while (stored_ > 0) {
    if (to >= limit) {
      return Stop::kFull;
    }
    std::size_t size = std::min(stored_, static_cast<std::size_t>(limit - to));
    std::size_t got;
    if constexpr (sizeof(Symbol) == 1) {
      got = reader_.take_bytes(to, size);
    } else {
      std::array<unsigned char, 4096> bytes;
      size = std::min(size, bytes.size());
      got = reader_.take_bytes(bytes.data(), size);
      std::copy_n(bytes.begin(), got, to);
    }
    to += got;
    stored_ -= got;
    if (got < size) {
      return Stop::kNeedInput;
    }
  }
  return Stop::kBlockEnd;
}

// Decodes one literal, match, or end of the block (kBlockEnd). kFull: there is more.
template <class Symbol>
DeflateDecoder::Stop DeflateDecoder::step(Symbol*& to, const Symbol* oldest) {
  const BitReader start = reader_;
  const auto special = [&](int symbol) {
    if (symbol == HuffmanCode::kNeedInput) {
      reader_ = start;
      return Stop::kNeedInput;
    }
    return Stop::kDamaged;
  };
  const int symbol = codes_.literals.decode(reader_);
  if (symbol < 0 || symbol >= 286) {
    return special(symbol);
  }
  if (symbol < static_cast<int>(kEndOfBlock)) {
    *to++ = static_cast<Symbol>(symbol);
    return Stop::kFull;
  }
  if (symbol == kEndOfBlock) {
    return Stop::kBlockEnd;
  }
  const auto length_code = static_cast<std::size_t>(symbol - 257);
  if (!reader_.need(kLengthExtra[length_code])) {
    return special(HuffmanCode::kNeedInput);
  }
  const std::size_t length = kLengthBase[length_code] + reader_.take(kLengthExtra[length_code]);
  const int distance_code = codes_.distances.decode(reader_);
  if (distance_code < 0 || distance_code >= 30) {
    return special(distance_code);
  }
  const auto code = static_cast<std::size_t>(distance_code);
  if (!reader_.need(kDistanceExtra[code])) {
    return special(HuffmanCode::kNeedInput);
  }
  const std::size_t distance = kDistanceBase[code] + reader_.take(kDistanceExtra[code]);
  if (distance > static_cast<std::size_t>(to - oldest)) {
    return Stop::kDamaged;
  }
  copy_match(to, distance, length);
  to += length;
  return Stop::kFull;
}

template <class Symbol>
DeflateDecoder::Stop DeflateDecoder::run_codes(Symbol*& out, const Symbol* oldest, const Symbol* limit) {
  if (table_size_ != sizeof(Symbol)) {
    fill_tables<Symbol>();
  }
  constexpr std::uint64_t kLiteralMask = (std::uint64_t{1} << kLiteralBits) - 1;
  constexpr std::uint64_t kDistanceMask = (std::uint64_t{1} << kDistanceBits) - 1;
  Symbol* to = out;
  for (;;) {
    BitReader::Fast in = reader_.fast();
    // Until the next code needs more than the tables, or the chunk ends.
    while (to < limit && in.can_fill()) {
      in.fill();
      const std::uint64_t entry = literal_table_[in.bits & kLiteralMask];
      if (entry == 0) {
        break;
      }
      store_symbols(to, entry >> 16);
      const std::size_t literals = entry >> 5 & 3;
      if ((entry & kHasLength) == 0) {
        to += literals;
        in.skip(entry & 31);
        continue;
      }
      const std::uint64_t after = in.bits >> (entry & 31);
      const std::uint32_t match = distance_table_[after & kDistanceMask];
      const std::size_t length = (entry >> 48 & 511) + (low_bits(in.bits, entry & 31) >> (entry >> 57));
      const std::size_t distance = (match >> 16) + (low_bits(after, match & 31) >> (match >> 5 & 15));
      if (match == 0 || distance > static_cast<std::size_t>(to + literals - oldest)) {
        break;
      }
      in.skip((entry & 31) + (match & 31));
      to += literals;
      copy_match(to, distance, length);
      to += length;
    }
    reader_.set(in);
    if (to >= limit) {
      out = to;
      return Stop::kFull;
    }
    const Stop stop = step(to, oldest);
    if (stop != Stop::kFull) {
      out = to;
      return stop;
    }
  }
}

template DeflateDecoder::Stop DeflateDecoder::run(std::uint8_t*&, const std::uint8_t*, const std::uint8_t*);
template DeflateDecoder::Stop DeflateDecoder::run(std::uint16_t*&, const std::uint16_t*, const std::uint16_t*);

}  // namespace trawl::io
