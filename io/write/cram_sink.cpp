#include "io/write/cram_sink.hpp"

#include "io/write/bam_encoder.hpp"
#include "io/write/sam_header.hpp"

namespace trawl::io {
namespace {

struct CramChunk : Chunk {
  BamRecords records;
};

}  // namespace

CramSink::CramSink(const SinkOptions& options, const sequence::Reference& reference,
                   const std::vector<std::string>& md5s)
    : reference_(reference), rule_(options), read_group_(parse_read_group(options.read_group).id) {
  if (options.is_owner()) {
    file_.emplace(options.path);
    cram_.emplace(*file_, sam_header(options, reference.contigs(), md5s), reference);
  }
}

std::unique_ptr<Chunk> CramSink::make_chunk() const { return std::make_unique<CramChunk>(); }

void CramSink::format(const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments, Chunk& chunk) const {
  BamRecords& records = static_cast<CramChunk&>(chunk).records;
  records.clear();
  BamEncoder(records, reference_, read_group_, reads, alignments).append_all(rule_);
}

void CramSink::write(Chunk& chunk) { cram_->write(static_cast<CramChunk&>(chunk).records); }

void CramSink::close() {
  cram_->close();
  file_->commit();
}

void CramSink::append_parcel(Chunk& chunk, std::string& parcel) const {
  Packer packer;
  static_cast<CramChunk&>(chunk).records.pack(packer);
  parcel += packer.bytes();
}

void CramSink::write_parcel(std::string_view parcel) {
  BamRecords records;
  Unpacker from(parcel);
  records.unpack(from);
  cram_->write(records);
}

}  // namespace trawl::io
