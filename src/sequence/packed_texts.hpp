// A reference of many short texts, such as reads, which several threads write at the same time.
//
//   const NamedText texts[] = {{"r1", "ACGT"}, {"r2", "ggn"}};
//   const Reference reference = pack_texts(texts, kContigGap);
//   reference.contigs()[1].name == "r2"
//   reference.letter(reference.contigs()[1].offset + 2) == 'N'
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "sequence/reference.hpp"

namespace trawl::sequence {

struct NamedText {
  std::string_view name;
  std::string_view letters;  // IUPAC codes, in upper or lower case; U counts as T. At least one
};

/// Each text is a contig. `gap`: the least number of positions between two of them, less than kContigGap only for
/// searches that say so. Before the first one and after the last one are kContigGap. Throws std::bad_alloc.
Reference pack_texts(std::span<const NamedText> texts, std::uint64_t gap);

}  // namespace trawl::sequence
