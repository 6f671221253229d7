#include "scan/find/end_check.hpp"

#include <algorithm>

namespace trawl::scan {

void EndCheck::check(const Query& query, std::uint32_t id, std::uint64_t first, std::uint64_t last,
                     std::vector<Hit>& ends) {
  if (options_.metric == Metric::hamming) {
    check_mismatches(query, id, first, last, ends);
  } else {
    check_edits(query, id, first, last, ends);
  }
}

void EndCheck::check_edits(const Query& query, std::uint32_t id, std::uint64_t first, std::uint64_t last,
                           std::vector<Hit>& ends) {
  const std::size_t m = query.length();
  const std::size_t words = (m + 63) / 64;
  if (loaded_ != &query) {
    eq_.assign(16 * words, 0);
    for (std::size_t i = 0; i < m; ++i) {
      for (unsigned set = 0; set < 16; ++set) {
        if ((set & query.set(static_cast<std::uint32_t>(i))) != 0) {
          eq_[set * words + i / 64] |= std::uint64_t{1} << (i % 64);
        }
      }
    }
    loaded_ = &query;
  }
  // A match with max_edits edits is at most this long.
  const auto reach = static_cast<std::int64_t>(m + options_.max_edits);
  const auto begin = static_cast<std::int64_t>(first) - reach;
  const auto length = static_cast<std::size_t>(static_cast<std::int64_t>(last) + 1 - begin);
  text_.load(reference_, begin, length, options_.ambiguous_matches);
  column_.assign(words, {});
  const std::uint64_t last_row = std::uint64_t{1} << ((m - 1) % 64);
  auto distance = static_cast<std::int64_t>(m);
  for (std::size_t i = 0; i < length; ++i) {
    distance +=
        match::myers_step(column_.data(), eq_.data() + text_.set_at(i) * words, static_cast<unsigned>(words), last_row);
    const std::int64_t at = begin + static_cast<std::int64_t>(i);
    if (distance <= static_cast<std::int64_t>(options_.max_edits) && at >= static_cast<std::int64_t>(first)) {
      ends.push_back({static_cast<std::uint64_t>(at), id, static_cast<std::uint16_t>(distance)});
    }
  }
}

void EndCheck::check_mismatches(const Query& query, std::uint32_t id, std::uint64_t first, std::uint64_t last,
                                std::vector<Hit>& ends) {
  const std::size_t m = query.length();
  const std::int64_t begin = static_cast<std::int64_t>(first) + 1 - static_cast<std::int64_t>(m);
  const std::size_t windows = last + 1 - first;
  text_.load(reference_, begin, windows + m, options_.ambiguous_matches);
  for (std::size_t w = 0; w < windows; ++w) {
    std::uint32_t mismatches = 0;
    for (std::size_t i = 0; i < m && mismatches <= options_.max_edits; ++i) {
      mismatches += (text_.set_bits(query.set(static_cast<std::uint32_t>(i)), w + i) & 1) == 0;
    }
    if (mismatches <= options_.max_edits) {
      ends.push_back({first + w, id, static_cast<std::uint16_t>(mismatches)});
    }
  }
}

}  // namespace trawl::scan
