#include "scan/report/guide_alignment.hpp"

#include <algorithm>

#include "base/bits.hpp"
#include "sequence/plane_window.hpp"

namespace trawl::scan {

void GuideLetters::assign(std::span<const std::uint8_t> sets) {
  size_ = sets.size();
  for (unsigned code = 0; code < 4; ++code) {
    planes_[code].assign(size_ / 64 + 2, 0);
    for (std::size_t i = 0; i < size_; ++i) {
      planes_[code][i / 64] |= std::uint64_t{(sets[i] >> code) & 1u} << (i % 64);
    }
  }
}

void GuideLetters::assign(const sequence::TextWindow& window, bool backwards) {
  size_ = window.length();
  const std::size_t words = size_ / 64 + 2;
  for (unsigned code = 0; code < 4; ++code) {
    auto& plane = planes_[code];
    plane.resize(words);
    if (!backwards) {
      std::copy_n(window.plane(code), words, plane.begin());
      continue;
    }
    for (std::size_t w = 0; w < words; ++w) {
      // Letters from 64 w on, counted from the end of the window.
      const std::size_t letters = std::min<std::size_t>(64, size_ - std::min(size_, 64 * w));
      plane[w] = letters == 0 ? 0 : reverse_bits(window.bits(code, size_ - 64 * w - letters)) >> (64 - letters);
    }
  }
}

void GuideDiagonals::begin(const GuideLetters& guide) {
  words_ = guide.size() / 64 + 1;
  mismatches_.resize((2 * static_cast<std::size_t>(most_) + 1) * words_);
}

void GuideDiagonals::compare(const GuideLetters& guide, const GuideLetters& text, std::int32_t d, std::int64_t shift) {
  std::uint64_t* const mismatches = &mismatches_[static_cast<std::size_t>(d + most_) * words_];
  const auto words = static_cast<std::int64_t>(text.size() / 64 + 2);
  for (std::size_t w = 0; w < words_; ++w) {
    const std::int64_t first = static_cast<std::int64_t>(64 * w) + d + shift;  // letter of the text
    const std::int64_t from = first >> 6;
    std::uint64_t match = 0;
    for (unsigned code = 0; code < 4; ++code) {
      const std::uint64_t* const plane = text.plane(code);
      const std::uint64_t word = from >= 0 && from < words ? plane[from] : 0;
      const std::uint64_t next = from + 1 >= 0 && from + 1 < words ? plane[from + 1] : 0;
      match |= guide.plane(code)[w] & sequence::funnel_shift_right(word, next, static_cast<unsigned>(first & 63));
    }
    mismatches[w] = ~match;
  }
}

std::int32_t GuideDiagonals::extend(std::int32_t d, std::int32_t i, std::int32_t limit) const {
  const std::uint64_t* const mismatches = row(d);
  auto w = static_cast<std::size_t>(i) / 64;
  if (i >= limit) {
    return limit;
  }
  std::uint64_t word = mismatches[w] >> (i % 64) << (i % 64);
  while (word == 0) {
    if (++w == words_) {
      return limit;
    }
    word = mismatches[w];
  }
  return std::min(limit, static_cast<std::int32_t>(64 * w + lowest_bit(word)));
}

std::uint32_t GuideDiagonals::count(std::int32_t d, std::size_t length) const {
  std::uint32_t count = 0;
  for (std::size_t w = 0; 64 * w < length; ++w) {
    const std::size_t bits = std::min<std::size_t>(64, length - 64 * w);
    count += popcount(row(d)[w] << (64 - bits));
  }
  return count;
}

GuideAligner::GuideAligner(const GuideLimits& limits)
    : limits_(limits),
      edits_(limits.edits),
      most_mismatches_(limits.mismatches),
      bulges_(limits.bulges),
      width_(2 * bulges_ + 3),
      reached_((most_mismatches_ + 1) * (bulges_ + 1) * width_, kNone),
      diagonals_(bulges_) {}

std::optional<GuideScore> GuideAligner::align(const GuideLetters& guide, const GuideLetters& text) {
  const auto guide_size = static_cast<std::int32_t>(guide.size());
  const auto columns = static_cast<std::int32_t>(std::min<std::size_t>(text.size(), guide.size() + bulges_));
  diagonals_.begin(guide);
  for (std::uint32_t edits = 0; edits <= edits_; ++edits) {
    if (edits <= bulges_) {
      const auto most = static_cast<std::int32_t>(edits);
      diagonals_.compare(guide, text, most);
      if (most > 0) {
        diagonals_.compare(guide, text, -most);
      }
    }
    for (std::uint32_t b = edits - std::min(edits, most_mismatches_); b <= std::min(edits, bulges_); ++b) {
      const std::uint32_t x = edits - b;
      std::int32_t* const here = row(x, b);
      const std::int32_t* const fewer_mismatches = x > 0 ? row(x - 1, b) : nullptr;
      const std::int32_t* const fewer_bulges = b > 0 ? row(x, b - 1) : nullptr;
      const auto most = static_cast<std::int32_t>(b);
      for (std::int32_t d = -most; d <= most; ++d) {
        const std::int32_t limit = std::min(guide_size, columns - d);
        std::int32_t i = edits == 0 ? 0 : kNone;
        if (fewer_mismatches != nullptr) {
          i = fewer_mismatches[d] + 1;
        }
        if (fewer_bulges != nullptr) {
          i = std::max(i, fewer_bulges[d]);
          if (limits_.allows(b, d)) {
            i = std::max({i, fewer_bulges[d - 1], fewer_bulges[d + 1] + 1});
          }
        }
        if (i < 0 || limit < std::max(0, -d)) {
          here[d] = kNone;
          continue;
        }
        here[d] = diagonals_.extend(d, std::min(i, limit), limit);
        if (here[d] == guide_size) {
          GuideScore score{static_cast<std::uint16_t>(x), static_cast<std::uint16_t>(b), GuideScore::kNone};
          if (b == 0) {
            score.ungapped = score.mismatches;
          } else if (const auto count = diagonals_.count(0, guide.size());
                     text.size() >= guide.size() && count <= most_mismatches_) {
            score.ungapped = static_cast<std::uint16_t>(count);
          }
          return score;
        }
      }
    }
  }
  return std::nullopt;
}

}  // namespace trawl::scan
