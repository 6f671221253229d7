// The reference of a run, from a FASTA or from a saved index.
//
//   LoadedReference loaded = load_reference("genome.fa.trawl", 8);
//   for (const std::string& warning : loaded.warnings) { ... }
//   auto engine = choice.make(loaded.reference, loaded.seeds);
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "seed/seed_index.hpp"
#include "sequence/reference.hpp"

namespace trawl::run {

struct LoadedReference {
  sequence::Reference reference;
  std::string fasta;                             // as given: now, or when the index was made
  std::vector<std::string> md5s;                 // of a saved index; of a FASTA they are not computed here
  std::shared_ptr<const seed::SeedIndex> seeds;  // of a saved index
  std::vector<std::string> warnings;
};

/// `path`: a FASTA or a saved index, whatever its name. Throws InputError, IoError.
LoadedReference load_reference(const std::string& path, unsigned threads);

/// Where the FASTA of a reference is now, for programs that read it, too. `path`: as for load_reference(). "-" if it
/// was read from the standard input. Throws InputError, IoError.
std::string fasta_file(const std::string& path);

}  // namespace trawl::run
