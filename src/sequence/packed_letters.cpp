#include "sequence/packed_letters.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "sequence/alphabet.hpp"

namespace trawl::sequence {

void PackedLetters::append(std::string_view letters) {
  constexpr std::size_t kBlocks = 16;
  std::array<LetterMasks, kBlocks> masks;
  std::array<char, 64> last{};
  while (!letters.empty()) {
    const char* text = letters.data();
    std::size_t size = std::min<std::size_t>(letters.size() / 64, kBlocks) * 64;
    if (size == 0) {
      size = letters.size();
      std::memcpy(last.data(), text, size);
      text = last.data();
    }
    find_letters(text, (size + 63) / 64, masks.data());
    for (std::size_t at = 0; at < size; at += 64) {
      const LetterMasks& m = masks[at / 64];
      const std::uint64_t which = low_ones(static_cast<unsigned>(std::min<std::size_t>(64, size - at)));
      append(text + at, m, which, which & ~(m.bases | m.n));
    }
    letters.remove_prefix(size);
  }
}

// N at the letters `at`, counted from size_.
void PackedLetters::add_ns(std::uint64_t at) {
  while (at != 0) {
    const auto first = static_cast<unsigned>(std::countr_zero(at));
    const auto length = static_cast<unsigned>(std::countr_one(at >> first));
    add_run(runs_, {size_ + first, length, 'N'});
    at &= ~(low_ones(length) << first);
  }
}

// The characters `in_text` become the letters `at`, counted from size_.
void PackedLetters::add_ambiguous(const char* text, std::uint64_t in_text, std::uint64_t at) {
  for (; at != 0; at &= at - 1, in_text &= in_text - 1) {
    const char letter = upper_base(text[std::countr_zero(in_text)]);
    add_run(runs_, {size_ + static_cast<unsigned>(std::countr_zero(at)), 1, letter});
  }
}

}  // namespace trawl::sequence
