// What the server keeps in memory: the reference, its checksums and its seed index.
//
//   const HeldReference held = hold_reference("genome.fa", 8);
//   held.reference().bases()
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/index/fasta_identity.hpp"
#include "seed/seed_index.hpp"
#include "sequence/contig_names.hpp"
#include "sequence/reference.hpp"
#include "sequence/text_chunk.hpp"

namespace trawl::serve {

struct HeldReference {
  std::string path;                              // as given
  std::string fasta;                             // as given: now, or when the index was made
  sequence::TextChunk chunk;                     // the whole reference, for a scan
  sequence::ContigNames names;                   // of the contigs
  std::vector<std::string> labels;               // the same, as columns have them
  std::vector<std::string> md5s;                 // of the contigs
  std::shared_ptr<const seed::SeedIndex> seeds;  // null: each engine makes its own
  std::vector<std::string> warnings;
  io::FastaIdentity file, fasta_file;  // what `path` and `fasta` were when they were read

  const sequence::Reference& reference() const { return chunk.reference; }
  /// "" if a client that names this file, by its full path, means this reference; otherwise why it does not.
  std::string difference(const std::string& other) const;
};

/// `path`: a FASTA or a saved index. Throws InputError, IoError.
HeldReference hold_reference(const std::string& path, unsigned threads);

}  // namespace trawl::serve
