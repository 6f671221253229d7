#include "io/index/index_contigs.hpp"

#include <algorithm>
#include <memory>

#include "io/read/fasta_reader.hpp"
#include "sequence/packed_letters.hpp"

namespace trawl::io {

bool IndexContigs::step(FastaHandler& handler) {
  constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;
  if (contig_ == reference_->contigs().size()) {
    return false;
  }
  const sequence::Contig& contig = reference_->contigs()[contig_];
  if (done_ == 0) {
    handler.begin_contig(contig.name, {contig.topology.circular});
  }
  std::string letters(std::min(kPiece, contig.length - done_), 'N');
  copy_letters(*reference_, contig.offset + done_, letters.size(), letters.data());
  const auto packed = std::make_shared<sequence::PackedLetters>();
  packed->append(letters);
  handler.append(packed, 0, letters.size());
  letters_ += letters.size();
  done_ += letters.size();
  if (done_ == contig.length) {
    ++contig_;
    done_ = 0;
  }
  return true;
}

}  // namespace trawl::io
