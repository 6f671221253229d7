// The letters of a reference as text.
//
//   std::string text(100, ' ');
//   copy_letters(reference, contig.offset, text.size(), text.data());
#pragma once

#include <cstddef>
#include <cstdint>

#include "sequence/reference.hpp"

namespace trawl::sequence {

/// Writes the letters at [begin, begin + length) of the coordinate space to `to`. They must lie in one contig.
void copy_letters(const Reference& reference, std::uint64_t begin, std::size_t length, char* to);

}  // namespace trawl::sequence
