#include "io/write/shared_text.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <utility>

#include "io/write/bgzf_compressor.hpp"

namespace trawl::io {

namespace {

// Blocks that one task compresses.
constexpr std::size_t kGroup = 16;

// Compresses the whole blocks of the text, and appends them. Returns how many bytes of text they have.
std::size_t pack_blocks(std::string_view text, int level, PackedBlocks& packed) {
  const std::size_t blocks = text.size() / kBgzfText;
  const std::size_t groups = (blocks + kGroup - 1) / kGroup;
  const std::size_t first = packed.size();
  packed.resize(first + groups);
  tbb::parallel_for(std::size_t{0}, groups, [&](std::size_t group) {
    BgzfCompressor compressor(level);
    ByteBuffer& to = packed[first + group];
    for (std::size_t block = group * kGroup; block < std::min(blocks, (group + 1) * kGroup); ++block) {
      char* const at = to.room(kBgzfBlock);
      to.end_at(at + compressor.compress(text.substr(block * kBgzfText, kBgzfText), at));
    }
  });
  return blocks * kBgzfText;
}

void write_blocks(const OutputFile& file, const PackedBlocks& packed, std::uint64_t place) {
  for (const ByteBuffer& some : packed) {
    file.write_at(place, some.view());
    place += some.size();
  }
}

}  // namespace

std::uint64_t size_of(const PackedBlocks& packed) {
  std::uint64_t bytes = 0;
  for (const ByteBuffer& some : packed) {
    bytes += some.size();
  }
  return bytes;
}

SharedText::SharedText(const OutputName& name, std::optional<int> level, GivePlace give_place)
    : file_(name), level_(level), give_place_(std::move(give_place)) {}

void SharedText::write(std::string_view text) {
  waiting_ += text;
  if (waiting_.size() >= kCompressSize) {
    flush();
  }
}

// Writes what waits; of a BGZF file the whole blocks.
void SharedText::flush() {
  if (!level_) {
    file_.write_at(place_, waiting_);
    place_ += waiting_.size();
    waiting_.clear();
    return;
  }
  Item item;
  waiting_.erase(0, pack_blocks(waiting_, *level_, item.own));
  item.bytes = size_of(item.own);
  items_.push_back(std::move(item));
  settle();
}

TextTurn SharedText::next(std::uint64_t number, std::uint64_t size, std::string_view last) {
  TextTurn turn{place_, std::exchange(waiting_, {})};
  if (!level_) {
    place_ += turn.head.size() + size;
    return turn;
  }
  const std::size_t rest = (turn.head.size() + size) % kBgzfText;
  waiting_ = last.substr(last.size() - rest);
  Item item;
  item.number = number;
  items_.push_back(std::move(item));
  return turn;
}

void SharedText::add_packed(std::uint64_t number, std::uint64_t bytes) {
  const auto item =
      std::find_if(items_.begin(), items_.end(), [&](const Item& one) { return !one.bytes && one.number == number; });
  item->bytes = bytes;
  settle();
}

// Gives places as far as the sizes are known.
void SharedText::settle() {
  while (!items_.empty() && items_.front().bytes) {
    const Item& item = items_.front();
    if (item.number) {
      give_place_(*item.number, place_);
    } else {
      write_blocks(file_, item.own, place_);
    }
    place_ += *item.bytes;
    items_.pop_front();
  }
}

void SharedText::close() {
  flush();
  if (level_) {
    std::string end;
    if (!waiting_.empty()) {
      end.resize(kBgzfBlock);
      end.resize(BgzfCompressor(*level_).compress(waiting_, end.data()));
    }
    file_.write_at(place_, end.append(kBgzfEnd));
  }
  file_.commit();
}

void SharedTextWriter::write(const TextTurn& turn, const HeldText& text) const {
  file_.write_at(turn.place, turn.head);
  std::uint64_t place = turn.place + turn.head.size();
  text.read([&](std::string_view some) {
    file_.write_at(place, some);
    place += some.size();
  });
}

PackedBlocks SharedTextWriter::pack(const TextTurn& turn, const HeldText& text) const {
  PackedBlocks packed;
  std::string waiting = turn.head;
  text.read([&](std::string_view some) {
    waiting += some;
    waiting.erase(0, pack_blocks(waiting, *level_, packed));
  });
  return packed;
}

void SharedTextWriter::write(const PackedBlocks& packed, std::uint64_t place) const {
  write_blocks(file_, packed, place);
}

}  // namespace trawl::io
