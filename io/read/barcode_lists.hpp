// What the barcodes of reads with a structure may be: a list for each, or a table of the combinations that exist.
//
//   with: const std::string& files
//   const BarcodeLists lists = read_barcode_lists(files, scan::read_structure("8B+T8B"));
//   lists.of_barcode.size() == 2
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scan/read_structure.hpp"
#include "sequence/pattern.hpp"

namespace trawl::io {

struct BarcodeLists {
  /// Of `patterns`, from the first one to before the last one.
  struct Range {
    std::uint32_t first = 0, last = 0;
  };

  scan::ReadStructure structure{{}};
  sequence::PatternList patterns;  // all that are searched
  std::vector<Range> of_barcode;
  sequence::PatternList rows;  // what a read may have: a pattern, or a combination; empty: every combination
  std::map<std::vector<std::uint32_t>, std::uint32_t> row_of;  // of a combination; empty: row i is pattern i

  /// The row of a pattern for each barcode; nothing: there is none.
  std::optional<std::uint32_t> row(const std::vector<std::uint32_t>& of_barcodes) const {
    if (row_of.empty()) {
      return of_barcodes.size() == 1 ? std::optional(of_barcodes[0]) : std::nullopt;
    }
    const auto found = row_of.find(of_barcodes);
    return found == row_of.end() ? std::nullopt : std::optional(found->second);
  }
};

/// Reads a list for each barcode (a,b,c), one for all of them, or a table with a name and a sequence for each barcode.
/// Throws UsageError, InputError, IoError; also if a barcode has another length than the structure says.
BarcodeLists read_barcode_lists(const std::string& files, const scan::ReadStructure& structure);

}  // namespace trawl::io
