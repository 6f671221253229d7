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

GuideAligner::GuideAligner(std::uint32_t max_edits, std::uint32_t max_mismatches, std::uint32_t max_bulges)
    : edits_(max_edits),
      most_mismatches_(std::min(max_mismatches, max_edits)),
      bulges_(std::min(max_bulges, max_edits)),
      width_(2 * bulges_ + 3),
      reached_((most_mismatches_ + 1) * (bulges_ + 1) * width_, kNone) {}

// Finds the mismatches on a diagonal. Those beyond either end of the text mean nothing.
void GuideAligner::compare(const GuideLetters& guide, const GuideLetters& text, std::int32_t d) {
  std::uint64_t* const mismatches = mismatches_on(d);
  const auto words = static_cast<std::int64_t>(text.size() / 64 + 2);
  for (std::size_t w = 0; w < words_; ++w) {
    const std::int64_t first = static_cast<std::int64_t>(64 * w) + d;  // letter of the text
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

// The first mismatch from guide base i on, or `limit`.
std::int32_t GuideAligner::extend(std::int32_t d, std::int32_t i, std::int32_t limit) const {
  const std::uint64_t* const mismatches =
      &mismatches_[static_cast<std::size_t>(d + static_cast<std::int32_t>(bulges_)) * words_];
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

std::optional<GuideScore> GuideAligner::align(const GuideLetters& guide, const GuideLetters& text) {
  guide_size_ = static_cast<std::int32_t>(guide.size());
  words_ = guide.size() / 64 + 1;
  mismatches_.resize((2 * bulges_ + 1) * words_);
  const auto columns = static_cast<std::int32_t>(std::min<std::size_t>(text.size(), guide.size() + bulges_));
  for (std::uint32_t edits = 0; edits <= edits_; ++edits) {
    if (edits <= bulges_) {
      const auto most = static_cast<std::int32_t>(edits);
      compare(guide, text, most);
      if (most > 0) {
        compare(guide, text, -most);
      }
    }
    for (std::uint32_t b = edits - std::min(edits, most_mismatches_); b <= std::min(edits, bulges_); ++b) {
      const std::uint32_t x = edits - b;
      std::int32_t* const here = row(x, b);
      const std::int32_t* const fewer_mismatches = x > 0 ? row(x - 1, b) : nullptr;
      const std::int32_t* const fewer_bulges = b > 0 ? row(x, b - 1) : nullptr;
      const auto most = static_cast<std::int32_t>(b);
      for (std::int32_t d = -most; d <= most; ++d) {
        const std::int32_t limit = std::min(guide_size_, columns - d);
        std::int32_t i = edits == 0 ? 0 : kNone;
        if (fewer_mismatches != nullptr) {
          i = fewer_mismatches[d] + 1;
        }
        if (fewer_bulges != nullptr) {
          i = std::max({i, fewer_bulges[d - 1], fewer_bulges[d], fewer_bulges[d + 1] + 1});
        }
        if (i < 0 || limit < std::max(0, -d)) {
          here[d] = kNone;
          continue;
        }
        here[d] = extend(d, std::min(i, limit), limit);
        if (here[d] == guide_size_) {
          return GuideScore{static_cast<std::uint16_t>(x), static_cast<std::uint16_t>(b),
                            static_cast<std::uint32_t>(guide_size_ + d)};
        }
      }
    }
  }
  return std::nullopt;
}

void GuideAligner::trace(const GuideScore& score, bool gaps_near_pam, std::vector<match::Step>& steps) const {
  steps.clear();
  std::int32_t i = guide_size_;
  auto d = static_cast<std::int32_t>(score.text_length) - i;
  std::uint32_t x = score.mismatches;
  std::uint32_t b = score.bulges;
  while (b > 0) {
    const bool has_both = i > 0 && i + d > 0;
    const std::uint32_t differ = has_both && is_mismatch(d, i - 1) ? 1 : 0;
    const bool diagonal = has_both && differ <= x && row(x - differ, b)[d] >= i - 1;
    const bool deletion = i + d > 0 && row(x, b - 1)[d - 1] >= i;
    const bool insertion = i > 0 && row(x, b - 1)[d + 1] >= i - 1;
    if (diagonal && (gaps_near_pam || !(deletion || insertion))) {
      steps.push_back(match::Step::diagonal);
      --i;
      x -= differ;
    } else if (insertion) {
      steps.push_back(match::Step::insertion);
      --i;
      ++d;
      --b;
    } else {
      steps.push_back(match::Step::deletion);
      --d;
      --b;
    }
  }
  steps.insert(steps.end(), static_cast<std::size_t>(i), match::Step::diagonal);
  std::reverse(steps.begin(), steps.end());
}

}  // namespace trawl::scan
