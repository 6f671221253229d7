// The letters of a reference as text.
//
//   with: const Reference reference = reference_of("ACGTACGT")
//   letters_at(reference, reference.contigs()[0].offset + 2, 4) == "GTAC"
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "sequence/packed_letters.hpp"
#include "sequence/reference.hpp"

namespace trawl::sequence {

/// Writes the letters at [begin, begin + length) of the coordinate space to `to`. They must lie in one contig.
void copy_letters(const Reference& reference, std::uint64_t begin, std::size_t length, char* to);

/// The same as text of its own, and as packed letters.
std::string letters_at(const Reference& reference, std::uint64_t begin, std::size_t length);
std::shared_ptr<const PackedLetters> packed_letters_at(const Reference& reference, std::uint64_t begin,
                                                       std::size_t length);

}  // namespace trawl::sequence
