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

// What the records of a batch become.
struct RecordChunk : Chunk {
  BamRecords records;  // BAM and CRAM
  std::string text;    // SAM and BED
  TextPart part;
};

class BatchSink : public AlignmentSink {
 public:
  BatchSink(const SinkOptions& options, OutputFormat format, const sequence::Reference& reference)
      : format_(format), reference_(reference), rule_(options), read_group_(parse_read_group(options.read_group).id) {}

  void format(const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments, Chunk& chunk) const override {
    auto& made = static_cast<RecordChunk&>(chunk);
    made.records.clear();
    made.text.clear();
    if (format_ == OutputFormat::sam) {
      SamText(made.text, reference_, read_group_, reads, alignments).append_all(rule_);
    } else if (format_ == OutputFormat::bam || format_ == OutputFormat::cram) {
      BamEncoder(made.records, reference_, read_group_, reads, alignments).append_all(rule_);
    } else {
      append_bed(reference_, reads, alignments, made.text);
    }
  }
  std::unique_ptr<Chunk> make_chunk() const override { return std::make_unique<RecordChunk>(); }

 protected:
  OutputFormat format_;

 private:
  const sequence::Reference& reference_;
  align::RecordRule rule_;
  std::string read_group_;
};

// SAM, BAM and BED.
class PartSink final : public BatchSink {
 public:
  PartSink(const SinkOptions& options, OutputFormat format, const sequence::Reference& reference,
           const std::vector<std::string>& md5s)
      : BatchSink(options, format, reference),
        output_(options.output_name(), format == OutputFormat::bam || format == OutputFormat::bed_gz
                                           ? std::optional(options.compression_level)
                                           : std::nullopt) {
    if (options.is_owner() && format == OutputFormat::sam) {
      output_.write(sam_header(options, reference.contigs(), md5s));
    } else if (options.is_owner() && format == OutputFormat::bam) {
      output_.write(bam_header(sam_header(options, reference.contigs(), md5s), reference.contigs()), true);
    }
  }

  bool packs() const override { return output_.packs(); }
  void place(Chunk& chunk) override {
    auto& made = static_cast<RecordChunk&>(chunk);
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

  std::string path_for_others() const override { return output_.file().path_for_others(); }
  void write_in_order_only() override { output_.write_in_order_only(); }
  void get_place(Packer& to) const override { output_.get_place(to); }
  void set_place(Unpacker& from) override { output_.set_place(from); }
  bool has_end() const override { return output_.has_end(); }
  void get_end(Packer& to) const override { output_.get_end(to); }
  void set_end(Unpacker& from) override { output_.set_end(from); }
  void take_room(Chunk& chunk) override { output_.take_room(part(chunk)); }
  void write_to_room(Chunk& chunk) const override { output_.write_to_room(part(chunk)); }
  void check_written() const override { output_.file().check_written(); }
  void append_parcel(Chunk& chunk, std::string& parcel) const override {
    output_.append_parcel(part(chunk), static_cast<RecordChunk&>(chunk).text, parcel);
  }
  void write_parcel(std::string_view parcel) override { output_.write_parcel(parcel); }

 private:
  static TextPart& part(Chunk& chunk) { return static_cast<RecordChunk&>(chunk).part; }

  TextOutput output_;
};

class CramSink final : public BatchSink {
 public:
  CramSink(const SinkOptions& options, const sequence::Reference& reference, const std::vector<std::string>& md5s)
      : BatchSink(options, OutputFormat::cram, reference) {
    if (options.is_owner()) {
      file_.emplace(options.path);
      cram_.emplace(*file_, sam_header(options, reference.contigs(), md5s), reference);
    }
  }

  void write(Chunk& chunk) override { cram_->write(static_cast<RecordChunk&>(chunk).records); }
  void close() override {
    cram_->close();
    file_->commit();
  }
  void append_parcel(Chunk& chunk, std::string& parcel) const override {
    Packer packer;
    static_cast<RecordChunk&>(chunk).records.pack(packer);
    parcel += packer.bytes();
  }
  void write_parcel(std::string_view parcel) override {
    BamRecords records;
    Unpacker from(parcel);
    records.unpack(from);
    cram_->write(records);
  }

 private:
  std::optional<OutputFile> file_;  // of the process that writes
  std::optional<CramFile> cram_;
};

}  // namespace

std::unique_ptr<AlignmentSink> make_record_sink(const SinkOptions& options, OutputFormat format,
                                                const sequence::Reference& reference,
                                                const std::vector<std::string>& md5s) {
  if (format == OutputFormat::cram) {
    return std::make_unique<CramSink>(options, reference, md5s);
  }
  return std::make_unique<PartSink>(options, format, reference, md5s);
}

}  // namespace trawl::io
