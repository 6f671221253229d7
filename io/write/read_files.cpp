#include "io/write/read_files.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "io/format/file_format.hpp"
#include "io/write/text_output.hpp"

namespace trawl::io {

namespace {

// One file, and which reads it gets.
struct ReadsOutput {
  ReadsOutput(const std::string& path, bool mapped, std::size_t mate_of, std::size_t mates_of, std::optional<int> level)
      : name(path),
        of_mapped(mapped),
        is_fastq(is_fastq_name(path).value_or(false)),
        mate(mate_of),
        mates(mates_of),
        output(path, level) {}

  std::string name;
  bool of_mapped;
  bool is_fastq;
  std::size_t mate;  // r % mates of its reads
  std::size_t mates;
  TextOutput output;
};

struct ReadsChunk : Chunk {
  std::unique_ptr<Chunk> records;
  std::vector<std::string> texts;  // of each file
  std::vector<TextPart> parts;
};

class ReadsSink final : public AlignmentSink {
 public:
  ReadsSink(std::unique_ptr<AlignmentSink> records, const ReadFilesOptions& options) : records_(std::move(records)) {
    for (const bool mapped : {false, true}) {
      const std::vector<std::string> names = files_of_mates(mapped ? options.mapped : options.unmapped);
      for (std::size_t m = 0; m < names.size(); ++m) {
        const auto level = has_extension(names[m], ".gz") ? std::optional(options.compression_level) : std::nullopt;
        files_.push_back(std::make_unique<ReadsOutput>(names[m], mapped, m, names.size(), level));
      }
    }
  }

  std::unique_ptr<Chunk> make_chunk() const override {
    auto chunk = std::make_unique<ReadsChunk>();
    chunk->records = records_->make_chunk();
    chunk->texts.resize(files_.size());
    chunk->parts.resize(files_.size());
    return chunk;
  }
  void format(const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments, Chunk& chunk) const override {
    auto& made = static_cast<ReadsChunk&>(chunk);
    records_->format(reads, alignments, *made.records);
    for (std::string& text : made.texts) {
      text.clear();
    }
    for (std::size_t r = 0; r < reads.size(); ++r) {
      if (reads.is_absent(r)) {
        continue;
      }
      const bool has_mate = reads.paired && !reads.is_absent(r ^ 1);
      const bool is_mapped =
          align::primary_of(alignments, r) != nullptr || (has_mate && align::primary_of(alignments, r ^ 1) != nullptr);
      for (std::size_t f = 0; f < files_.size(); ++f) {
        if (files_[f]->of_mapped != is_mapped) {
          continue;
        }
        if (files_[f]->mates == 2 && !has_mate) {
          throw InputError("the read '" + std::string(reads.name(r)) + "' has no mate, which " + files_[f]->name +
                           " needs; name a file without %, which has single reads and mates one after the other");
        }
        if (r % files_[f]->mates == files_[f]->mate) {
          append_read(reads, r, files_[f]->is_fastq, files_[f]->name, made.texts[f]);
        }
      }
    }
  }
  bool packs() const override { return true; }
  void place(Chunk& chunk) override {
    auto& made = static_cast<ReadsChunk&>(chunk);
    records_->place(*made.records);
    for_each_packed(made,
                    [](TextOutput& output, TextPart& part, const std::string& text) { output.place(part, text); });
  }
  void pack(Chunk& chunk) const override {
    auto& made = static_cast<ReadsChunk&>(chunk);
    records_->pack(*made.records);
    for_each_packed(made, [](const TextOutput& output, TextPart& part, const std::string&) { output.pack(part); });
  }
  void write(Chunk& chunk) override {
    auto& made = static_cast<ReadsChunk&>(chunk);
    records_->write(*made.records);
    for_each_packed(made, [](TextOutput& output, TextPart& part, const std::string&) { output.write(part); });
    for (std::size_t f = 0; f < files_.size(); ++f) {
      if (!files_[f]->output.packs()) {  // a pipe
        files_[f]->output.write(made.texts[f]);
      }
    }
  }
  void close() override {
    for (const auto& file : files_) {
      file->output.finish();
    }
    records_->close();
    for (const auto& file : files_) {
      file->output.commit();
    }
  }

 private:
  template <class Work>
  void for_each_packed(ReadsChunk& chunk, const Work& work) const {
    for (std::size_t f = 0; f < files_.size(); ++f) {
      if (files_[f]->output.packs()) {
        work(files_[f]->output, chunk.parts[f], chunk.texts[f]);
      }
    }
  }

  std::unique_ptr<AlignmentSink> records_;
  std::vector<std::unique_ptr<ReadsOutput>> files_;
};

}  // namespace

std::optional<bool> is_fastq_name(const std::string& name) {
  constexpr std::pair<const char*, bool> kExtensions[] = {
      {".fq", true}, {".fastq", true}, {".fa", false}, {".fasta", false}};
  for (const auto& [extension, is_fastq] : kExtensions) {
    if (has_extension(name, extension) || has_extension(name, std::string(extension) + ".gz")) {
      return is_fastq;
    }
  }
  return std::nullopt;
}

void append_read(const sequence::ReadBatch& reads, std::size_t read, bool is_fastq, const std::string& file,
                 std::string& text) {
  const std::string_view comment = reads.comment(read);
  text += is_fastq ? '@' : '>';
  text += reads.name(read);
  text += !comment.empty() && comment[0] != ' ' && comment[0] != '\t' ? "\t" : "";
  ((text += comment) += '\n') += reads.bases(read);
  if (is_fastq) {
    if (reads.qualities(read).size() != reads.length(read)) {
      throw InputError("the read '" + std::string(reads.name(read)) + "' has no qualities, which " + file +
                       " needs; name a file that ends in .fa or .fa.gz, or give the reads as FASTA");
    }
    (text += "\n+\n") += reads.qualities(read);
  }
  text += '\n';
}

std::vector<std::string> files_of_mates(const std::string& name) {
  if (name.find('%') == name.npos) {
    return name.empty() ? std::vector<std::string>() : std::vector{name};
  }
  std::vector<std::string> names{name, name};
  for (std::size_t m = 0; m < names.size(); ++m) {
    std::replace(names[m].begin(), names[m].end(), '%', static_cast<char>('1' + m));
  }
  return names;
}

std::unique_ptr<AlignmentSink> with_read_files(std::unique_ptr<AlignmentSink> records,
                                               const ReadFilesOptions& options) {
  return options.unmapped.empty() && options.mapped.empty() ? std::move(records)
                                                            : std::make_unique<ReadsSink>(std::move(records), options);
}

}  // namespace trawl::io
