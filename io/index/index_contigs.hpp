// The letters of a reference in memory, for example of a saved index, piece by piece, as a FASTA would give them.
//
//   with: const auto reference = std::make_shared<const sequence::Reference>(reference_of("GATTACA"))
//   FastaChunks chunks(std::make_unique<IndexContigs>(reference), {}, 1);
//   sequence::TextChunk chunk;
//   chunks.next(chunk) == true
//   chunk.reference.bases() == 7
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "io/read/fasta_stream.hpp"
#include "sequence/reference.hpp"

namespace trawl::io {

class IndexContigs final : public ContigSource {
 public:
  explicit IndexContigs(std::shared_ptr<const sequence::Reference> reference) : reference_(std::move(reference)) {}

  bool step(FastaHandler& handler) override;
  /// Here, a letter counts as a byte.
  std::uint64_t consumed(std::uint64_t unused) const override { return letters_ - unused; }
  std::string warning() const override { return ""; }

 private:
  std::shared_ptr<const sequence::Reference> reference_;
  std::size_t contig_ = 0;     // the one whose letters come next
  std::uint64_t done_ = 0;     // its letters so far
  std::uint64_t letters_ = 0;  // of all contigs so far
};

}  // namespace trawl::io
