#include "io/read/gzip/parallel_gzip.hpp"

#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <exception>
#include <optional>
#include <utility>

#include "io/format/crc32.hpp"
#include "io/read/gzip/inflater.hpp"
#include "io/read/gzip/piece.hpp"

namespace trawl::io {
namespace {

// Text whose CRC is computed while it is in the cache.
constexpr std::size_t kStep = std::size_t{32} << 10;

// A piece of the file, and what a task makes of it.
struct Piece {
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

// A part that is known to be right, with the window before it.
struct KnownPart {
  std::unique_ptr<GzipPart> part;
  std::shared_ptr<const InflateWindow> window;
  std::uint64_t file_begin = 0;  // bytes
  std::uint64_t file_end = 0;
};

}  // namespace

struct ParallelGzip::Text::State {
  std::shared_ptr<const KnownPart> known;
  std::size_t begin = 0;
  std::size_t end = 0;
  std::vector<GzipPart::MemberEnd> members;  // that end with this stretch
  std::uint32_t crc = 0;
};

ParallelGzip::Text::Text(std::unique_ptr<State> state) : state_(std::move(state)) {}
ParallelGzip::Text::~Text() = default;
std::size_t ParallelGzip::Text::size() const { return state_->end - state_->begin; }

void ParallelGzip::Text::write(char* to) {
  for (std::size_t at = state_->begin; at < state_->end;) {
    const std::size_t n = std::min(kStep, state_->end - at);
    state_->known->part->write(at, at + n, *state_->known->window, to);
    state_->crc = crc32_of(to, n, state_->crc);
    to += n;
    at += n;
  }
}

std::uint64_t ParallelGzip::Text::input_bytes() const {
  const KnownPart& known = *state_->known;
  const auto share =
      static_cast<double>(state_->end) / static_cast<double>(std::max<std::size_t>(1, known.part->text_size()));
  return known.file_begin + static_cast<std::uint64_t>(share * static_cast<double>(known.file_end - known.file_begin));
}

class ParallelGzip::Sequence {
 public:
  Sequence(Read read, const Options& options)
      : read_(std::move(read)),
        options_(options),
        max_text_(options.piece_bytes * options.max_ratio),
        pool_(std::make_shared<MemoryPool>()) {}

  ~Sequence() {
    for (const auto& piece : pieces_) {
      if (!piece->claim()) {
        piece->state.wait(Piece::kRunning);
      }
    }
  }
  Sequence(const Sequence&) = delete;
  Sequence& operator=(const Sequence&) = delete;

  std::unique_ptr<Text::State> next() {
    for (;;) {
      if (known_ && (text_at_ < known_->part->text_size() || member_at_ < known_->part->member_ends().size())) {
        return next_text();
      }
      known_.reset();
      if (is_at_end()) {
        return nullptr;
      }
      next_part();
    }
  }

  GzipPart::End end() const { return end_; }
  std::uint64_t offset() const { return place_.bit / 8; }

  std::vector<char> rest() const {
    std::vector<char> rest;
    for (const auto& piece : pieces_) {
      const auto& chunk = *piece->chunk;
      if (chunk.end() > offset()) {
        const auto from = std::max(chunk.offset, offset()) - chunk.offset;
        rest.insert(rest.end(), chunk.bytes.begin() + static_cast<std::ptrdiff_t>(from), chunk.bytes.end());
      }
    }
    return rest;
  }

 private:
  using End = GzipPart::End;

  bool is_at_end() const { return end_ == End::kTruncated || end_ == End::kDamaged || end_ == End::kRest; }

  std::unique_ptr<Text::State> next_text() {
    const auto& ends = known_->part->member_ends();
    auto state = std::make_unique<Text::State>();
    state->known = known_;
    state->begin = text_at_;
    state->end = std::min(known_->part->text_size(), text_at_ + options_.text_bytes);
    if (member_at_ < ends.size()) {
      state->end = std::min(state->end, ends[member_at_].text_at);
    }
    for (; member_at_ < ends.size() && ends[member_at_].text_at == state->end; ++member_at_) {
      state->members.push_back(ends[member_at_]);
    }
    text_at_ = state->end;
    return state;
  }

