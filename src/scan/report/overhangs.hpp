// Patterns that hang over an end of a read (--partial), found by Myers' algorithm. Two letters beyond the end cost an
// edit, as in sassy (Beeloo and Groot Koerkamp 2025, doi:10.1101/2025.07.22.666207), whose overhang cost is 0.5 for
// each; here the sum is rounded up. So the first column of the matrix is 0, 1, 1, 2, 2, ..; at the other end of the
// read all is turned round.
//
//   ScanOptions options;
//   options.max_edits = 1;
//   std::vector<SiteRecord> found;
//   Overhangs({{"p", "GATTACAG"}}, options, 2).search("TTACAGCCCC", 7, [&](const SiteRecord& record) {
//     found.push_back(copy_of(record));
//   });
//   found.size() == 1 && found[0].end == 6 && found[0].distance == 1 && found[0].texts->cigar == "2S6M"
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "scan/options.hpp"
#include "scan/report/record.hpp"

namespace trawl::scan {

class Overhangs {
 public:
  static constexpr std::size_t kLongest = 64;  // letters of a pattern

  /// `most`: letters beyond an end. Only the `first` bases of a read are searched, and the `last`; both 0: all.
  Overhangs(const PatternList& patterns, const ScanOptions& options, std::uint32_t most, std::uint64_t first = 0,
            std::uint64_t last = 0);

  /// Whether a pattern of this many letters would match at every end.
  static bool matches_every_end(std::size_t length, std::uint32_t most, std::uint32_t max_edits);

  /// Calls take(record) for each pattern, strand and end of the read with at most max_edits, if it is better there than
  /// all places of this pattern and strand among the same letters of the read. The record is the piece in the read; in
  /// its CIGAR, letters beyond the end are S. MD is empty.
  void search(std::string_view read, std::uint64_t contig, const std::function<void(const SiteRecord&)>& take) const;

 private:
  // A strand of a pattern, from the letter that may be beyond the end inwards.
  struct Inwards {
    std::uint64_t eq[4] = {};  // by letter: where it matches
    std::uint32_t pattern = 0, length = 0;
    bool reverse = false;
    bool is_last = false;  // of the read's ends
  };

  SiteRecord record(const Inwards& pattern, std::string_view read, std::span<const std::uint8_t> text,
                    std::uint32_t distance) const;

  std::uint32_t most_, max_edits_;
  std::uint64_t within_[2];
  std::vector<Inwards> patterns_;
};

}  // namespace trawl::scan
