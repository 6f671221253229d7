#include "scan/report/record.hpp"

#include <array>
#include <cstring>

#include "base/append_number.hpp"
#include "base/bits.hpp"
#include "sequence/alphabet.hpp"

namespace trawl::scan {

namespace {

// Four letters: bits 0 to 3 of both planes.
constexpr auto kLettersOfBits = [] {
  std::array<std::array<char, 4>, 256> letters{};
  for (unsigned bits = 0; bits < 256; ++bits) {
    for (unsigned i = 0; i < 4; ++i) {
      letters[bits][i] = "ACGT"[(bits >> (4 + i) & 1) << 1 | (bits >> i & 1)];
    }
  }
  return letters;
}();

void put_letters(std::uint64_t high, std::uint64_t low, std::size_t count, std::string& text) {
  char room[64];
  for (std::size_t i = 0; i < count; i += 4) {
    std::memcpy(room + i, kLettersOfBits[(high >> i & 15) << 4 | (low >> i & 15)].data(), 4);
  }
  text.assign(room, count);
}

// The letters that the plain ones are compared with, in the direction of the reference: MD counts every letter of the
// pattern that is no base as one that differs.
struct PatternPlanes {
  std::uint64_t high = 0, low = 0, other = 0;
};

PatternPlanes planes_of_pattern(std::string_view bases, bool reverse) {
  PatternPlanes planes;
  for (std::size_t i = 0; i < bases.size(); ++i) {
    const std::size_t at = reverse ? bases.size() - 1 - i : i;
    const std::uint64_t code = sequence::base_code(bases[i]);
    if (code == sequence::kAmbiguous) {
      planes.other |= std::uint64_t{1} << at;
    } else {
      planes.high |= ((reverse ? 3 - code : code) >> 1) << at;
      planes.low |= ((reverse ? 3 - code : code) & 1) << at;
    }
  }
  return planes;
}

}  // namespace

void SiteRecord::unpack(std::string_view bases, bool with_md, RecordTexts& room) const {
  const auto letters = static_cast<std::uint32_t>(end - start);
  room.cigar.clear();
  for_each_packed_run(gaps, letters, [&](char op, std::uint32_t length) {
    append_number(room.cigar, length);
    room.cigar += op;
  });
  if (reverse) {
    put_letters(reverse_bits(~high) >> (64 - letters), reverse_bits(~low) >> (64 - letters), letters, room.text);
  } else {
    put_letters(high, low, letters, room.text);
  }
  room.md.clear();
  if (!with_md) {
    return;
  }
  const PatternPlanes planes = planes_of_pattern(bases, reverse);
  const auto letter_at = [&](std::uint32_t i) { return "ACGT"[(high >> i & 1) << 1 | (low >> i & 1)]; };
  std::uint32_t in_pattern = 0, in_text = 0, same = 0;
  for_each_packed_run(gaps, letters, [&](char op, std::uint32_t length) {
    if (op == 'I') {
      in_pattern += length;
      return;
    }
    if (op == 'D') {
      append_number(room.md, std::exchange(same, 0));
      room.md += '^';
      for (; length > 0; --length) {
        room.md += letter_at(in_text++);
      }
      return;
    }
    for (; length > 0; --length, ++in_pattern, ++in_text) {
      const std::uint64_t differs = (high >> in_text ^ planes.high >> in_pattern) |
                                    (low >> in_text ^ planes.low >> in_pattern) | planes.other >> in_pattern;
      if ((differs & 1) == 0) {
        ++same;
        continue;
      }
      append_number(room.md, std::exchange(same, 0));
      room.md += letter_at(in_text);
    }
  });
  append_number(room.md, same);
}

}  // namespace trawl::scan
