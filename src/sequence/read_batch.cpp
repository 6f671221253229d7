#include "sequence/read_batch.hpp"

#include <algorithm>
#include <limits>

namespace trawl::sequence {

namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();

// Reads that follow each other in a text. Each is told by its distance from the first one.
struct Stretch {
  std::uint64_t at = 0;  // of the first one's name in the message's text
  std::uint64_t line = 0;
  std::uint32_t file = 0;
  std::uint32_t reads = 0;
};

struct PackedRead {
  std::uint32_t name = 0;       // after that of the stretch
  std::uint32_t bases = 0;      // after the name
  std::uint32_t qualities = 0;  // after the bases
  std::uint32_t name_length = 0;
  std::uint32_t length = 0;
  std::uint32_t line = 0;  // after that of the stretch
  std::uint32_t comment_length = 0;
  std::uint8_t comment_gap = 0;  // after the beginning of the name
  bool has_qualities = false;
  bool checked = false;
  std::uint8_t marked_mate = 0;
};

// The part of a text that the reads need.
struct Span {
  std::uint64_t begin = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t end = 0;
  std::uint64_t at = 0;  // in the message's text
};

}  // namespace

ReadBatch ReadBatch::take_single() {
  ReadBatch single;
  single.number = number;
  single.first_read = first_read;
  single.input_bytes = input_bytes;
  single.paired = paired;
  single.text_ = std::move(text_);
  single.texts_ = std::move(texts_);
  single.reads_ = std::move(reads_);
  single.reads_.insert(single.reads_.end(), late_.begin(), late_.end());
  clear();
  return single;
}

void ReadBatch::pack(Packer& to) const {
  std::vector<Span> spans(texts());
  for (std::size_t i = 0; i < reads_.size(); ++i) {
    const Read& read = reads_[i];
    Span& span = spans[text_of(i)];
    const std::uint64_t mark = read.checked ? 0 : 1;
    span.begin = std::min(span.begin, read.name - mark);
    span.end = std::max({span.end, read.name + read.name_length, read.bases + read.length,
                         read.name + read.comment_gap + read.comment_length,
                         read.has_qualities ? read.qualities + read.length : 0});
  }
  std::uint64_t size = 0;
  for (Span& span : spans) {
    span.at = size;
    size += span.end > span.begin ? span.end - span.begin : 0;
  }

  std::vector<Stretch> stretches;
  std::vector<PackedRead> packed;
  packed.reserve(reads_.size());
  std::uint32_t text = kOwn;
  for (std::size_t i = 0; i < reads_.size(); ++i) {
    const Read& read = reads_[i];
    const Span& span = spans[text_of(i)];
    const std::uint64_t at = span.at + (read.name - span.begin);
    const auto fits = [&](const Stretch& last) {
      return read.text == text && read.file == last.file && at >= last.at && at - last.at <= kMost &&
             read.line >= last.line && read.line - last.line <= kMost;
    };
    if (stretches.empty() || !fits(stretches.back())) {
      stretches.push_back({at, read.line, read.file, 0});
      text = read.text;
    }
    Stretch& stretch = stretches.back();
    ++stretch.reads;
    PackedRead& one = packed.emplace_back();
    one.name = static_cast<std::uint32_t>(at - stretch.at);
    one.bases = static_cast<std::uint32_t>(read.bases - read.name);
    one.qualities = static_cast<std::uint32_t>(read.has_qualities ? read.qualities - read.bases : 0);
    one.name_length = read.name_length;
    one.length = read.length;
    one.line = static_cast<std::uint32_t>(read.line - stretch.line);
    one.comment_length = read.comment_length;
    one.comment_gap = read.comment_gap;
    one.has_qualities = read.has_qualities;
    one.checked = read.checked;
    one.marked_mate = read.marked_mate;
  }

  to.reserve(to.bytes().size() + 128 + stretches.size() * sizeof(Stretch) + packed.size() * sizeof(PackedRead) + size);
  to.number(number).number(first_read).number(input_bytes).number(paired);
  to.numbers(stretches).numbers(packed).number(size);
  for (std::size_t t = 0; t < spans.size(); ++t) {
    if (spans[t].end > spans[t].begin) {
      const char* const begin = t < texts_.size() ? texts_[t].begin : text_.data();
      to.bytes({begin + spans[t].begin, spans[t].end - spans[t].begin});
    }
  }
}

void ReadBatch::unpack(Unpacker& from, const std::shared_ptr<const void>& owner) {
  clear();
  number = from.number<std::uint64_t>();
  first_read = from.number<std::uint64_t>();
  input_bytes = from.number<std::uint64_t>();
  paired = from.number<bool>();
  const auto stretches = from.numbers<Stretch>();
  const auto packed = from.numbers<PackedRead>();
  const std::string_view text = from.bytes(from.number<std::uint64_t>());
  texts_.push_back({owner, const_cast<char*>(text.data())});
  reads_.reserve(packed.size());
  auto next = packed.begin();
  for (const Stretch& stretch : stretches) {
    for (std::uint32_t i = 0; i < stretch.reads; ++i, ++next) {
      Read& read = reads_.emplace_back();
      read.name = stretch.at + next->name;
      read.bases = read.name + next->bases;
      read.qualities = read.bases + next->qualities;
      read.line = stretch.line + next->line;
      read.name_length = next->name_length;
      read.length = next->length;
      read.file = stretch.file;
      read.text = 0;
      read.comment_length = next->comment_length;
      read.comment_gap = next->comment_gap;
      read.has_qualities = next->has_qualities;
      read.checked = next->checked;
      read.marked_mate = next->marked_mate;
    }
  }
}

}  // namespace trawl::sequence
