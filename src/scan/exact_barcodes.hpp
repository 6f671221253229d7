// Barcodes by their letters: most reads have one without an edit, and then nothing has to be searched.
//
//   const ExactBarcodes exact({{"a", "ACGT"}, {"b", "GGTT"}}, 0, 2);
//   exact.find("GGTT") == 1
//   !exact.find("GGTA")
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "sequence/pattern.hpp"

namespace trawl::scan {

class ExactBarcodes {
 public:
  /// Patterns `first` to before `last`. It finds none if they have several lengths, more than 32 letters, or others
  /// than A, C, G, T. 16 bytes for each.
  ExactBarcodes(const sequence::PatternList& patterns, std::uint32_t first, std::uint32_t last);

  std::size_t length() const { return length_; }
  /// The only pattern with these letters, of which there are length().
  std::optional<std::uint32_t> find(std::string_view letters) const;

 private:
  std::optional<std::uint64_t> key_of(std::string_view letters) const;
  std::size_t group_of(std::uint64_t key) const { return key >> shift_; }

  std::size_t length_ = 0;  // 0: nothing can be found
  unsigned shift_ = 0;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> all_;  // letters and pattern; sorted
  std::vector<std::uint32_t> groups_;                         // where those with the same first letters begin
};

}  // namespace trawl::scan
