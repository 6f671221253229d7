#include "sequence/reference.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "sequence/alphabet.hpp"

namespace trawl::sequence {
namespace {

constexpr std::uint64_t kEachByte = 0x0101010101010101;

// Eight letters together; bit i is for letter i.
struct EightBases {
  std::uint64_t high;  // of the 2-bit codes
  std::uint64_t low;
  std::uint64_t known;  // the letter is one of A, C, G, T, U, in either case
};

std::uint64_t load_letters(const char* from, unsigned count) {
  std::uint64_t letters = 0;
  if constexpr (std::endian::native == std::endian::little) {
    if (count == 8) {
      std::memcpy(&letters, from, 8);
      return letters;
    }
  }
  for (unsigned i = 0; i < count; ++i) {
    letters |= std::uint64_t{static_cast<unsigned char>(from[i])} << (8 * i);
  }
  return letters;
}

// Gathers the lowest bit of each byte.
std::uint64_t gather(std::uint64_t bytes) { return ((bytes & kEachByte) * 0x0102040810204080) >> 56; }

// In ASCII, bits 2 and 1 of A, C, G and T (U) are 00, 01, 11 and 10.
EightBases encode_eight(std::uint64_t letters) {
  const std::uint64_t one = (letters >> 1) & kEachByte;
  const std::uint64_t two = (letters >> 2) & kEachByte;
  const std::uint64_t t = two & ~one;
  // What the letter's byte must be, if it is a base: 0x41 + 2 one + 4 two, but 0x54 (T) instead of 0x45. U is T + 1.
  const std::uint64_t base = (0x41 * kEachByte + 2 * one + 4 * two) ^ (0x11 * t);
  const std::uint64_t differs = ((letters & (0xdf * kEachByte)) ^ base) & ~t;
  const std::uint64_t known = ~(((differs & (0x7f * kEachByte)) + 0x7f * kEachByte) | differs) >> 7;
  return {gather(two), gather(one ^ two), gather(known)};
}

}  // namespace

HugeArray<std::uint64_t> summarise(std::span<const std::uint64_t> ambiguous) {
  HugeArray<std::uint64_t> summary((ambiguous.size() + 63) / 64);
  for (std::size_t i = 0; i < summary.size(); ++i) {
    const auto words = ambiguous.subspan(64 * i, std::min<std::size_t>(64, ambiguous.size() - 64 * i));
    std::uint64_t bits = 0;
    for (std::size_t b = 0; b < words.size(); ++b) {
      bits |= std::uint64_t{words[b] != 0} << b;
    }
    summary[i] = bits;
  }
  return summary;
}

Reference::Reference(Parts parts) : parts_(std::move(parts)) {
  for (const Contig& contig : parts_.contigs) {
    bases_ += contig.length;
  }
}

char Reference::letter(std::uint64_t position) const {
  const std::uint64_t word = position / 64;
  const unsigned bit = position % 64;
  if (((parts_.ambiguous[word] >> bit) & 1) == 0) {
    const auto& block = parts_.planes[word];
    return kBaseLetters[((block.high >> bit) & 1) << 1 | ((block.low >> bit) & 1)];
  }
  auto after = std::upper_bound(parts_.runs.begin(), parts_.runs.end(), position,
                                [](std::uint64_t p, const AmbiguousRun& run) { return p < run.begin; });
  if (after == parts_.runs.begin()) {
    return '\0';
  }
  const AmbiguousRun& run = *std::prev(after);
  return position < run.begin + run.length ? run.letter : '\0';
}

std::size_t Reference::contig_at(std::uint64_t position) const {
  auto after = std::upper_bound(parts_.contigs.begin(), parts_.contigs.end(), position,
                                [](std::uint64_t p, const Contig& contig) { return p < contig.offset; });
  return after == parts_.contigs.begin() ? 0 : static_cast<std::size_t>(after - parts_.contigs.begin()) - 1;
}

void ReferenceBuilder::put_word() {
  planes_.push_back(word_);
  ambiguous_.push_back(ambiguous_word_);
  word_ = {};
  ambiguous_word_ = ~std::uint64_t{0};
}

// Ends the word of the last base, and leaves at least kContigGap positions without a base.
void ReferenceBuilder::open_gap() {
  const std::uint64_t begin = (position_ + kContigGap + 63) / 64 * 64;
  for (std::uint64_t word = position_ / 64; word < begin / 64; ++word) {
    put_word();
  }
  position_ = begin;
}

void ReferenceBuilder::begin_contig(std::string_view name) {
  open_gap();
  contigs_.push_back({std::string(name), position_, 0});
}

// Appends the first `count` (up to 8) letters of `letters`, which has the first one in its lowest byte.
void ReferenceBuilder::append_eight(std::uint64_t letters, unsigned count) {
  const EightBases bases = encode_eight(letters);
  const std::uint64_t wanted = (std::uint64_t{1} << count) - 1;
  const std::uint64_t known = bases.known & wanted;
  if (known != wanted) {
    note_ambiguous(letters, ~known & wanted);
  }
  const std::uint64_t high = bases.high & known;
  const std::uint64_t low = bases.low & known;
  const unsigned bit = position_ % 64;
  word_.high |= high << bit;
  word_.low |= low << bit;
  ambiguous_word_ &= ~(known << bit);
  position_ += count;
  if (bit + count >= 64) {
    put_word();
    if (bit + count > 64) {
      const unsigned done = 64 - bit;
      word_ = {high >> done, low >> done};
      ambiguous_word_ = ~(known >> done);
    }
  }
}

// Bit i of `which`: the letter in byte i, at position_ + i, is ambiguous.
void ReferenceBuilder::note_ambiguous(std::uint64_t letters, std::uint64_t which) {
  auto& runs = runs_;
  for (; which != 0; which &= which - 1) {
    const int i = std::countr_zero(which);
    const char upper = upper_base(static_cast<char>((letters >> (8 * i)) & 0xff));
    const std::uint64_t at = position_ + static_cast<unsigned>(i);
    if (!runs.empty() && runs.back().letter == upper && runs.back().begin + runs.back().length == at) {
      ++runs.back().length;
    } else {
      runs.push_back({at, 1, upper});
    }
  }
}

void ReferenceBuilder::append(std::string_view letters) {
  const char* at = letters.data();
  const char* const end = at + letters.size();
  for (; end - at >= 8; at += 8) {
    append_eight(load_letters(at, 8), 8);
  }
  if (at != end) {
    const auto left = static_cast<unsigned>(end - at);
    append_eight(load_letters(at, left), left);
  }
  contigs_.back().length += letters.size();
}

Reference ReferenceBuilder::finish() && {
  open_gap();
  const auto words = planes_.size();
  const auto planes = std::make_shared<Words<PlaneBlock>>(std::move(planes_));
  const auto ambiguous = std::make_shared<Words<std::uint64_t>>(std::move(ambiguous_));
  return Reference({std::move(contigs_), HugeArray<PlaneBlock>::view(planes, planes->data(), words),
                    HugeArray<std::uint64_t>::view(ambiguous, ambiguous->data(), words), std::move(runs_),
                    summarise(*ambiguous)});
}

}  // namespace trawl::sequence
