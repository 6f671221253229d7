// Reads patterns from the files that people have: FASTA; lines with a name and a sequence; a table with a header line;
// lines with a sequence only; the input of Cas-OFFinder.
//
//   sequence::PatternList patterns;
//   read_patterns("guides.tsv", 16384, patterns);
//   patterns[0].name == "EMX1"
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "io/read/text_blocks.hpp"
#include "sequence/pattern.hpp"

namespace trawl::io {

/// What an input of Cas-OFFinder says besides the guides, which are given without their PAM.
struct CasOffinderInput {
  std::string pam;
  bool is_last = true;           // the PAM comes after the guide
  std::uint32_t mismatches = 0;  // in a guide
  std::uint32_t dna_bulges = 0;  // their sizes
  std::uint32_t rna_bulges = 0;

  template <class Self>
  static auto members(Self& self) {
    return std::tie(self.pam, self.is_last, self.mismatches, self.dna_bulges, self.rna_bulges);
  }
};

/// The columns of a table of patterns besides their names and sequences.
struct PatternColumns {
  std::vector<std::string> names;  // without a header line: `gene`, the third, then `column4`, ...
  std::vector<std::string> cells;  // of each pattern, with '\n' after each; fewer: the last ones are empty
};

/// Adds the patterns of a plain, gzip or BGZF file, or of the standard input ("-"), to `patterns`. Two patterns may
/// have the same name.
///
/// - FASTA.
/// - Lines with a name and a sequence, with a tab or a comma between them; `others`, if given, gets what follows.
/// - The same with a header line that names the column of the sequences ("sequence", "guide", "sgRNA", "spacer",
///   "primer" and others), and perhaps that of the names ("name", "id", "gene").
/// - Lines with a sequence only, which is then the name; with more than 64 letters the name is pattern1, pattern2, ...
/// - Cas-OFFinder: a line with the genome, one with the pattern of guide and PAM, then guides and mismatches.
///
/// CSV cells may be in double quotes. Blank lines, and outside of FASTA lines that begin with '#', are skipped.
///
/// Throws IoError. Throws InputError (with the line) for: a file without patterns; an empty pattern, or one of more
/// than `longest` letters; letters that are not IUPAC codes; names with control characters or of more than 254 bytes,
/// as SAM does not allow. Names may have blanks and letters beyond ASCII.
std::optional<CasOffinderInput> read_patterns(const std::string& path, std::size_t longest,
                                              sequence::PatternList& patterns, const TextOptions& options = {},
                                              PatternColumns* others = nullptr);

/// The name of a pattern that has none: its letters, or `pattern` and its number if there are more than 64.
std::string name_of_pattern(std::string_view bases, std::size_t number);

/// Whether it has letters, and IUPAC codes only.
bool is_iupac(std::string_view text);

/// What is wrong with the name of a pattern; "" if nothing.
std::string wrong_pattern_name(std::string_view name, bool is_fasta);

/// What is wrong with the letters of a pattern; "" if nothing.
std::string wrong_pattern_letters(std::string_view letters, std::string_view name);

/// What to say besides of a letter that is not an IUPAC code; mostly nothing.
///   inosine_hint('I') == "; for inosine, which pairs with any base, write N"
std::string inosine_hint(char letter);

}  // namespace trawl::io
