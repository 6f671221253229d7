#include "io/write/record_sinks.hpp"

#include <filesystem>
#include <optional>
#include <system_error>

#include "align/cigar.hpp"
#include "align/records.hpp"
#include "base/append_number.hpp"
#include "io/write/bam_encoder.hpp"
#include "io/write/bam_index.hpp"
#include "io/write/cram_file.hpp"
#include "io/write/sam_header.hpp"
#include "io/write/sam_text.hpp"

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

// Gives the finished file and its index their names, and deletes other indexes, which programs would take for that of
// the new file. In this order no index ever lies beside another file than its own, whenever the program is stopped.
template <class File>
void commit_with_index(const std::string& path, OutputFormat format, File& file, OutputFile& index) {
  for (const std::string& name : index_names(path, format)) {
    std::error_code error;
    if (name != index.name()) {
      std::filesystem::remove(name, error);
    }
  }
  index.remove_old();
  file.commit();
  index.commit();
}

std::string header_of(const SinkOptions& options, const sequence::Reference& reference,
                      const std::vector<std::string>& md5s) {
  return sam_header(options, reference.contigs(), md5s, options.sort ? RecordOrder::by_place : RecordOrder::by_read);
}

// SAM, BAM and BED; of sorted BAM with the index.
class PartSink final : public FormattingSink {
 public:
  PartSink(const SinkOptions& options, OutputFormat format, const sequence::Reference& reference,
           const std::vector<std::string>& md5s)
      : FormattingSink(std::make_unique<RecordFormatter>(options, format, reference)),
        path_(options.path),
        format_(format),
        output_(options.path, format == OutputFormat::bam || format == OutputFormat::bed_gz
                                  ? std::optional(options.compression_level)
                                  : std::nullopt) {
    if (options.sort) {
      index_file_.emplace(path_ + BamIndex::extension(reference.contigs()));
    }
    if (format == OutputFormat::sam) {
      output_.write(header_of(options, reference, md5s));
    } else if (format == OutputFormat::bam) {
      std::uint64_t header_in_file = 0;
      output_.set_block_visitor([&](std::size_t, std::size_t in_file) { header_in_file += in_file; });
      output_.write(bam_header(header_of(options, reference, md5s), reference.contigs()), true);
      output_.set_block_visitor({});
      if (index_file_) {
        index_.emplace(reference.contigs(), header_in_file);
        output_.set_block_visitor([this](std::size_t text, std::size_t in_file) { index_->add_block(text, in_file); });
      }
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
      output_.pack(static_cast<RecordChunk&>(chunk).part);
    }
  }
  void write(Chunk& chunk) override {
    auto& made = static_cast<RecordChunk&>(chunk);
    if (index_) {
      index_->add(made.records.infos);
    }
    if (packs()) {
      output_.write(made.part);
    } else {
      output_.write(made.text);
    }
  }
  void close() override {
    output_.finish();
    if (index_) {
      index_->save(*index_file_);
      commit_with_index(path_, format_, output_, *index_file_);
    } else {
      output_.commit();
    }
  }

 private:
  std::string path_;
  OutputFormat format_;
  TextOutput output_;
  std::optional<OutputFile> index_file_;
  std::optional<BamIndex> index_;
};

// htslib writes it, and the index of sorted records.
class CramSink final : public FormattingSink {
 public:
  CramSink(const SinkOptions& options, const sequence::Reference& reference, const std::vector<std::string>& md5s)
      : FormattingSink(std::make_unique<RecordFormatter>(options, OutputFormat::cram, reference)),
        path_(options.path),
        file_(options.path),
        index_file_(options.sort ? std::make_unique<OutputFile>(path_ + ".crai") : nullptr),
        cram_(file_, header_of(options, reference, md5s), reference, index_file_.get()) {}

  void write(Chunk& chunk) override { cram_.write(static_cast<RecordChunk&>(chunk).records); }
  void close() override {
    cram_.close();
    if (index_file_) {
      commit_with_index(path_, OutputFormat::cram, file_, *index_file_);
    } else {
      file_.commit();
    }
  }

 private:
  std::string path_;
  OutputFile file_;
  std::unique_ptr<OutputFile> index_file_;
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

std::vector<std::string> index_names(const std::string& path, OutputFormat format) {
  const std::vector<std::string> extensions =
      format == OutputFormat::cram ? std::vector<std::string>{".crai"} : std::vector<std::string>{".bai", ".csi"};
  const std::filesystem::path file = path;
  std::vector<std::string> names = {(file.parent_path() / file.stem()).string() + extensions.front()};
  for (const std::string& extension : extensions) {
    names.push_back(path + extension);
  }
  return names;
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
