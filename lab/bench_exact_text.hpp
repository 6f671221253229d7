// The texts of `trawl-bench exact` and `trawl-bench multi`, in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lab/bench_text_options.hpp"
#include "sequence/reference.hpp"

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

/// The parts that trawl scan can search, each as a contig.
sequence::Reference make_reference(const ExactText& text);

/// Calls work(text) for each length and number of letters; one text is in memory at a time. Throws UsageError if a file
/// is shorter than -n, InputError, IoError.
void for_each_text(const TextOptions& options, const std::function<void(const ExactText&)>& work);

/// `count` pieces of `m` characters from random places. Throws UsageError if the text is shorter than m.
std::vector<std::string> cut_pieces(const ExactText& text, unsigned m, unsigned count, std::uint64_t seed);

}  // namespace trawl::lab
