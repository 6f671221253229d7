// The letters of a reference as text.
//
//   with: const Reference reference = reference_of("ACGTACGT")
//   std::string text(4, ' ');
//   copy_letters(reference, reference.contigs()[0].offset + 2, text.size(), text.data());
//   text == "GTAC"
#pragma once

#include <cstddef>
#include <cstdint>

#include "sequence/reference.hpp"

namespace trawl::sequence {

/// Writes the letters at [begin, begin + length) of the coordinate space to `to`. They must lie in one contig.
void copy_letters(const Reference& reference, std::uint64_t begin, std::size_t length, char* to);

}  // namespace trawl::sequence
