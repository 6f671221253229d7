#include "io/write/record_sinks.hpp"

#include <optional>

#include "align/cigar.hpp"
#include "align/records.hpp"
#include "base/append_number.hpp"
#include "io/write/bam_encoder.hpp"
#include "io/write/cram_file.hpp"
#include "io/write/sam_header.hpp"
#include "io/write/sam_text.hpp"
#include "io/write/text_output.hpp"

namespace trawl::io {
namespace {

void append_bed(const sequence::Reference& reference, const sequence::ReadBatch& reads,
                const align::AlignmentBatch& alignments, std::string& text) {
  text.reserve(alignments.alignments.size() * 80);
  align::for_each_record(alignments, {.keep_unmapped = false}, [&](const align::Record& record) {
    if (!record.alignment) {
      return;
    }
    const align::Alignment& alignment = *record.alignment;
    text += reference.contigs()[alignment.contig].name;
    text += '\t';
    append_number(text, alignment.start);
    text += '\t';
    append_number(text, alignment.start + alignment.span);
    text += '\t';
    text += reads.name(record.read);
    if (record.flag & align::kFlagPaired) {
      text += record.flag & align::kFlagFirst ? "/1" : "/2";
    }
    text += '\t';
    append_number(text, record.mapq);
    text += alignment.reverse ? "\t-\t" : "\t+\t";
    append_number(text, alignment.distance);
    text += '\t';
    align::append_cigar(text, alignments.cigar_of(alignment), alignment.cigar_length);
    text += '\n';
  });
}

struct PartChunk : RecordChunk {
  TextPart part;
};

// SAM, BAM and BED.
class PartSink final : public FormattingSink {
 public:
  PartSink(const SinkOptions& options, OutputFormat format, const sequence::Reference& reference,
           const std::vector<std::string>& md5s)
      : FormattingSink(std::make_unique<RecordFormatter>(options, format, reference)),
        format_(format),
        output_(options.path, format == OutputFormat::bam || format == OutputFormat::bed_gz
                                  ? std::optional(options.compression_level)
                                  : std::nullopt) {
    if (format == OutputFormat::sam) {
      output_.write(sam_header(options, reference.contigs(), md5s));
    } else if (format == OutputFormat::bam) {
      output_.write(bam_header(sam_header(options, reference.contigs(), md5s), reference.contigs()), true);
    }
  }

  std::unique_ptr<Chunk> make_chunk() const override { return std::make_unique<PartChunk>(); }
  bool packs() const override { return output_.packs(); }
  void place(Chunk& chunk) override {
    auto& made = static_cast<PartChunk&>(chunk);
    if (format_ == OutputFormat::bam) {
      output_.place(made.part, made.records);
    } else if (packs()) {
      output_.place(made.part, made.text);
    }
  }
  void pack(Chunk& chunk) const override {
    if (packs()) {
      output_.pack(part(chunk));
    }
  }
  void write(Chunk& chunk) override {
    if (packs()) {
      output_.write(part(chunk));
    } else {
      output_.write(static_cast<RecordChunk&>(chunk).text);
    }
  }
  void close() override { output_.close(); }

 private:
  static TextPart& part(Chunk& chunk) { return static_cast<PartChunk&>(chunk).part; }

  OutputFormat format_;
  TextOutput output_;
};

class CramSink final : public FormattingSink {
 public:
  CramSink(const SinkOptions& options, const sequence::Reference& reference, const std::vector<std::string>& md5s)
      : FormattingSink(std::make_unique<RecordFormatter>(options, OutputFormat::cram, reference)),
        file_(options.path),
        cram_(file_, sam_header(options, reference.contigs(), md5s), reference) {}

  void write(Chunk& chunk) override { cram_.write(static_cast<RecordChunk&>(chunk).records); }
  void close() override {
    cram_.close();
    file_.commit();
  }

 private:
  OutputFile file_;
  CramFile cram_;
};

}  // namespace

void RecordChunk::pack(Packer& to) const {
  records.pack(to);
  keys.pack(to);
  to.text(text).number(first_read).number(reads_end);
}

void RecordChunk::unpack(Unpacker& from) {
  records.unpack(from);
  keys.unpack(from);
  text = from.text();
  first_read = from.number<std::uint64_t>();
  reads_end = from.number<std::uint64_t>();
}

RecordFormatter::RecordFormatter(const SinkOptions& options, OutputFormat format, const sequence::Reference& reference)
    : format_(format), reference_(reference), rule_(options), read_group_(parse_read_group(options.read_group).id) {}

void RecordFormatter::format(const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments,
                             RecordChunk& chunk) const {
  chunk.records.clear();
  chunk.text.clear();
  chunk.first_read = reads.first_read;
  chunk.reads_end = reads.first_read + reads.size();
  const RecordSource from{reference_, read_group_, reads, alignments};
  if (format_ == OutputFormat::sam) {
    append_sam(from, rule_, chunk.text);
  } else if (format_ == OutputFormat::bam || format_ == OutputFormat::cram) {
    append_bam(from, rule_, chunk.records);
  } else {
    append_bed(reference_, reads, alignments, chunk.text);
  }
}

std::unique_ptr<AlignmentSink> make_record_sink(const SinkOptions& options, OutputFormat format,
                                                const sequence::Reference& reference,
                                                const std::vector<std::string>& md5s) {
  if (format == OutputFormat::cram) {
    return std::make_unique<CramSink>(options, reference, md5s);
  }
  return std::make_unique<PartSink>(options, format, reference, md5s);
}

}  // namespace trawl::io
