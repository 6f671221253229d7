// Parts of the results, which are columns: a vector for each property, with an entry for each row.
//
//   trawl::Texts names;
//   names.add("chr1");
//   names[0] == "chr1"
//   trawl::cigar_text(std::vector<std::uint32_t>{7 << 4, 1 << 4 | 1, 2 << 4}) == "7M1I2M"
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "trawl/export.h"

namespace trawl::inline v0 {

/// Texts one after the other, like a string column of Arrow; text i is [offset[i], offset[i + 1]).
struct Texts {
  std::vector<std::uint64_t> offset{0};
  std::string text;

  std::size_t size() const { return offset.size() - 1; }
  std::string_view operator[](std::size_t i) const {
    return std::string_view(text).substr(offset[i], offset[i + 1] - offset[i]);
  }
  void add(std::string_view one) {
    text += one;
    offset.push_back(text.size());
  }
};

/// CIGARs likewise. An element is length << 4 | operation; 0 to 8 are the operations MIDNSHP=X, as in BAM.
struct Cigars {
  std::vector<std::uint64_t> offset{0};
  std::vector<std::uint32_t> elements;

  std::size_t size() const { return offset.size() - 1; }
  std::span<const std::uint32_t> operator[](std::size_t i) const {
    return std::span(elements).subspan(offset[i], offset[i + 1] - offset[i]);
  }
};
TRAWL_API std::string cigar_text(std::span<const std::uint32_t> elements);

}  // namespace trawl::inline v0
