#include "io/write/sort/sorted_file_run.hpp"

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "io/format/crc32.hpp"
#include "io/format/gzip_format.hpp"
#include "io/read/gzip/inflate_stream.hpp"
#include "io/write/bgzf_compressor.hpp"

namespace trawl::io {

namespace {

// A range of a merge reads whole groups, of each file one too many. Smaller groups compress less.
constexpr std::uint64_t kGroupBytes = std::uint64_t{1} << 14;
// The file is read once or twice, so time counts for more than space. Measured on one core with ISA-L, reads of 100 bp
// with qualities: 118 bytes a read instead of 246, for 0.9 us a read, writing and reading together. A disk takes
// 0.25 us less a read at 1 GB/s, and the threads share the work.
constexpr int kLevel = 1;

// Inflates the block at the start of `packed` to `to`, where `room` bytes are free. Takes it away from `packed`;
// returns the size of its text. False if it is not as it was written.
bool inflate_block(std::string_view& packed, char* to, std::size_t room, std::size_t& text_size) {
  const auto* const block = reinterpret_cast<const unsigned char*>(packed.data());
  if (packed.size() < kBgzfHead) {
    return false;
  }
  const std::size_t size = little_endian(block + kBgzfHead - 2, 2) + std::size_t{1};
  if (size > packed.size() || size < kBgzfHead + kGzipSums) {
    return false;
  }
  const unsigned char* const sums = block + size - kGzipSums;
  text_size = little_endian(sums + 4, 4);
  packed.remove_prefix(size);
  return text_size <= room && inflate_whole(block + kBgzfHead, size - kBgzfHead - kGzipSums, to, text_size) &&
         crc32_of(to, text_size) == little_endian(sums, 4);
}

}  // namespace

std::string_view FileRun::groups(std::size_t first, std::size_t last, ByteBuffer& buffer) const {
  const auto at = [&](std::size_t group) { return group < marks_.size() ? marks_[group].at : record_bytes_; };
  const auto offset = [&](std::size_t group) { return group < offsets_.size() ? offsets_[group] : file_.size(); };
  std::vector<char> packed(offset(last) - offset(first));
  file_.read(offset(first), packed.data(), packed.size());
  buffer.clear();
  char* to = buffer.room(at(last) - at(first));
  char* const end = to + (at(last) - at(first));
  std::string_view rest(packed.data(), packed.size());
  for (std::size_t text_size = 0; to != end; to += text_size) {
    if (!inflate_block(rest, to, static_cast<std::size_t>(end - to), text_size)) {
      throw Error("a temporary file for sorted records was damaged; is the disk of TMPDIR sound?");
    }
  }
  buffer.end_at(to);
  return buffer.view();
}

class SpillTarget : public MergeTarget {
 public:
  explicit SpillTarget(const std::vector<const SortedRun*>& runs, bool with_orders) {
    run_->first_order_ = runs.empty() ? 0 : runs.front()->first_order();
    run_->has_orders_ = with_orders;
  }

  std::unique_ptr<MergePiece> make_piece() const override { return std::make_unique<Piece>(); }

  void pack(Chunk& merged) const override {
    auto& piece = static_cast<Piece&>(merged);
    const auto& infos = piece.records.infos;
    piece.packed.clear();
    piece.groups.clear();
    BgzfCompressor& compressor = compressors_.local();
    for (std::size_t i = 0; i < infos.size();) {
      const BamRecordInfo& first = infos[i];
      std::size_t end = first.at;
      for (; i < infos.size() && end - first.at < kGroupBytes; ++i) {
        end = i + 1 < infos.size() ? infos[i + 1].at : piece.records.bytes.size();
      }
      const std::uint64_t order = run_->has_orders_ ? order_after(piece.records.bytes.data() + first.at) : 0;
      piece.groups.push_back({{sort_key(first.contig, first.start, first.flag), first.at}, order, piece.packed.size()});
      for (std::size_t at = first.at; at < end; at += kBgzfText) {
        char* const to = piece.packed.room(kBgzfBlock);
        const auto text = piece.records.bytes.view(at, std::min(end, at + kBgzfText));
        piece.packed.end_at(to + compressor.compress(text, to));
      }
    }
  }

  void write(Chunk& merged) override {
    const auto& piece = static_cast<Piece&>(merged);
    for (const auto& group : piece.groups) {
      run_->marks_.push_back({group.mark.key, run_->record_bytes_ + group.mark.at});
      run_->offsets_.push_back(run_->file_.size() + group.offset);
      if (run_->has_orders_) {
        run_->orders_.push_back(group.order);
      }
    }
    run_->record_bytes_ += piece.records.bytes.size();
    run_->file_.write(piece.packed.view());
  }

  std::unique_ptr<FileRun> take() { return std::move(run_); }

 private:
  struct Group {
    SortedRun::Mark mark;  // relative to the piece
    std::uint64_t order;
    std::size_t offset;  // in `packed`
  };
  struct Piece : MergePiece {
    ByteBuffer packed;
    std::vector<Group> groups;
  };

  mutable tbb::enumerable_thread_specific<BgzfCompressor> compressors_{[] { return BgzfCompressor(kLevel); }};
  std::unique_ptr<FileRun> run_ = std::make_unique<FileRun>();
};

std::unique_ptr<FileRun> spill_runs(const std::vector<const SortedRun*>& runs, const MergeOptions& options) {
  SpillTarget target(runs, options.with_orders);
  merge_runs(runs, target, options);
  return target.take();
}

}  // namespace trawl::io
