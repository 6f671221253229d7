#include "io/out/sorted_file_run.hpp"

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/error.hpp"
#include "io/in/inflate_stream.hpp"
#include "io/out/bgzf_compressor.hpp"

namespace trawl::io {

namespace {

// A range of a merge reads whole groups, of each file one too many. Smaller groups compress less.
constexpr std::uint64_t kGroupBytes = std::uint64_t{1} << 14;
// The file is read once or twice, so time counts for more than space. Measured on one core with ISA-L, reads of 100 bp
// with qualities: 118 bytes a read instead of 246, for 0.9 us a read, writing and reading together. A disk takes
// 0.25 us less a read at 1 GB/s, and the threads share the work.
constexpr int kLevel = 1;

// Inflates the block at `from`. Moves `from` and `to` to after it.
void inflate_block(const char*& from, char*& to) {
  constexpr std::size_t head = 18;
  constexpr std::size_t tail = 8;
  std::uint16_t last;
  std::memcpy(&last, from + head - sizeof last, sizeof last);
  const std::size_t size = last + std::size_t{1};
  std::uint32_t sums[2];
  std::memcpy(sums, from + size - tail, sizeof sums);
  const auto* const data = reinterpret_cast<const unsigned char*>(from + head);
  if (!inflate_whole(data, size - head - tail, to, sums[1]) || crc32_of(to, sums[1]) != sums[0]) {
    throw Error("a temporary file for sorted records was damaged; is the disk of TMPDIR sound?");
  }
  from += size;
  to += sums[1];
}

}  // namespace

std::string_view FileRun::groups(std::size_t first, std::size_t last, ByteBuffer& buffer) const {
  const auto at = [&](std::size_t group) { return group < marks_.size() ? marks_[group].at : record_bytes_; };
  const auto offset = [&](std::size_t group) { return group < offsets_.size() ? offsets_[group] : file_.size(); };
  std::vector<char> packed(offset(last) - offset(first));
  file_.read(offset(first), packed.data(), packed.size());
  buffer.clear();
  char* to = buffer.room(at(last) - at(first));
  const char* from = packed.data();
  while (from < packed.data() + packed.size()) {
    inflate_block(from, to);
  }
  buffer.end_at(to);
  return buffer.view();
}

class SpillTarget : public MergeTarget {
 public:
  std::unique_ptr<MergePiece> make_piece() const override { return std::make_unique<Piece>(); }

  void pack(MergePiece& merged) const override {
    auto& piece = static_cast<Piece&>(merged);
    const auto& infos = piece.records.infos;
    piece.packed.clear();
    piece.groups.clear();
    BgzfCompressor& compressor = compressors_.local();
    for (std::size_t i = 0; i < infos.size();) {
      const BamRecordInfo& first = infos[i];
      std::size_t end = first.at;
      for (; i < infos.size() && end - first.at < kGroupBytes; ++i) {
        end += infos[i].size;
      }
      piece.groups.push_back({{sort_key(first.contig, first.start, first.flag), first.at}, piece.packed.size()});
      for (std::size_t at = first.at; at < end; at += kBgzfText) {
        char* const to = piece.packed.room(kBgzfBlock);
        const auto text = piece.records.bytes.view(at, std::min(end, at + kBgzfText));
        piece.packed.end_at(to + compressor.compress(text, to));
      }
    }
  }

  void write(MergePiece& merged) override {
    const auto& piece = static_cast<Piece&>(merged);
    for (const auto& group : piece.groups) {
      run_->marks_.push_back({group.mark.key, run_->record_bytes_ + group.mark.at});
      run_->offsets_.push_back(run_->file_.size() + group.offset);
    }
    run_->record_bytes_ += piece.records.bytes.size();
    run_->file_.write(piece.packed.view());
  }

  std::unique_ptr<FileRun> take() { return std::move(run_); }

 private:
  struct Group {
    SortedRun::Mark mark;  // relative to the piece
    std::size_t offset;    // in `packed`
  };
  struct Piece : MergePiece {
    ByteBuffer packed;
    std::vector<Group> groups;
  };

  mutable tbb::enumerable_thread_specific<BgzfCompressor> compressors_{[] { return BgzfCompressor(kLevel); }};
  std::unique_ptr<FileRun> run_ = std::make_unique<FileRun>();
};

std::unique_ptr<FileRun> spill_runs(const std::vector<const SortedRun*>& runs, const MergeOptions& options) {
  SpillTarget target;
  merge_runs(runs, target, options);
  return target.take();
}

}  // namespace trawl::io
