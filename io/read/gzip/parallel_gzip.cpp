#include "io/read/gzip/parallel_gzip.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "io/format/gzip_format.hpp"
#include "io/read/gzip/inflater.hpp"

namespace trawl::io {
namespace {

// Text whose CRC is computed while it is in the cache.
constexpr std::size_t kStep = std::size_t{32} << 10;

}  // namespace

// A piece of the file, and what a task makes of it.
struct ParallelGzip::Piece {
  std::shared_ptr<const CompressedChunk> chunk;
  CompressedInput input;  // of the task
  FoundPart found;
  std::exception_ptr error;

  enum State : int { kIdle, kRunning, kDone };
  std::atomic<int> state{kIdle};

  std::uint64_t end() const { return 8 * chunk->end(); }
  bool claim() {
    int idle = kIdle;
    return state.compare_exchange_strong(idle, kRunning);
  }
  void run(const std::shared_ptr<MemoryPool>& pool, std::size_t max_text) {
    try {
      found = find_part(pool, input, 8 * chunk->offset, end(), max_text);
    } catch (...) {
      error = std::current_exception();
    }
    state = kDone;
    state.notify_all();
  }
};

void ParallelGzip::Text::write(char* to) {
  for (std::size_t at = begin_; at < end_;) {
    const std::size_t n = std::min(kStep, end_ - at);
    known_->part->write(at, at + n, *known_->window, to);
    crc_ = crc32_of(to, n, crc_);
    to += n;
    at += n;
  }
}

std::uint64_t ParallelGzip::Text::input_bytes() const {
  const KnownPart& known = *known_;
  const auto share = static_cast<double>(end_) / static_cast<double>(std::max<std::size_t>(1, known.part->text_size()));
  return known.file_begin + static_cast<std::uint64_t>(share * static_cast<double>(known.file_end - known.file_begin));
}

ParallelGzip::ParallelGzip(Read read, std::string name, const Options& options)
    : read_(std::move(read)),
      name_(std::move(name)),
      options_(options),
      max_text_(options.piece_bytes * options.max_ratio) {}

ParallelGzip::~ParallelGzip() {
  for (const auto& piece : pieces_) {
    if (!piece->claim()) {
      piece->state.wait(Piece::kRunning);
    }
  }
}

std::unique_ptr<ParallelGzip::Text> ParallelGzip::next() {
  for (;;) {
    if (known_ && (text_at_ < known_->part->text_size() || member_at_ < known_->part->member_ends().size())) {
      return next_text();
    }
    known_.reset();
    if (end_ == End::kTruncated) {
      Inflater::fail_truncated(name_, "the gzip data end in the middle");
    }
    if (end_ == End::kDamaged) {
      Inflater::fail_damaged(name_);
    }
    if (end_ == End::kRest) {
      return nullptr;
    }
    next_part();
  }
}

std::unique_ptr<ParallelGzip::Text> ParallelGzip::next_text() {
  const auto& ends = known_->part->member_ends();
  auto text = std::make_unique<Text>();
  text->known_ = known_;
  text->begin_ = text_at_;
  text->end_ = std::min(known_->part->text_size(), text_at_ + options_.text_bytes);
  if (member_at_ < ends.size()) {
    text->end_ = std::min(text->end_, ends[member_at_].text_at);
  }
  for (; member_at_ < ends.size() && ends[member_at_].text_at == text->end_; ++member_at_) {
    text->members_.push_back(ends[member_at_]);
  }
  text_at_ = text->end_;
  return text;
}

// Makes the next part known.
void ParallelGzip::next_part() {
  if (end_ == End::kNeedInput) {
    read_piece();
  }
  while (front_is_past() && can_read_) {
    read_piece();
  }
  if (pieces_.empty() || (place_.bit == 0 && !begins_with_member())) {
    if (read_error_) {
      std::rethrow_exception(read_error_);
    }
    end_ = End::kRest;
    return;
  }
  while (can_read_ && pieces_.size() < (options_.threads > 1 ? options_.threads + std::size_t{2} : 1)) {
    read_piece();
  }
  Piece& piece = *pieces_.front();
  if (piece.claim()) {
    piece.state = Piece::kDone;  // with the window known, it is faster here
  } else if (end_ == End::kStart) {
    wait_for(piece);
    if (piece.error) {
      std::rethrow_exception(piece.error);
    }
    if (piece.found.part && place_.is(piece.found.start) && piece.found.part->fits(*window_)) {
      accept(std::move(piece.found.part));
      return;
    }
  }
  if (end_ == End::kNeedInput && !can_read_ && !is_complete_) {
    std::rethrow_exception(read_error_);
  }
  CompressedInput input;
  for (const auto& each : pieces_) {
    input.chunks.push_back(each->chunk);
  }
  input.is_complete = is_complete_;
  auto part = std::make_unique<GzipPart>(pool_, input, max_text_, std::move(place_), *window_);
  part->run(piece.end());
  accept(std::move(part));
}

// If not, nothing more has to be read for that.
bool ParallelGzip::begins_with_member() const {
  CompressedInput input;
  input.chunks.push_back(pieces_.front()->chunk);
  bool needs_input = false;
  return member_header_size(BitReader(input, 0), needs_input) || needs_input;
}

void ParallelGzip::accept(std::unique_ptr<GzipPart> part) {
  auto window = std::make_shared<InflateWindow>(*window_);
  part->move_window(*window);
  const std::uint64_t begin = rest_offset();
  end_ = part->end();
  place_ = std::move(part->place());
  known_ = std::make_shared<KnownPart>(KnownPart{std::move(part), window_, begin, rest_offset()});
  window_ = std::move(window);
  text_at_ = 0;
  member_at_ = 0;
}

// Drops what is not needed any more, but for the last piece. True if the place is not in a piece that was read.
bool ParallelGzip::front_is_past() {
  while (pieces_.size() > 1 && pieces_.front()->end() <= place_.bit) {
    pieces_.front()->claim();
    pieces_.pop_front();
  }
  return pieces_.empty() || pieces_.front()->end() <= place_.bit;
}

void ParallelGzip::read_piece() {
  if (!can_read_) {
    return;
  }
  auto chunk = std::make_shared<CompressedChunk>();
  chunk->offset = read_offset_;
  chunk->bytes.resize(options_.piece_bytes);
  std::size_t got = 0;
  try {
    while (got < chunk->bytes.size() && can_read_) {
      const std::size_t n = read_(reinterpret_cast<char*>(chunk->bytes.data()) + got, chunk->bytes.size() - got);
      got += n;
      if (n == 0) {
        can_read_ = false;
        is_complete_ = true;
      }
    }
  } catch (...) {
    can_read_ = false;
    read_error_ = std::current_exception();
  }
  chunk->bytes.resize(got);
  read_offset_ += got;
  if (got > 0) {
    auto piece = std::make_shared<Piece>();
    piece->chunk = std::move(chunk);
    pieces_.push_back(std::move(piece));
    if (pieces_.size() > 1) {
      start_task(pieces_.size() - 2);
    }
  }
  if (!can_read_ && !pieces_.empty()) {
    start_task(pieces_.size() - 1);
  }
}

// The piece's last block may end in the next piece.
void ParallelGzip::start_task(std::size_t index) {
  const auto& piece = pieces_[index];
  for (std::size_t i = index; i < std::min(index + 2, pieces_.size()); ++i) {
    piece->input.chunks.push_back(pieces_[i]->chunk);
  }
  piece->input.is_complete = is_complete_ && index + 2 >= pieces_.size();
  if (options_.threads > 1) {
    // If the other threads are busy, tasks begin long after their pieces were used, and must not keep them in memory.
    arena_.enqueue([weak = std::weak_ptr(piece), pool = pool_, max_text = max_text_] {
      const auto alive = weak.lock();
      if (alive && alive->claim()) {
        alive->run(pool, max_text);
      }
    });
  }
}

// Inflates other pieces meanwhile.
void ParallelGzip::wait_for(Piece& piece) {
  while (piece.state != Piece::kDone) {
    const auto idle = std::find_if(pieces_.begin(), pieces_.end(),
                                   [](const auto& p) { return !p->input.chunks.empty() && p->claim(); });
    if (idle != pieces_.end()) {
      (*idle)->run(pool_, max_text_);
    } else {
      piece.state.wait(Piece::kRunning);
    }
  }
}

void ParallelGzip::check(const Text& text) {
  crc_ = joined_crc32(crc_, text.crc_, text.size());
  member_size_ += static_cast<std::uint32_t>(text.size());
  for (const auto& member : text.members_) {
    if (crc_ != member.crc || member_size_ != member.size) {
      Inflater::fail_damaged(name_);
    }
    crc_ = 0;
    member_size_ = 0;
  }
}

std::vector<char> ParallelGzip::rest() const {
  std::vector<char> rest;
  for (const auto& piece : pieces_) {
    const auto& chunk = *piece->chunk;
    if (chunk.end() > rest_offset()) {
      const auto from = std::max(chunk.offset, rest_offset()) - chunk.offset;
      rest.insert(rest.end(), chunk.bytes.begin() + static_cast<std::ptrdiff_t>(from), chunk.bytes.end());
    }
  }
  return rest;
}

}  // namespace trawl::io
