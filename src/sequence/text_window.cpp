#include "sequence/text_window.hpp"

#include "sequence/alphabet.hpp"

namespace trawl::sequence {

void TextWindow::load(const Reference& reference, std::int64_t begin, std::size_t length, bool ambiguous_matches) {
  length_ = length;
  const std::size_t words = length / 64 + 2;
  for (auto& plane : planes_) {
    plane.assign(words, 0);
  }
  const auto blocks = static_cast<std::int64_t>(reference.planes().size());
  const std::int64_t first_block = begin >> 6;
  const unsigned shift = static_cast<unsigned>(begin & 63);
  const auto block_bits = [&](std::int64_t block) -> std::array<std::uint64_t, 4> {
    if (block < 0 || block >= blocks) {
      return {};
    }
    const auto& plane = reference.planes()[static_cast<std::size_t>(block)];
    const std::uint64_t clear = ~reference.ambiguous()[static_cast<std::size_t>(block)];
    return {~plane.high & ~plane.low & clear, ~plane.high & plane.low & clear, plane.high & ~plane.low & clear,
            plane.high & plane.low & clear};
  };
  auto current = block_bits(first_block);
  for (std::size_t w = 0; w < words; ++w) {
    const auto next = block_bits(first_block + static_cast<std::int64_t>(w) + 1);
    for (unsigned code = 0; code < 4; ++code) {
      planes_[code][w] = funnel_shift_right(current[code], next[code], shift);
    }
    current = next;
  }
  if (!ambiguous_matches) {
    return;
  }
  const auto& runs = reference.ambiguous_runs();
  const std::int64_t end = begin + static_cast<std::int64_t>(words * 64);
  auto run = std::lower_bound(runs.begin(), runs.end(), begin, [](const AmbiguousRun& r, std::int64_t position) {
    return static_cast<std::int64_t>(r.begin + r.length) <= position;
  });
  for (; run != runs.end() && static_cast<std::int64_t>(run->begin) < end; ++run) {
    const std::int64_t from = std::max<std::int64_t>(static_cast<std::int64_t>(run->begin), begin) - begin;
    const std::int64_t to = std::min<std::int64_t>(static_cast<std::int64_t>(run->begin + run->length), end) - begin;
    const unsigned set = iupac_set(run->letter);
    for (std::int64_t i = from; i < to; ++i) {
      for (unsigned code = 0; code < 4; ++code) {
        planes_[code][static_cast<std::size_t>(i / 64)] |= std::uint64_t{(set >> code) & 1} << (i % 64);
      }
    }
  }
}

bool is_clear(const Reference& reference, std::int64_t begin, std::size_t length) {
  const std::int64_t end = begin + static_cast<std::int64_t>(length);
  if (begin < 0 || end + 128 > static_cast<std::int64_t>(reference.size())) {
    return false;
  }
  for (auto block = static_cast<std::uint64_t>(begin) / 64; block <= static_cast<std::uint64_t>(end) / 64;) {
    const bool is_clear = !reference.stretch_has_ambiguous(block);
    if (!is_clear && reference.block_has_ambiguous(block)) {
      return false;
    }
    block = is_clear ? block - block % 64 + 64 : block + 1;
  }
  return true;
}

}  // namespace trawl::sequence
