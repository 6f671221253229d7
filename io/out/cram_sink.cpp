#include "io/out/cram_sink.hpp"

#include "io/out/bam_encoder.hpp"
#include "io/out/sam_header.hpp"

namespace trawl::io {
namespace {

struct CramChunk : Chunk {
  BamRecords records;
};

}  // namespace

CramSink::CramSink(const SinkOptions& options, const sequence::Reference& reference,
                   const std::vector<std::string>& md5s)
    : reference_(reference),
      rule_(record_rule(options)),
      read_group_(parse_read_group(options.read_group).id),
      file_(options.path),
      cram_(file_, sam_header(options, reference.contigs(), md5s), reference) {}

std::unique_ptr<Chunk> CramSink::make_chunk() const { return std::make_unique<CramChunk>(); }

void CramSink::format(const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments, Chunk& chunk) const {
  BamRecords& records = static_cast<CramChunk&>(chunk).records;
  records.clear();
  BamEncoder(records, reference_, read_group_, reads, alignments).append_all(rule_);
}

void CramSink::write(Chunk& chunk) { cram_.write(static_cast<CramChunk&>(chunk).records); }

void CramSink::close() {
  cram_.close();
  file_.commit();
}

}  // namespace trawl::io
