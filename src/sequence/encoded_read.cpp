#include "sequence/encoded_read.hpp"

#include <algorithm>

#include "base/bits.hpp"
#include "sequence/alphabet.hpp"
#include "sequence/letter_masks.hpp"
#include "sequence/plane_window.hpp"

namespace trawl::sequence {

namespace {

void build_planes(EncodedRead& read) {
  const std::size_t length = read.codes.size();
  const std::size_t words = length / 64 + 2;
  read.high.assign(words, 0);
  read.low.assign(words, 0);
  for (std::size_t begin = 0; begin < length; begin += 64) {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    const std::size_t end = std::min(length, begin + 64);
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint64_t code = read.codes[i] & 3u;
      high |= (code >> 1) << (i - begin);
      low |= (code & 1) << (i - begin);
    }
    read.high[begin / 64] = high;
    read.low[begin / 64] = low;
  }
}

}  // namespace

void EncodedRead::encode(std::string_view bases, bool ambiguous_matches) {
  codes.resize(bases.size());
  std::transform(bases.begin(), bases.end(), codes.begin(), base_code);
  sets.clear();
  ambiguous = 0;
  high.assign(bases.size() / 64 + 2, 0);
  low.assign(bases.size() / 64 + 2, 0);
  for (std::size_t begin = 0; begin < bases.size(); begin += 64) {
    char block[64] = {};
    const std::size_t length = bases.copy(block, 64, begin);
    LetterMasks masks;
    find_letters(block, 1, &masks);
    high[begin / 64] = masks.high & masks.bases;
    low[begin / 64] = masks.low & masks.bases;
    ambiguous += length - popcount(masks.bases);
  }
  if (ambiguous > 0) {
    sets.resize(bases.size());
    for (std::size_t i = 0; i < bases.size(); ++i) {
      sets[i] = codes[i] == kAmbiguous && !ambiguous_matches ? 0 : iupac_set(bases[i]);
    }
  }
}

void EncodedRead::encode_part(const EncodedRead& read, std::size_t begin, std::size_t end) {
  const auto part = [&](const std::vector<std::uint8_t>& all, std::vector<std::uint8_t>& own) {
    own.assign(all.begin() + static_cast<std::ptrdiff_t>(begin), all.begin() + static_cast<std::ptrdiff_t>(end));
  };
  part(read.codes, codes);
  sets.clear();
  ambiguous = read.ambiguous == 0 ? 0 : static_cast<std::size_t>(std::count(codes.begin(), codes.end(), kAmbiguous));
  if (ambiguous > 0) {
    part(read.sets, sets);
  }
  const std::size_t used = (end - begin + 63) / 64;
  const auto part_of_plane = [&](const std::vector<std::uint64_t>& all, std::vector<std::uint64_t>& own) {
    own.assign((end - begin) / 64 + 2, 0);
    for (std::size_t w = 0; w < used; ++w) {
      own[w] = bits_at(all.data(), begin + 64 * w);
    }
    if ((end - begin) % 64 != 0) {
      own[used - 1] &= (std::uint64_t{1} << ((end - begin) % 64)) - 1;
    }
  };
  part_of_plane(read.high, high);
  part_of_plane(read.low, low);
}

void EncodedRead::encode_reverse_complement(const EncodedRead& forward) {
  const std::size_t length = forward.length();
  codes.resize(length);
  ambiguous = forward.ambiguous;
  for (std::size_t i = 0; i < length; ++i) {
    constexpr std::uint8_t kTurned[] = {3, 2, 1, 0, kAmbiguous};
    codes[i] = kTurned[forward.codes[length - 1 - i]];
  }
  sets.clear();
  if (ambiguous > 0) {
    sets.resize(length);
    for (std::size_t i = 0; i < length; ++i) {
      sets[i] = complement_set(forward.sets[length - 1 - i]);
    }
    build_planes(*this);
    return;
  }
  // Flipping both bits of a code gives its complement. The planes are reversed word by word, then shifted to start at
  // bit 0.
  const std::size_t words = length / 64 + 2;
  const std::size_t used = (length + 63) / 64;
  high.assign(words, 0);
  low.assign(words, 0);
  const unsigned shift = static_cast<unsigned>(used * 64 - length);
  for (std::size_t w = 0; w < used; ++w) {
    const auto turned = [&](const std::vector<std::uint64_t>& plane) {
      const std::uint64_t word = reverse_bits(~plane[used - 1 - w]);
      const std::uint64_t next = w + 1 < used ? reverse_bits(~plane[used - 2 - w]) : 0;
      return shift == 0 ? word : (word >> shift) | (next << (64 - shift));
    };
    high[w] = turned(forward.high);
    low[w] = turned(forward.low);
  }
}

}  // namespace trawl::sequence
