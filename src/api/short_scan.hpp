// The search of one short string for a few patterns, on the calling thread and with nothing to set up: for calls that
// must take a microsecond. It finds what the search of a reference finds.
//
//   scan::ScanOptions options;
//   options.max_edits = 1;
//   const scan::QueryList queries = scan::make_queries({{"p", "GATTACA"}}, options);
//   const ShortScan search(queries, options);
//   std::vector<scan::SiteRecord> records;
//   search.suits(12) == true
//   search.find("CCCGATTACTCC", records);
//   records[0].start == 3
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "scan/find/query.hpp"
#include "scan/options.hpp"
#include "scan/report/record.hpp"

namespace trawl::api {

class ShortScan {
 public:
  /// Both must outlive this object.
  ShortScan(const std::vector<scan::Query>& queries, const scan::ScanOptions& options);

  /// Whether find() can search a string of this length, and is faster than the search of a reference.
  bool suits(std::size_t length) const { return works_ && length * queries_.size() <= kMostSteps; }

  /// Appends the records in the order of the output. `text`: IUPAC letters, in upper or lower case. Several threads may
  /// call it at a time.
  void find(std::string_view text, std::vector<scan::SiteRecord>& records) const;

 private:
  // With 64 letters a step takes about 1 ns; preparing the search of a reference takes about 20,000 ns.
  static constexpr std::size_t kMostSteps = std::size_t{1} << 14;

  // What a query matches: bit i of the word of a letter, if row i matches it. For patterns of up to 64 letters.
  struct Masks {
    std::array<std::uint64_t, 256> of{};
    std::uint64_t last = 0;  // the bit of the last row
    std::uint32_t length = 0;
  };

  struct End {
    std::uint32_t query;
    std::uint32_t at;  // of its last letter
    std::uint16_t distance;
  };

  void find_windows(std::uint32_t query, std::string_view text, std::vector<End>& ends) const;
  template <unsigned kAtOnce>
  void find_ends(std::uint32_t query, std::string_view text, std::vector<End>& ends) const;

  const std::vector<scan::Query>& queries_;
  const scan::ScanOptions& options_;
  bool works_;
  std::vector<Masks> masks_;
  std::uint64_t number_;  // no other ShortScan has it, now or later
};

}  // namespace trawl::api
