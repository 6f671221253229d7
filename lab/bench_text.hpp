// The text of an experiment: made, or a file.
//
//   BenchText text(1000, 4, 1);              // random letters
//   text.plant({{500, "GATTACA"}});
//   text.characters().substr(498, 12)        // "..GATTACA..."
//   made_text("english", 40, 1)              // 40 characters of the text that seed 1 gives
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "lab/bench_options.hpp"

namespace trawl::lab {

/// Letters that replace those of the text at a place.
struct Plant {
  std::uint64_t position = 0;
  std::string letters;
};

class BenchText {
 public:
  /// A random text over `sigma` letters, 1 to 256; with 4 they are A, C, G, T.
  BenchText(std::uint64_t size, unsigned sigma, std::uint64_t seed);
  /// Any other text.
  BenchText(std::string name, std::string characters);

  /// "english", or the file.
  const std::string& name() const { return name_; }
  std::uint64_t size() const { return characters_.size(); }
  bool is_random() const { return !alphabet_.empty(); }
  /// Of a random text.
  const std::string& alphabet() const { return alphabet_; }
  const std::string& characters() const { return characters_; }
  /// How many different characters it has.
  unsigned letters() const;
  /// Replaces letters, as far as the text goes. If two plants overlap, the later one counts.
  void plant(const std::vector<Plant>& plants);

 private:
  std::string name_;
  std::string alphabet_;
  std::string characters_;
  mutable unsigned letters_ = 0;  // 0: not counted
};

/// The first `size` characters of the text of this kind ("english", "protein" or "dna") and seed. Made by all threads.
///
/// english: words of a small vocabulary, as frequent as Zipf's law says, in sentences and lines.
/// protein: the 20 amino acids, as frequent as in Swiss-Prot. dna: A, C, G, T, as frequent as in the human genome.
std::string made_text(const std::string& kind, std::uint64_t size, std::uint64_t seed);

/// The bytes of a file that is not empty. Throws InputError, IoError.
std::string file_bytes(const std::string& path);

/// Calls work(text) for each length and number of letters; one text is in memory at a time. `has_text`: on ranks that
/// have none, the texts are empty. Throws UsageError if a file is shorter than -n, InputError, IoError.
void for_each_text(const Options& options, bool has_text, const std::function<void(BenchText&)>& work);

/// `count` pieces from random places, of random lengths of the range. `plain_bases`: those with other letters than A,
/// C, G and T are left out if there are enough others. Throws UsageError if the text is too short.
std::vector<std::string> cut_pieces(const BenchText& text, const LengthRange& range, unsigned count, bool plain_bases,
                                    std::uint64_t seed);

}  // namespace trawl::lab
