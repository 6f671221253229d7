// The texts of `trawl bench exact`, in memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/bench_exact_options.hpp"

namespace trawl::lab {

/// A sequence in a text.
struct TextPart {
  std::uint64_t begin = 0;
  std::uint64_t length = 0;
};

struct ExactText {
  std::string name;  // "english", or the file
  std::string characters;
  unsigned letters = 0;         // how many different characters it has
  std::vector<TextPart> bases;  // the parts that trawl scan can search: A, C, G, T and N; empty: it cannot
};

/// One of the texts. `length`: 0: the file as a whole. Throws UsageError if the file is shorter than that, InputError,
/// IoError.
ExactText make_exact_text(const ExactOptions& options, std::uint64_t length, unsigned sigma);

/// `count` pieces of `m` characters from random places. Throws UsageError if the text is shorter than m.
std::vector<std::string> cut_pieces(const ExactText& text, unsigned m, unsigned count, std::uint64_t seed);

}  // namespace trawl::lab
