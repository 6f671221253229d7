// The distances of a read at all positions of a text window: whole columns of the matrix, for reads and e of any size.
//
//   with: const sequence::Reference reference = reference_of("TTACTTT")
//   with: const sequence::EncodedRead read = read_of("ACGT")
//   sequence::TextWindow window;
//   window.load(reference, sequence::kContigGap, 7, false);
//   ColumnScan scan;
//   scan.start(read);
//   std::vector<std::int64_t> distances;
//   scan.run(window, 3, [&](std::size_t, std::int64_t distance) { distances.push_back(distance); });
//   distances == {3, 3, 3, 2, 1, 1, 2}
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/stop.hpp"
#include "match/myers.hpp"
#include "sequence/encoded_read.hpp"
#include "sequence/text_window.hpp"

namespace trawl::map {

class ColumnScan {
 public:
  void start(const sequence::EncodedRead& read) {
    length_ = read.length();
    words_ = static_cast<unsigned>((length_ + 63) / 64);
    rows_.assign(16 * std::size_t{words_}, 0);
    for (std::size_t i = 0; i < length_; ++i) {
      for (unsigned set = 1; set < 16; ++set) {
        rows_[set * words_ + i / 64] |= std::uint64_t{(read.set(i) & set) != 0} << (i % 64);
      }
    }
  }

  /// Calls visit(j, D) for positions j of the window, ascending, where words of the last row are computed. D: the
  /// smallest edit distance between the read and any part of the window that ends at j, if an alignment that stays on
  /// the diagonals 0 to `width` has it; otherwise not less than that. So letter i of the read lies at position i to i +
  /// width of the window, and words of rows outside are not computed.
  template <class Visit>
  void run(const sequence::TextWindow& text, std::size_t width, const Visit& visit) {
    constexpr std::uint64_t bottom = std::uint64_t{1} << 63;
    const unsigned end = words_ - 1;
    const auto last_row = [&](unsigned w) { return w < end ? bottom : std::uint64_t{1} << ((length_ - 1) % 64); };
    columns_.assign(words_, {});
    unsigned last = 0;
    std::int64_t distance = static_cast<std::int64_t>(std::min<std::size_t>(64, length_));  // in the last row of `last`
    for (std::size_t j = 0; j < text.length(); ++j) {
      if (j % 256 == 0) {
        Stop::look();
      }
      const auto first = static_cast<unsigned>(j > width ? (j - width) / 64 : 0);
      if (first > end) {
        return;
      }
      for (; last < std::min<std::size_t>(j / 64, end); ++last) {
        distance += static_cast<std::int64_t>(last + 1 < end ? 64 : length_ - 64 * std::size_t{end});
      }
      const std::uint64_t* const eq = rows_.data() + text.set_at(j) * words_;
      int change = first > 0 ? 1 : 0;
      for (unsigned w = first; w < last; ++w) {
        change = match::myers_step(columns_[w], eq[w], change, bottom);
      }
      distance += match::myers_step(columns_[last], eq[last], change, last_row(last));
      if (last == end) {
        visit(j, distance);
      }
    }
  }

 private:
  std::size_t length_ = 0;
  unsigned words_ = 0;
  std::vector<std::uint64_t> rows_;  // [set][word]: the rows that match a text letter's set
  std::vector<match::MyersWord<std::uint64_t>> columns_;
};

}  // namespace trawl::map
