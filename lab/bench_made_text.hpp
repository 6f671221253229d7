// Made texts of the kinds that papers about exact matching search: English, proteins, DNA.
//
//   made_text("english", 40, 1) == "..."      the first 40 characters of the text that seed 1 gives
#pragma once

#include <cstdint>
#include <string>

namespace trawl::lab {

/// The first `size` characters of the text of this kind ("english", "protein" or "dna") and seed. Made by all threads.
///
/// english: words of a small vocabulary, as frequent as Zipf's law says, in sentences and lines.
/// protein: the 20 amino acids, as frequent as in Swiss-Prot. dna: A, C, G, T, as frequent as in the human genome.
std::string made_text(const std::string& kind, std::uint64_t size, std::uint64_t seed);

}  // namespace trawl::lab
