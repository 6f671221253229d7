#include "io/write/bam_sink.hpp"

#include "io/write/bam_encoder.hpp"
#include "io/write/sam_header.hpp"

namespace trawl::io {
namespace {

struct BamChunk : Chunk {
  BamRecords records;
  BgzfPart part;
};

}  // namespace

BamSink::BamSink(const SinkOptions& options, const sequence::Reference& reference, const std::vector<std::string>& md5s)
    : reference_(reference),
      rule_(options),
      read_group_(parse_read_group(options.read_group).id),
      output_(options.output_name(), options.compression_level) {
  if (options.is_owner()) {
    output_.write(bam_header(sam_header(options, reference.contigs(), md5s), reference.contigs()), true);
  }
}

std::unique_ptr<Chunk> BamSink::make_chunk() const { return std::make_unique<BamChunk>(); }

void BamSink::format(const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments, Chunk& chunk) const {
  BamRecords& records = static_cast<BamChunk&>(chunk).records;
  records.clear();
  BamEncoder(records, reference_, read_group_, reads, alignments).append_all(rule_);
}

void BamSink::place(Chunk& chunk) {
  auto& bam = static_cast<BamChunk&>(chunk);
  output_.place_records(bam.part, bam.records);
}

void BamSink::pack(Chunk& chunk) const { output_.pack(static_cast<BamChunk&>(chunk).part); }
void BamSink::write(Chunk& chunk) { output_.write(static_cast<BamChunk&>(chunk).part); }
void BamSink::close() { output_.close(); }

void BamSink::take_room(Chunk& chunk) { output_.take_room(static_cast<BamChunk&>(chunk).part); }
void BamSink::write_to_room(Chunk& chunk) const { output_.write_to_room(static_cast<BamChunk&>(chunk).part); }

void BamSink::append_parcel(Chunk& chunk, std::string& parcel) const {
  output_.append_parcel(static_cast<BamChunk&>(chunk).part, parcel);
}

}  // namespace trawl::io
