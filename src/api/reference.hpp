// What a trawl::Reference holds.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "seed/seed_index.hpp"
#include "sequence/reference.hpp"
#include "trawl/reference.hpp"

namespace trawl::inline v0 {

struct Reference::Impl {
  std::shared_ptr<const sequence::Reference> reference;
  std::string fasta;              // its file, as given: now, or when the index was made
  std::vector<std::string> md5s;  // of a saved index
  std::vector<std::string> warnings;
  std::vector<Contig> contigs;

  /// The index of the CPU engine; built on the first call, once for all mappers.
  std::shared_ptr<const seed::SeedIndex> seeds(unsigned threads) const;
  /// The same, if it is there.
  std::shared_ptr<const seed::SeedIndex> known_seeds() const;

  mutable std::mutex mutex;
  mutable std::shared_ptr<const seed::SeedIndex> seeds_of_cpu;
};

}  // namespace trawl::inline v0
