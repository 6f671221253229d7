#include "io/write/record_sinks.hpp"

#include <filesystem>
#include <optional>
#include <system_error>

#include "align/cigar.hpp"
#include "align/records.hpp"
#include "base/append_number.hpp"
#include "io/write/bam_index.hpp"
#include "io/write/cram_file.hpp"
#include "io/write/duplicate_keys.hpp"
#include "io/write/sam_header.hpp"
#include "io/write/sam_text.hpp"

namespace trawl::io {
namespace {

void append_bed(const sequence::Reference& reference, const sequence::ReadBatch& reads,
                const align::AlignmentBatch& alignments, std::string& text) {
  text.reserve(alignments.alignments.size() * 80);
  align::for_each_record(alignments, {.keep_unmapped = false}, [&](const align::AlignmentRecord& record) {
    if (!record.alignment) {
      return;
    }
    const align::Alignment& alignment = *record.alignment;
    text += reference.contigs()[alignment.contig].name;
    append_number(text += '\t', alignment.start);
    append_number(text += '\t', alignment.start + alignment.span);
    (text += '\t') += reads.name(record.read);
    if (record.flag & align::kFlagPaired) {
      text += record.flag & align::kFlagFirst ? "/1" : "/2";
    }
    append_number(text += '\t', record.mapq);
    append_number(text += alignment.reverse ? "\t-\t" : "\t+\t", alignment.distance);
    align::append_cigar(text += '\t', alignments.cigar_of(alignment), alignment.cigar_length);
    text += '\n';
  });
}

// SAM, BAM and BED; of sorted BAM with the index.
class RecordFileSink final : public FormattingSink {
 public:
  RecordFileSink(const SinkOptions& options, OutputFormat format, const sequence::Reference& reference,
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
      output_.write(sam_header(options, reference.contigs(), md5s));
    } else if (format == OutputFormat::bam) {
      std::uint64_t header_in_file = 0;
      output_.set_block_visitor([&](std::size_t, std::size_t in_file) { header_in_file += in_file; });
      output_.write(bam_header(sam_header(options, reference.contigs(), md5s), reference.contigs()), true);
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
    }
    commit_with_index(path_, format_, index_file_ ? &*index_file_ : nullptr, [&] { output_.commit(); });
  }

 private:
  std::string path_;
  OutputFormat format_;
  TextOutput output_;
  std::optional<OutputFile> index_file_;
  std::optional<BamIndex> index_;
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
    : format_(format),
      reference_(reference),
      rule_(options),
      read_group_(read_group_of(options.header_lines)),
      makes_keys_(options.sort && options.sort->mark_duplicates) {}

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
  chunk.keys.clear();
  if (makes_keys_) {
    append_duplicate_keys(reads, alignments, chunk.keys);
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

void commit_with_index(const std::string& path, OutputFormat format, OutputFile* index,
                       const std::function<void()>& commit) {
  if (index == nullptr) {
    commit();
    return;
  }
  for (const std::string& name : index_names(path, format)) {
    std::error_code error;
    if (name != index->name()) {
      std::filesystem::remove(name, error);
    }
  }
  index->remove_old();
  commit();
  index->commit();
}

std::unique_ptr<AlignmentSink> make_record_sink(const SinkOptions& options, OutputFormat format,
                                                const sequence::Reference& reference,
                                                const std::vector<std::string>& md5s) {
  if (format == OutputFormat::cram) {
    return make_cram_sink(options, reference, md5s);
  }
  return std::make_unique<RecordFileSink>(options, format, reference, md5s);
}

}  // namespace trawl::io
