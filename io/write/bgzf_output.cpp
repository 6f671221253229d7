#include "io/write/bgzf_output.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

namespace trawl::io {
namespace {

// Blocks that one task compresses: about half a millisecond of work.
constexpr std::size_t kGroup = 4;

}  // namespace

BgzfOutput::BgzfOutput(const std::string& path, int level) : file_(path), workers_([level] { return Worker(level); }) {}

// `cut(block_ends)` tells the cutter of the text.
template <class Cut>
void BgzfOutput::place(BgzfPart& part, std::string_view text, const Cut& cut) {
  const std::uint64_t begin = cutter_.size();
  part.text_ = text;
  part.head_.clear();
  part.blocks_.clear();
  cut([&](std::uint64_t at) { part.blocks_.push_back({static_cast<std::size_t>(at - begin), 0}); });
  std::size_t rest = 0;
  if (!part.blocks_.empty()) {
    part.head_.swap(rest_);
    rest = part.blocks_.back().end;
  }
  rest_.append(text.substr(rest));
}

void BgzfOutput::place_records(BgzfPart& part, const BamRecords& records) {
  place(part, records.bytes.view(), [&](const auto& block_ends) {
    for (const BamRecordInfo& record : records.infos) {
      cutter_.add_record(record.size, block_ends);
    }
  });
}

void BgzfOutput::place_text(BgzfPart& part, std::string_view text) {
  place(part, text, [&](const auto& block_ends) { cutter_.add_text(text.size(), block_ends); });
}

void BgzfOutput::pack_group(BgzfPart& part, std::size_t group, Worker& worker) const {
  ByteBuffer& packed = part.packed_[group];
  packed.clear();
  const std::size_t first = group * kGroup;
  const std::size_t last = std::min(first + kGroup, part.blocks_.size());
  for (std::size_t i = first; i < last; ++i) {
    const std::size_t begin = i == 0 ? 0 : part.blocks_[i - 1].end;
    std::string_view text = part.text_.substr(begin, part.blocks_[i].end - begin);
    if (i == 0 && !part.head_.empty()) {
      worker.first.assign(part.head_).append(text);
      text = worker.first;
    }
    char* const at = packed.room(kBgzfBlock);
    part.blocks_[i].in_file = static_cast<std::uint32_t>(worker.compressor.compress(text, at));
    packed.end_at(at + part.blocks_[i].in_file);
  }
}

void BgzfOutput::pack(BgzfPart& part) const {
  const std::size_t groups = (part.blocks_.size() + kGroup - 1) / kGroup;
  part.packed_.resize(std::max(groups, part.packed_.size()));
  const auto pack_one = [&](std::size_t group) { pack_group(part, group, workers_.local()); };
  if (groups <= 1) {
    for (std::size_t group = 0; group < groups; ++group) {
      pack_one(group);
    }
    return;
  }
  // Isolated: a thread that waits here must not begin to work on another part, which takes longer.
  tbb::this_task_arena::isolate([&] { tbb::parallel_for(std::size_t{0}, groups, pack_one); });
}

void BgzfOutput::write(const BgzfPart& part) {
  for (std::size_t group = 0; group * kGroup < part.blocks_.size(); ++group) {
    file_.write(part.packed_[group].view());
  }
  if (visit_) {
    std::size_t begin = 0;
    std::size_t before = part.head_.size();
    for (const auto& block : part.blocks_) {
      visit_(before + block.end - begin, block.in_file);
      begin = block.end;
      before = 0;
    }
  }
}

void BgzfOutput::write(std::string_view text, bool ends_block) {
  place(whole_, text, [&](const auto& block_ends) {
    cutter_.add_text(text.size(), block_ends);
    if (ends_block) {
      cutter_.end_block(block_ends);
    }
  });
  pack(whole_);
  write(whole_);
}

void BgzfOutput::finish() {
  write({}, true);
  file_.write(kBgzfEnd);
}

void BgzfOutput::close() {
  finish();
  commit();
}

}  // namespace trawl::io
