#include "io/in/fasta_chunks.hpp"

#include <htslib/hts.h>

#include <algorithm>
#include <array>
#include <new>
#include <string_view>
#include <utility>

#include "sequence/alphabet.hpp"

namespace trawl::io {

namespace {

// The kept letters may be this much longer than the overlap, so that they are seldom cut.
constexpr std::size_t kTailSlack = std::size_t{1} << 20;

}  // namespace

// Takes what the parser gives until a chunk uses it: the other letters of one contig, or the name of the next contig.
class FastaChunks::Collector final : public FastaHandler {
 public:
  void begin_contig(const std::string& name) override {
    name_ = name;
    has_name_ = true;
  }
  void append(std::string_view letters) override { letters_.append(letters); }

  bool has_name_ = false;
  std::string name_;
  std::string letters_;
  std::size_t taken_ = 0;
  bool at_end_ = false;
};

FastaChunks::FastaChunks(const std::string& path, const ChunkOptions& options)
    : parser_(path), options_(options), collector_(std::make_unique<Collector>()), md5_(nullptr, hts_md5_destroy) {
  if (options.with_md5) {
    md5_.reset(hts_md5_init());
    if (!md5_) {
      throw std::bad_alloc();
    }
  }
}

FastaChunks::~FastaChunks() = default;

// Reads until there are letters or a new contig; false at the end.
bool FastaChunks::fill_pending() {
  Collector& c = *collector_;
  if (c.taken_ < c.letters_.size()) {
    return true;
  }
  c.letters_.clear();
  c.taken_ = 0;
  while (c.letters_.empty() && !c.at_end_) {
    c.at_end_ = !parser_.step(c);
  }
  return !c.letters_.empty();
}

void FastaChunks::close_contig() {
  if (open_ && md5_) {
    std::array<unsigned char, 16> digest{};
    std::array<char, 33> text{};
    hts_md5_final(digest.data(), md5_.get());
    hts_md5_hex(text.data(), digest.data());
    md5s_.emplace_back(text.data());
    hts_md5_reset(md5_.get());
  }
  open_ = false;
}

void FastaChunks::begin_piece(sequence::ReferenceBuilder& builder, sequence::TextChunk& chunk) {
  Collector& c = *collector_;
  if (c.has_name_) {
    close_contig();
    contigs_.push_back({c.name_, 0, 0});
    c.has_name_ = false;
    open_ = true;
    tail_.clear();
  }
  if (tail_.size() > options_.overlap) {
    tail_.erase(0, tail_.size() - options_.overlap);
  }
  const sequence::Contig& contig = contigs_.back();
  builder.begin_contig(contig.name);
  builder.append(tail_);
  chunk.slices.push_back({contigs_.size() - 1, contig.length - tail_.size(), contig.length, false});
}

// Adds up to `room` of the waiting letters; returns how many.
std::uint64_t FastaChunks::add_letters(sequence::ReferenceBuilder& builder, std::uint64_t room) {
  Collector& c = *collector_;
  const std::size_t n = std::min<std::uint64_t>(room, c.letters_.size() - c.taken_);
  const std::string_view letters = std::string_view(c.letters_).substr(c.taken_, n);
  builder.append(letters);
  contigs_.back().length += n;
  if (md5_) {
    const std::string upper = sequence::upper_bases(letters);
    hts_md5_update(md5_.get(), upper.data(), upper.size());
  }
  tail_.append(letters);
  if (tail_.size() > options_.overlap + kTailSlack) {
    tail_.erase(0, tail_.size() - options_.overlap);
  }
  c.taken_ += n;
  return n;
}

bool FastaChunks::next(sequence::TextChunk& chunk) {
  chunk.slices.clear();
  sequence::ReferenceBuilder builder;
  std::uint64_t room = options_.bases;
  while (room > 0 && fill_pending()) {
    if (chunk.slices.empty() || collector_->has_name_) {
      begin_piece(builder, chunk);
    }
    room -= add_letters(builder, room);
  }
  if (chunk.slices.empty()) {
    return false;
  }
  for (auto& slice : chunk.slices) {
    slice.is_last = slice.contig + 1 < contigs_.size();
  }
  // Only what follows shows whether the last contig continues.
  if (!fill_pending() || collector_->has_name_) {
    chunk.slices.back().is_last = true;
    close_contig();
  }
  chunk.reference = std::move(builder).finish();
  chunk.input_bytes = parser_.consumed(collector_->letters_.size() - collector_->taken_);
  return true;
}

}  // namespace trawl::io
