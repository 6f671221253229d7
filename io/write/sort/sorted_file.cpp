#include "io/write/sort/sorted_file.hpp"

#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include "io/write/bam_index.hpp"
#include "io/write/cram_file.hpp"
#include "io/write/output_file.hpp"
#include "io/write/sam_header.hpp"
#include "io/write/text_output.hpp"

namespace trawl::io {
namespace {

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

struct BamPiece : MergePiece {
  TextPart part;
};

class BamFile : public SortedFile {
 public:
  BamFile(const std::string& path, const std::string& header_text, const sequence::Reference& reference, int level)
      : path_(path), output_(path, level), index_file_(path + BamIndex::extension(reference.contigs())) {
    std::uint64_t header_in_file = 0;
    output_.set_block_visitor([&](std::size_t, std::size_t in_file) { header_in_file += in_file; });
    output_.write(bam_header(header_text, reference.contigs()), true);
    index_.emplace(reference.contigs(), header_in_file);
    output_.set_block_visitor([&](std::size_t text, std::size_t in_file) { index_->add_block(text, in_file); });
  }

  std::unique_ptr<MergePiece> make_piece() const override { return std::make_unique<BamPiece>(); }
  bool packs() const override { return true; }
  void place(Chunk& chunk) override { output_.place(part(chunk), records(chunk)); }
  void pack(Chunk& chunk) const override { output_.pack(part(chunk)); }
  void write(Chunk& chunk) override {
    index_->add(records(chunk).infos);
    output_.write(part(chunk));
  }

  void finish() override {
    output_.finish();
    index_->save(index_file_);
  }

  void commit() override { commit_with_index(path_, OutputFormat::bam, output_, index_file_); }

 private:
  static TextPart& part(Chunk& chunk) { return static_cast<BamPiece&>(chunk).part; }
  static BamRecords& records(Chunk& chunk) { return static_cast<BamPiece&>(chunk).records; }

  std::string path_;
  TextOutput output_;
  OutputFile index_file_;
  std::optional<BamIndex> index_;
};

// htslib writes it, and its index.
class SortedCram : public SortedFile {
 public:
  SortedCram(const std::string& path, const std::string& header_text, const sequence::Reference& reference)
      : path_(path), file_(path), index_file_(path + ".crai"), cram_(file_, header_text, reference, &index_file_) {}

  std::unique_ptr<MergePiece> make_piece() const override { return std::make_unique<MergePiece>(); }
  void write(Chunk& chunk) override { cram_.write(static_cast<MergePiece&>(chunk).records); }

  void finish() override { cram_.close(); }

  void commit() override { commit_with_index(path_, OutputFormat::cram, file_, index_file_); }

 private:
  std::string path_;
  OutputFile file_;
  OutputFile index_file_;
  CramFile cram_;
};

}  // namespace

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

std::unique_ptr<SortedFile> open_sorted_file(const std::string& path, OutputFormat format,
                                             const std::string& header_text, const sequence::Reference& reference,
                                             int level) {
  if (format == OutputFormat::cram) {
    return std::make_unique<SortedCram>(path, header_text, reference);
  }
  return std::make_unique<BamFile>(path, header_text, reference, level);
}

}  // namespace trawl::io
