#include "io/write/text_output.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

namespace trawl::io {
namespace {

// Blocks that one task compresses: about half a millisecond of work.
constexpr std::size_t kGroup = 4;

}  // namespace

TextOutput::TextOutput(const std::string& path, std::optional<int> level) : file_(path) {
  if (level) {
    workers_.emplace([level] { return BlockPacker(*level); });
  }
}

// Gives the part the blocks of `ends_`, which end in its text: the latest text of the cutter.
void TextOutput::place_blocks(TextPart& part, std::string_view text) {
  const std::uint64_t begin = cutter_.size() - text.size();
  part.text_ = text;
  part.head_.clear();
  part.blocks_.clear();
  for (const std::uint64_t end : ends_) {
    part.blocks_.push_back({static_cast<std::size_t>(end - begin), 0});
  }
  ends_.clear();
  std::size_t rest = 0;
  if (!part.blocks_.empty()) {
    part.head_.swap(rest_);
    rest = part.blocks_.back().end;
  }
  rest_.append(text.substr(rest));
}

void TextOutput::place(TextPart& part, const BamRecords& records) {
  for (const BamRecordInfo& record : records.infos) {
    cutter_.add_record(record.size, ends_);
  }
  place_blocks(part, records.bytes.view());
}

void TextOutput::place(TextPart& part, std::string_view text) {
  if (workers_) {
    cutter_.add_text(text.size(), ends_);
    place_blocks(part, text);
  } else {
    part.text_ = text;
    part.room_ = file_.take_place(text.size());
  }
}

void TextOutput::pack_group(TextPart& part, std::size_t group, BlockPacker& worker) const {
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

void TextOutput::pack(TextPart& part) const {
  if (!workers_) {
    // The system lets one thread at a time write to a file, and the others would wait for it with their cores busy.
    const std::lock_guard lock(writing_);
    file_.write_at(part.room_, part.text_);
    return;
  }
  const std::size_t groups = (part.blocks_.size() + kGroup - 1) / kGroup;
  part.packed_.resize(std::max(groups, part.packed_.size()));
  const auto pack_one = [&](std::size_t group) { pack_group(part, group, workers_->local()); };
  if (groups == 1) {
    pack_one(0);
  } else if (groups > 1) {
    // Isolated: a thread that waits here must not begin to work on another part, which takes longer.
    tbb::this_task_arena::isolate([&] { tbb::parallel_for(std::size_t{0}, groups, pack_one); });
  }
}

void TextOutput::write(const TextPart& part) {
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

void TextOutput::write(std::string_view text, bool ends_block) {
  if (!workers_) {
    file_.write(text);
    return;
  }
  cutter_.add_text(text.size(), ends_);
  if (ends_block) {
    cutter_.end_block(ends_);
  }
  place_blocks(whole_, text);
  pack(whole_);
  write(whole_);
}

void TextOutput::write_full(std::string& text) {
  if (text.size() >= kWriteSize) {
    write(text);
    text.clear();
  }
}

void TextOutput::finish() {
  if (workers_) {
    write({}, true);
    file_.write(kBgzfEnd);
  }
}

void TextOutput::close() {
  finish();
  commit();
}

}  // namespace trawl::io