  // Makes the next part known.
  void next_part() {
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
    while (can_read_ && pieces_.size() < pieces_ahead()) {
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

  std::size_t pieces_ahead() const { return options_.threads > 1 ? options_.threads + 2 : 1; }

  // If not, nothing more has to be read for that.
  bool begins_with_member() const {
    CompressedInput input;
    input.chunks.push_back(pieces_.front()->chunk);
    bool needs_input = false;
    return member_header_size(BitReader(input, 0), needs_input) || needs_input;
  }

  void accept(std::unique_ptr<GzipPart> part) {
    auto window = std::make_shared<InflateWindow>(*window_);
    part->move_window(*window);
    const std::uint64_t begin = offset();
    end_ = part->end();
    place_ = std::move(part->place());
    known_ = std::make_shared<KnownPart>(KnownPart{std::move(part), window_, begin, offset()});
    window_ = std::move(window);
    text_at_ = 0;
    member_at_ = 0;
  }

  // Drops what is not needed any more, but for the last piece. True if the place is not in a piece that was read.
  bool front_is_past() {
    while (pieces_.size() > 1 && pieces_.front()->end() <= place_.bit) {
      pieces_.front()->claim();
      pieces_.pop_front();
    }
    return pieces_.empty() || pieces_.front()->end() <= place_.bit;
  }

  void read_piece() {
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
  void start_task(std::size_t index) {
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
  void wait_for(Piece& piece) {
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

  Read read_;
  Options options_;
  std::size_t max_text_;
  std::uint64_t read_offset_ = 0;
  bool can_read_ = true;
  bool is_complete_ = false;  // the last piece is the file's last
  std::exception_ptr read_error_;
  std::shared_ptr<MemoryPool> pool_;
  tbb::task_arena arena_{tbb::task_arena::attach{}};  // of the thread that has made this
  std::deque<std::shared_ptr<Piece>> pieces_;

  // Where the next part begins, and how the last one ended.
  GzipPlace place_;
  std::shared_ptr<const InflateWindow> window_ = std::make_shared<InflateWindow>();
  End end_ = End::kStart;

  std::shared_ptr<const KnownPart> known_;
  std::size_t text_at_ = 0;    // in the known part
  std::size_t member_at_ = 0;  // in its member_ends()
};

ParallelGzip::ParallelGzip(Read read, std::string name, const Options& options)
    : sequence_(std::make_unique<Sequence>(std::move(read), options)), name_(std::move(name)) {}
ParallelGzip::~ParallelGzip() = default;

std::unique_ptr<ParallelGzip::Text> ParallelGzip::next() {
  if (auto state = sequence_->next()) {
    return std::unique_ptr<Text>(new Text(std::move(state)));
  }
  if (sequence_->end() == GzipPart::End::kTruncated) {
    Inflater::fail_truncated(name_, "the gzip data end in the middle");
  }
  if (sequence_->end() == GzipPart::End::kDamaged) {
    Inflater::fail_damaged(name_);
  }
  return nullptr;
}

void ParallelGzip::check(const Text& text) {
  crc_ = joined_crc32(crc_, text.state_->crc, text.size());
  member_size_ += static_cast<std::uint32_t>(text.size());
  for (const auto& member : text.state_->members) {
    if (crc_ != member.crc || member_size_ != member.size) {
      Inflater::fail_damaged(name_);
    }
    crc_ = 0;
    member_size_ = 0;
  }
}

std::vector<char> ParallelGzip::rest() const { return sequence_->rest(); }
std::uint64_t ParallelGzip::rest_offset() const { return sequence_->offset(); }

}  // namespace trawl::io
