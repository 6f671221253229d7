#include "io/out/sorted_sink.hpp"

#include <htslib/bgzf.h>

#include <filesystem>
#include <system_error>

#include "base/error.hpp"
#include "base/stopwatch.hpp"
#include "io/out/bam_encoder.hpp"
#include "io/out/cram_file.hpp"

namespace trawl::io {
namespace {

struct SortedChunk : Chunk {
  BamRecords records;
  MemoryRun::Scratch scratch;
  std::unique_ptr<MemoryRun> run;
};

std::string index_extension(OutputFormat format, const std::vector<sequence::Contig>& contigs) {
  return format == OutputFormat::cram ? ".crai" : BamIndex::extension(contigs);
}

class CramTarget : public MergeTarget {
 public:
  explicit CramTarget(CramFile& file) : file_(file) {}

  std::unique_ptr<MergePiece> make_piece() const override { return std::make_unique<MergePiece>(); }
  void pack(MergePiece&) const override {}
  void write(MergePiece& piece) override { file_.write(piece.records); }

 private:
  CramFile& file_;
};

// INTERIM
std::string bam_header(const std::string& text, const std::vector<sequence::Contig>& contigs) {
  std::string bytes = "BAM\1";
  const auto put = [&](std::uint32_t n) { bytes.append(reinterpret_cast<const char*>(&n), 4); };
  put(static_cast<std::uint32_t>(text.size()));
  bytes += text;
  put(static_cast<std::uint32_t>(contigs.size()));
  for (const auto& contig : contigs) {
    put(static_cast<std::uint32_t>(contig.name.size() + 1));
    bytes.append(contig.name).push_back('\0');
    put(static_cast<std::uint32_t>(contig.length));
  }
  return bytes;
}

struct BamPiece : MergePiece {
  struct Block {
    std::size_t begin, size;  // in raw
    std::size_t packed_at, packed;
  };
  std::string raw;
  std::vector<Block> blocks;
  std::string packed;
};

class BamTarget : public MergeTarget {
 public:
  BamTarget(OutputFile& file, const std::string& header, const std::vector<sequence::Contig>& contigs)
      : file_(file), index_(contigs, write_header(header)) {}
  std::unique_ptr<MergePiece> make_piece() const override { return std::make_unique<BamPiece>(); }
  void place(MergePiece& any) override {
    auto& piece = static_cast<BamPiece&>(any);
    piece.raw = rest_;
    piece.raw.append(piece.records.bytes.view());
    piece.blocks.clear();
    std::size_t at = 0;
    while (piece.raw.size() - at > 0xff00) {
      piece.blocks.push_back({at, 0xff00, 0, 0});
      at += 0xff00;
    }
    rest_ = piece.raw.substr(at);
  }
  void pack(MergePiece& any) const override {
    auto& piece = static_cast<BamPiece&>(any);
    piece.packed.clear();
    for (auto& block : piece.blocks) {
      pack_block(piece.raw.data() + block.begin, block.size, piece.packed, block.packed_at, block.packed);
    }
  }
  void write(MergePiece& any) override {
    auto& piece = static_cast<BamPiece&>(any);
    index_.add(piece.records.infos);
    for (auto& block : piece.blocks) {
      index_.add_block(block.size, block.packed);
    }
    file_.write(piece.packed);
  }
  void close(const std::string& index_path) {
    std::string packed;
    std::size_t at, size;
    if (!rest_.empty()) {
      pack_block(rest_.data(), rest_.size(), packed, at, size);
      index_.add_block(rest_.size(), size);
    }
    pack_block("", 0, packed, at, size);
    file_.write(packed);
    index_.save(index_path);
  }

 private:
  static void pack_block(const char* from, std::size_t n, std::string& to, std::size_t& at, std::size_t& size) {
    at = to.size();
    size = 0x10000;
    to.resize(at + size);
    if (n == 0) {
      static const char eof[] = "\037\213\010\4\0\0\0\0\0\377\6\0\102\103\2\0\033\0\3\0\0\0\0\0\0\0\0";
      to.replace(at, size, std::string(eof, 28));
      size = 28;
      return;
    }
    bgzf_compress(to.data() + at, &size, from, n, 1);
    to.resize(at + size);
  }
  std::uint64_t write_header(const std::string& header) {
    std::string packed;
    std::size_t at, size;
    for (std::size_t i = 0; i < header.size(); i += 0xff00) {
      pack_block(header.data() + i, std::min<std::size_t>(0xff00, header.size() - i), packed, at, size);
    }
    file_.write(packed);
    return packed.size();
  }
  OutputFile& file_;
  BamIndex index_;
  std::string rest_;
};

}  // namespace

SortedSink::SortedSink(const SinkOptions& options, OutputFormat format, const sequence::Reference& reference,
                       const std::vector<std::string>& md5s)
    : options_(options),
      reference_(reference),
      format_(format),
      rule_{options.keep_unmapped, options.mate_fields},
      group_(parse_read_group(options.read_group)),
      header_text_(sam_header(options, reference.contigs(), md5s, RecordOrder::by_place)),
      file_(options.path),
      index_file_(options.path + index_extension(format, reference.contigs())),
      sorter_(options.sort->memory, options.threads) {}

std::unique_ptr<Chunk> SortedSink::make_chunk() const { return std::make_unique<SortedChunk>(); }

void SortedSink::format(const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments, Chunk& chunk) const {
  auto& made = static_cast<SortedChunk&>(chunk);
  made.records.clear();
  BamEncoder(made.records, group_.id, reads, alignments).append_all(rule_);
  made.run = std::make_unique<MemoryRun>(made.records, made.scratch);
}

void SortedSink::write(Chunk& chunk) { sorter_.add(std::move(static_cast<SortedChunk&>(chunk).run)); }

void SortedSink::merge_to_bam() {
  BamTarget target(file_, bam_header(header_text_, reference_.contigs()), reference_.contigs());
  sorter_.merge(target, options_.sort->progress);
  target.close(index_file_.write_path());
}

void SortedSink::merge_to_cram() {
  CramFile cram(file_, header_text_, reference_, index_file_.write_path());
  CramTarget target(cram);
  sorter_.merge(target, options_.sort->progress);
  cram.close();
}

// Programs look for an index under each of these names, and would take an old one for that of the new file.
void SortedSink::remove_old_indexes() {
  index_file_.remove_old();
  const std::filesystem::path path = options_.path;
  const std::string stem = path.parent_path() / path.stem();
  for (const std::string& name : format_ == OutputFormat::bam
                                     ? std::vector{options_.path + ".bai", options_.path + ".csi", stem + ".bai"}
                                     : std::vector{stem + ".crai"}) {
    std::error_code error;
    if (name != index_file_.name()) {
      std::filesystem::remove(name, error);
    }
  }
}

void SortedSink::close() {
  Stopwatch watch;
  double seconds = 0;
  if (format_ == OutputFormat::cram) {
    merge_to_cram();
  } else {
    merge_to_bam();
  }
  // In this order no index ever lies beside another file than its own, whenever the program is stopped.
  remove_old_indexes();
  file_.commit();
  index_file_.commit();
  watch.lap(seconds);
  if (options_.sort->stats != nullptr) {
    options_.sort->stats->merge_seconds = seconds;
    options_.sort->stats->spilled_bytes = sorter_.spilled_bytes();
  }
}

}  // namespace trawl::io
