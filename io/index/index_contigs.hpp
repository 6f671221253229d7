// The letters of a saved index, piece by piece, as a FASTA would give them.
//
//   FastaChunks chunks(std::make_unique<IndexContigs>(open_saved_index(path).reference), options, threads);
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "io/in/fasta_stream.hpp"
#include "sequence/reference.hpp"

namespace trawl::io {

class IndexContigs final : public ContigSource {
 public:
  explicit IndexContigs(sequence::Reference reference) : reference_(std::move(reference)) {}

  bool step(FastaHandler& handler) override;
  /// Here, a letter counts as a byte.
  std::uint64_t consumed(std::uint64_t unused) const override { return letters_ - unused; }
  std::string warning() const override { return ""; }

 private:
  sequence::Reference reference_;
  std::size_t contig_ = 0;     // the one whose letters come next
  std::uint64_t done_ = 0;     // its letters so far
  std::uint64_t letters_ = 0;  // of all contigs so far
};

}  // namespace trawl::io
