// What Arrow has in another form than the columns.
//
//   Cigars cigars;
//   cigars.elements = {7 << 4, 1 << 4 | 1};
//   cigars.offset = {0, 1, 2};
//   cigar_texts(cigars)[1] == "1I"
#pragma once

#include <cstdint>
#include <vector>

#include "columns/table.hpp"

namespace trawl::columns {

/// All CIGARs as text, one after the other.
Texts cigar_texts(const Cigars& cigars);

/// Makes a bit for each row that has a value, and returns how many have none. If all have one: no bits.
std::int64_t mark_valid(const Column& column, std::size_t rows, std::vector<std::uint8_t>& valid);

}  // namespace trawl::columns
