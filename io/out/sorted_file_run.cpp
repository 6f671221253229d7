#include "io/out/sorted_file_run.hpp"

#include <algorithm>

namespace trawl::io {

namespace {

constexpr std::uint64_t kGroupBytes = std::uint64_t{1} << 14;

}  // namespace

std::string_view FileRun::groups(std::size_t first, std::size_t last, ByteBuffer& buffer) const {
  const auto at = [&](std::size_t group) { return group < marks_.size() ? marks_[group].at : record_bytes_; };
  const std::size_t size = at(last) - at(first);
  buffer.clear();
  char* const to = buffer.room(size);
  file_.read(at(first), to, size);
  buffer.end_at(to + size);
  return buffer.view();
}

class SpillTarget : public MergeTarget {
 public:
  std::unique_ptr<MergePiece> make_piece() const override { return std::make_unique<MergePiece>(); }
  void pack(MergePiece&) const override {}
  void write(MergePiece& piece) override {
    for (const BamRecordInfo& info : piece.records.infos) {
      run_->count_record(sort_key(info.contig, info.start, info.flag), info.size, kGroupBytes);
    }
    run_->file_.write(piece.records.bytes.view());
  }
  std::unique_ptr<FileRun> take() { return std::move(run_); }

 private:
  std::unique_ptr<FileRun> run_ = std::make_unique<FileRun>();
};

std::unique_ptr<FileRun> spill_runs(const std::vector<const SortedRun*>& runs, const MergeOptions& options) {
  SpillTarget target;
  merge_runs(runs, target, options);
  return target.take();
}

}  // namespace trawl::io
