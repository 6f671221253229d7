// Columns behind columns.
//
//   Texts all, more;
//   all.add("chr1");
//   more.add("chr2");
//   append(all, more);
//   all[1] == "chr2"
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "trawl/columns.hpp"

namespace trawl::columns {

template <class T>
void append(std::vector<T>& all, const std::vector<T>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

inline void append_offsets(std::vector<std::uint64_t>& all, const std::vector<std::uint64_t>& more) {
  const std::uint64_t before = all.back();
  std::transform(more.begin() + 1, more.end(), std::back_inserter(all), [&](std::uint64_t at) { return before + at; });
}

inline void append(Texts& all, const Texts& more) {
  append_offsets(all.offset, more.offset);
  all.text += more.text;
}

inline void append(Cigars& all, const Cigars& more) {
  append_offsets(all.offset, more.offset);
  append(all.elements, more.elements);
}

}  // namespace trawl::columns
