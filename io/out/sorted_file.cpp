#include "io/out/sorted_file.hpp"

#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include "io/out/bam_index.hpp"
#include "io/out/bgzf_output.hpp"
#include "io/out/cram_file.hpp"
#include "io/out/output_file.hpp"
#include "io/out/sam_header.hpp"

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
  BgzfPart part;
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
  void place(MergePiece& piece) override { output_.place_records(part(piece), piece.records); }
  void pack(MergePiece& piece) const override { output_.pack(part(piece)); }
  void write(MergePiece& piece) override {
    index_->add(piece.records.infos);
    output_.write(part(piece));
  }

  void finish() override {
    output_.finish();
    index_->save(index_file_);
  }

  void commit() override { commit_with_index(path_, OutputFormat::bam, output_, index_file_); }

 private:
  static BgzfPart& part(MergePiece& piece) { return static_cast<BamPiece&>(piece).part; }

  std::string path_;
  BgzfOutput output_;
  OutputFile index_file_;
  std::optional<BamIndex> index_;
};

class SortedCram : public SortedFile {
 public:
  SortedCram(const std::string& path, const std::string& header_text, const sequence::Reference& reference)
      : path_(path), file_(path), index_file_(path + ".crai"), cram_(file_, header_text, reference, &index_file_) {}

  std::unique_ptr<MergePiece> make_piece() const override { return std::make_unique<MergePiece>(); }
  void pack(MergePiece&) const override {}
  void write(MergePiece& piece) override { cram_.write(piece.records); }

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
