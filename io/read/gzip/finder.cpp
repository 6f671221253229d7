#include "io/read/gzip/finder.hpp"

#include <algorithm>
#include <array>

#include "io/format/gzip_format.hpp"
#include "io/read/gzip/codes.hpp"

namespace trawl::io {
namespace {

constexpr unsigned kBitsAtOnce = 48;  // starts that are checked with one word; a check looks at 13 bits
constexpr std::uint64_t kLargestHeader = std::uint64_t{1} << 20;  // a larger one is left to others

// Of 4 lengths of 3 bits: the sum of 2^(7 - length). A complete code has 128 in all.
constexpr auto kShares = [] {
  std::array<std::uint16_t, 4096> shares{};
  for (unsigned i = 0; i < shares.size(); ++i) {
    for (unsigned field = 0; field < 4; ++field) {
      const unsigned length = i >> (3 * field) & 7;
      shares[i] = static_cast<std::uint16_t>(shares[i] + (length > 0 ? 128U >> length : 0));
    }
  }
  return shares;
}();

// At least 57 bits of the input from any bit on; 64 from the start of a byte. Zeros after the input's end.
class Words {
 public:
  explicit Words(const CompressedInput& input) : input_(&input) {}

  std::uint64_t at(std::uint64_t bit) {
    const std::uint64_t byte = bit / 8;
    if (byte < begin_ || byte + 8 > end_) {
      open(byte);
      if (byte >= input_->end()) {
        return 0;
      }
      if (byte + 8 > end_) {
        BitReader reader(*input_, bit);
        reader.need(56);
        return reader.peek();
      }
    }
    std::uint64_t word;
    std::memcpy(&word, data_ + (byte - begin_), 8);
    if constexpr (std::endian::native == std::endian::big) {
      word = __builtin_bswap64(word);
    }
    return word >> bit % 8;
  }

 private:
  void open(std::uint64_t byte) {
    for (const auto& chunk : input_->chunks) {
      if (byte < chunk->end()) {
        begin_ = chunk->offset;
        end_ = chunk->end();
        data_ = chunk->bytes.data();
        return;
      }
    }
    begin_ = end_ = 0;
  }

  const CompressedInput* input_;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
  const unsigned char* data_ = nullptr;
};

// Bit i is set if a block may start at bit i of `w`: type 10, not the last, no more than 286 and 30 symbols.
std::uint64_t possible_starts(std::uint64_t w) {
  const std::uint64_t too_many_literals = (w >> 4) & (w >> 5) & (w >> 6) & (w >> 7);
  const std::uint64_t too_many_distances = (w >> 9) & (w >> 10) & (w >> 11) & (w >> 12);
  return ~w & ~(w >> 1) & (w >> 2) & ~too_many_literals & ~too_many_distances;
}

// `count`: 4 bits. `lengths`: 3 bits each.
bool is_complete_length_code(unsigned count, std::uint64_t lengths) {
  lengths &= (std::uint64_t{1} << (3 * (count + 4))) - 1;
  // Without branches: they would be mispredicted.
  const unsigned sum = kShares[lengths & 4095] + kShares[lengths >> 12 & 4095] + kShares[lengths >> 24 & 4095] +
                       kShares[lengths >> 36 & 4095] + kShares[lengths >> 48];
  return sum == 128;
}

std::optional<std::uint64_t> find_block(const CompressedInput& input, std::uint64_t first, std::uint64_t last) {
  Words words(input);
  BlockCodes codes;
  // From the start of a byte, so that words have 64 bits.
  for (std::uint64_t bit = first / 8 * 8; bit < last; bit += kBitsAtOnce) {
    std::uint64_t starts = possible_starts(words.at(bit)) & ((std::uint64_t{1} << kBitsAtOnce) - 1);
    if (bit < first) {
      starts = starts >> (first - bit) << (first - bit);
    }
    for (; starts != 0; starts &= starts - 1) {
      const std::uint64_t start = bit + static_cast<unsigned>(std::countr_zero(starts));
      const std::uint64_t lengths = words.at(start + 17);
      if (!is_complete_length_code(static_cast<unsigned>(words.at(start + 13) & 15), lengths)) {
        continue;
      }
      if (start >= last) {
        return std::nullopt;
      }
      BitReader reader(input, start + 3);
      if (codes.read(reader) == BlockCodes::Result::kGood) {
        return start;
      }
    }
  }
  return std::nullopt;
}

std::optional<std::uint64_t> find_member(const CompressedInput& input, std::uint64_t first, std::uint64_t last) {
  constexpr unsigned char kMagic = 0x1f;
  for (const auto& chunk : input.chunks) {
    if (chunk->end() <= first) {
      continue;
    }
    if (chunk->offset >= last) {
      break;
    }
    const unsigned char* const data = chunk->bytes.data();
    const unsigned char* from = data + (std::max(first, chunk->offset) - chunk->offset);
    const unsigned char* const end = data + (std::min(last, chunk->end()) - chunk->offset);
    while ((from = static_cast<const unsigned char*>(
                std::memchr(from, kMagic, static_cast<std::size_t>(end - from)))) != nullptr) {
      const std::uint64_t at = chunk->offset + static_cast<std::uint64_t>(from - data);
      BitReader reader(input, 8 * at);
      bool needs_input = false;
      if (reader.need(24) && (reader.peek() & 0xffffff) == 0x088b1f && member_header_size(reader, needs_input)) {
        return 8 * at;
      }
      ++from;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<GzipStart> find_start(const CompressedInput& input, std::uint64_t first, std::uint64_t last) {
  const auto block = find_block(input, first, last);
  if (const auto member = find_member(input, (first + 7) / 8, (block.value_or(last) + 7) / 8)) {
    return GzipStart{*member, true};
  }
  return block ? std::optional(GzipStart{*block, false}) : std::nullopt;
}

std::optional<std::uint64_t> member_header_size(BitReader reader, bool& needs_input) {
  needs_input = false;
  const std::uint64_t start = reader.position();
  const auto ended = [&]() -> std::optional<std::uint64_t> {
    needs_input = !reader.input_is_complete();
    return std::nullopt;
  };
  unsigned char fixed[10];
  {
    BitReader ahead = reader;
    unsigned char smallest[kSmallestGzipMember];
    if (ahead.take_bytes(smallest, sizeof smallest) < sizeof smallest) {
      return ended();
    }
  }
  reader.take_bytes(fixed, sizeof fixed);
  const unsigned flags = fixed[3];
  // With a sum of the header (2) or reserved flags, it is left to others.
  if (fixed[0] != 0x1f || fixed[1] != 0x8b || fixed[2] != kGzipDeflate ||
      (flags & ~(kGzipTextFlag | kGzipExtraFlag | kGzipNameFlag | kGzipCommentFlag))) {
    return std::nullopt;
  }
  if (flags & kGzipExtraFlag) {
    if (!reader.need(16)) {
      return ended();
    }
    std::vector<unsigned char> extra(reader.take(16));
    if (reader.take_bytes(extra.data(), extra.size()) < extra.size()) {
      return ended();
    }
    if (flags == kGzipExtraFlag && extra.size() >= 6) {
      return std::nullopt;  // may be a BGZF block
    }
  }
  for (const unsigned flag : {kGzipNameFlag, kGzipCommentFlag}) {
    if (flags & flag) {
      do {
        if (!reader.need(8)) {
          return ended();
        }
        if (reader.position() - start > 8 * kLargestHeader) {
          return std::nullopt;
        }
      } while (reader.take(8) != 0);
    }
  }
  return (reader.position() - start) / 8;
}

}  // namespace trawl::io
