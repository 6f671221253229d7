#include "io/write/sort/sorted_file.hpp"

#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include "base/packer.hpp"
#include "io/write/bam_index.hpp"
#include "io/write/bgzf_output.hpp"
#include "io/write/cram_file.hpp"
#include "io/write/output_file.hpp"
#include "io/write/sam_header.hpp"

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
  BamFile(const OutputName& name, const std::string& header_text, const sequence::Reference& reference, int level)
      : path_(name.path), output_(name, level) {
    if (name.opened) {
      return;
    }
    index_file_.emplace(path_ + BamIndex::extension(reference.contigs()));
    std::uint64_t header_in_file = 0;
    output_.set_block_visitor([&](std::size_t, std::size_t in_file) { header_in_file += in_file; });
    output_.write(bam_header(header_text, reference.contigs()), true);
    index_.emplace(reference.contigs(), header_in_file);
    output_.set_block_visitor([&](std::size_t text, std::size_t in_file) { index_->add_block(text, in_file); });
  }

  std::unique_ptr<MergePiece> make_piece() const override { return std::make_unique<BamPiece>(); }
  bool packs() const override { return true; }
  void place(Chunk& chunk) override { output_.place_records(part(chunk), records(chunk)); }
  void pack(Chunk& chunk) const override { output_.pack(part(chunk)); }
  void write(Chunk& chunk) override {
    index_->add(records(chunk).infos);
    output_.write(part(chunk));
  }

  std::string path_for_others() const override { return output_.file().path_for_others(); }
  void get_place(Packer& to) const override { output_.get_place(to); }
  void set_place(Unpacker& from) override { output_.set_place(from); }
  bool has_end() const override { return true; }
  void get_end(Packer& to) const override { output_.get_end(to); }
  void set_end(Unpacker& from) override { output_.set_end(from); }
  void take_room(Chunk& chunk) override { output_.take_room(part(chunk)); }
  void write_to_room(Chunk& chunk) const override { output_.write_to_room(part(chunk)); }
  void check_written() const override { output_.file().check_written(); }
  void append_index_part(Chunk& chunk, std::string& bytes) const override {
    BamIndexPart made;
    made.add(records(chunk).infos);
    BgzfOutput::visit_blocks(part(chunk),
                             [&](std::size_t text, std::size_t in_file) { made.add_block(text, in_file); });
    Packer packer;
    made.pack(packer);
    bytes += packer.bytes();
  }
  void add_index_part(std::string_view bytes) override {
    Unpacker from(bytes);
    index_->add(BamIndexPart(from));
  }
  void append_parcel(Chunk& chunk, std::string& parcel) const override {
    std::string index;
    append_index_part(chunk, index);
    parcel += Packer().text(index).bytes();
    output_.append_parcel(part(chunk), parcel);
  }
  void write_parcel(std::string_view parcel) override {
    Unpacker from(parcel);
    add_index_part(from.text());
    output_.write_parcel(from.rest());
  }

  void finish() override {
    output_.finish();
    index_->save(*index_file_);
  }

  void commit() override { commit_with_index(path_, OutputFormat::bam, output_, *index_file_); }

 private:
  static BgzfPart& part(Chunk& chunk) { return static_cast<BamPiece&>(chunk).part; }
  static BamRecords& records(Chunk& chunk) { return static_cast<BamPiece&>(chunk).records; }

  std::string path_;
  BgzfOutput output_;
  // Of the process that has opened the file.
  std::optional<OutputFile> index_file_;
  std::optional<BamIndex> index_;
};

// htslib writes it, and its index: only the process that has opened it can.
class SortedCram : public SortedFile {
 public:
  SortedCram(const OutputName& name, const std::string& header_text, const sequence::Reference& reference)
      : path_(name.path) {
    if (!name.opened) {
      file_.emplace(path_);
      index_file_.emplace(path_ + ".crai");
      cram_.emplace(*file_, header_text, reference, &*index_file_);
    }
  }

  std::unique_ptr<MergePiece> make_piece() const override { return std::make_unique<MergePiece>(); }
  void write(Chunk& chunk) override { cram_->write(static_cast<MergePiece&>(chunk).records); }
  void append_index_part(Chunk&, std::string&) const override {}
  void add_index_part(std::string_view) override {}
  void append_parcel(Chunk& chunk, std::string& parcel) const override {
    Packer packer;
    static_cast<MergePiece&>(chunk).records.pack(packer);
    parcel += packer.bytes();
  }
  void write_parcel(std::string_view parcel) override {
    Unpacker from(parcel);
    BamRecords records;
    records.unpack(from);
    cram_->write(records);
  }

  void finish() override { cram_->close(); }

  void commit() override { commit_with_index(path_, OutputFormat::cram, *file_, *index_file_); }

 private:
  std::string path_;
  std::optional<OutputFile> file_;
  std::optional<OutputFile> index_file_;
  std::optional<CramFile> cram_;
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

std::unique_ptr<SortedFile> open_sorted_file(const OutputName& name, OutputFormat format,
                                             const std::string& header_text, const sequence::Reference& reference,
                                             int level) {
  if (format == OutputFormat::cram) {
    return std::make_unique<SortedCram>(name, header_text, reference);
  }
  return std::make_unique<BamFile>(name, header_text, reference, level);
}

}  // namespace trawl::io
