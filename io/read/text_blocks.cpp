#include "io/read/text_blocks.hpp"

#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <cstring>

namespace trawl::io {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// Pipes whose blocks are taken in turn. Reads of 28 bases whose mates have 150 need about 5 blocks of mates for one.
constexpr std::size_t kPipeBlocks = 8;
// So long nothing comes from a pipe before the others may read one block more ahead.
constexpr std::chrono::milliseconds kPatience{20};
// How much they may read ahead in all: what is slow may be no other pipe, but the program that writes to this one.
constexpr std::size_t kMostReadAhead = std::size_t{1} << 30;

}  // namespace

struct QueuedBlock {
  std::unique_ptr<TextBlock> block;
  Stretch stretch;
  std::exception_ptr prepare_failure;
  bool is_first = false;
  bool has_task = false;
  std::atomic<int> state{kWaiting};

  static constexpr int kWaiting = 0;
  static constexpr int kClaimed = 1;
  static constexpr int kDone = 2;

  /// True for the one thread that is to finish it.
  bool claim() {
    int expected = kWaiting;
    return state.compare_exchange_strong(expected, kClaimed);
  }
  void wait() {
    while (state.load() != kDone) {
      state.wait(kClaimed);
    }
  }
  void set_done() {
    state.store(kDone);
    state.notify_all();
  }

  bool is_last() const { return stretch.is_last || stretch.failure; }
};

// The blocks wait in a queue, in order. Each is finished (its text found, then prepared) by a task in the arena of the
// thread that calls next(), or by that thread itself if no task has begun with it. Nobody waits for a task that has not
// begun, so it does not matter how busy the arena is. Where cutting is work, a thread of its own cuts ahead.
TextBlocks::TextBlocks(std::unique_ptr<InputFile> file, const TextOptions& options, Make make)
    : file_(std::move(file)),
      options_(options),
      is_own_pipe_(options.taken_in_turn && !file_->is_regular()),
      make_(std::move(make)),
      window_(std::max(options.threads > 1 ? std::size_t{2} * options.threads : 1, is_own_pipe_ ? kPipeBlocks : 1)) {
  queue_.free.reserve(window_);  // give_back() needs no memory then
  if (is_own_pipe_) {
    cuts_ahead_ = true;
    has_begun_ = true;
    queue_.thread = std::thread([this] { cut_ahead(); });
  } else {
    make_cutter();
    cuts_ahead_ = options.threads > 1 && !cutting_.cutter->is_quick();
  }
}

TextBlocks::~TextBlocks() {
  if (queue_.thread.joinable()) {
    {
      const std::scoped_lock lock(queue_.mutex);
      queue_.is_stopping = true;
    }
    file_->stop();
    queue_.changed.notify_all();
    queue_.thread.join();
  }
  for (const auto& entry : queue_.blocks) {
    if (!entry->claim()) {
      entry->wait();
    }
  }
}

std::unique_ptr<TextBlock> TextBlocks::next() {
  for (;;) {
    if (failure_) {
      std::rethrow_exception(failure_);
    }
    if (is_at_end_) {
      return nullptr;
    }
    const auto entry = take_first();
    if (entry->claim()) {
      finish(*entry);
    } else {
      entry->wait();
    }
    is_at_end_ = entry->stretch.is_last;
    const bool is_prepared = !entry->prepare_failure;
    // Moved: a task that has begun too late may be the last to hold the entry, while the exception is read here.
    failure_ = std::move(is_prepared ? entry->stretch.failure : entry->prepare_failure);
    if (is_prepared && entry->block->size_ > 0) {
      if (options_.on_text) {
        options_.on_text(entry->block->size_);
      }
      return std::move(entry->block);
    }
    give_back(std::move(entry->block));
  }
}

void TextBlocks::give_back(std::unique_ptr<TextBlock> block) {
  const std::scoped_lock lock(queue_.mutex);
  if (block && queue_.free.size() < window_) {
    queue_.free.push_back(std::move(block));
  }
}

// Of a pipe, this waits for its first bytes.
void TextBlocks::make_cutter() {
  cutting_.is_gzip = file_->is_ordinary_gzip();
  cutting_.cutter = make_text_cutter(*file_, options_.block_bytes);
}

std::shared_ptr<QueuedBlock> TextBlocks::cut() {
  if (!cutting_.cutter) {
    make_cutter();
  }
  auto entry = std::make_shared<QueuedBlock>();
  {
    const std::scoped_lock lock(queue_.mutex);
    if (!queue_.free.empty()) {
      entry->block = std::move(queue_.free.back());
      queue_.free.pop_back();
    }
  }
  if (!entry->block) {
    entry->block = make_();
  }
  Stretch& stretch = entry->stretch;
  stretch.text = std::move(entry->block->text_);
  cutting_.cutter->cut(stretch);
  entry->is_first = std::exchange(cutting_.is_first, false);
  if (entry->is_first) {
    lengthen(stretch);
  }
  return entry;
}

// Makes the first stretch long enough for a byte order mark.
void TextBlocks::lengthen(Stretch& stretch) {
  while (stretch.size < kByteOrderMark.size() && !stretch.is_last && !stretch.failure) {
    cutting_.cutter->fill(stretch);
    if (stretch.failure) {
      return;  // no text comes after what is damaged
    }
    Stretch more;
    cutting_.cutter->cut(more);
    cutting_.cutter->fill(more);
    const std::string start(stretch.text.data(), stretch.size);
    stretch.reserve(start.size() + more.size);
    std::copy(start.begin(), start.end(), stretch.text.data());
    std::copy_n(more.text.data(), more.size, stretch.text.data() + start.size());
    stretch.size += more.size;
    stretch.input_bytes = more.input_bytes;
    stretch.is_last = more.is_last;
    stretch.failure = stretch.failure ? stretch.failure : more.failure;
  }
}

// Finds the text of the block and prepares it.
void TextBlocks::finish(QueuedBlock& entry) {
  TextBlock& block = *entry.block;
  try {
    cutting_.cutter->fill(entry.stretch);
    block.text_ = std::move(entry.stretch.text);
    block.size_ = entry.stretch.size;
    block.input_bytes_ = entry.stretch.input_bytes;
    if (entry.is_first && std::string_view(block.begin(), block.size_).starts_with(kByteOrderMark)) {
      block.size_ -= kByteOrderMark.size();
      std::memmove(block.begin(), block.begin() + kByteOrderMark.size(), block.size_);
    }
    if (block.size_ > 0) {
      block.prepare();
    }
  } catch (...) {
    entry.prepare_failure = std::current_exception();
  }
  entry.set_done();
}

// Takes the first block out of the queue. The other blocks in it get their tasks.
std::shared_ptr<QueuedBlock> TextBlocks::take_first() {
  std::unique_lock lock(queue_.mutex);
  if (!cuts_ahead_ || !has_begun_) {
    // The first block is cut here in any case, so that a small file does not need a thread.
    const std::size_t blocks = cuts_ahead_ ? 1 : window_;
    while (queue_.blocks.size() < blocks && !queue_.is_cut) {
      lock.unlock();
      auto entry = cut();
      lock.lock();
      queue_.is_cut = entry->is_last();
      queue_.blocks.push_back(std::move(entry));
    }
    if (cuts_ahead_ && !queue_.is_cut) {
      queue_.thread = std::thread([this] { cut_ahead(); });
    }
    has_begun_ = true;
  }
  wait_for_first(lock);
  if (queue_.blocks.empty()) {
    std::rethrow_exception(queue_.failure);
  }
  auto first = std::move(queue_.blocks.front());
  queue_.blocks.pop_front();
  for (const auto& entry : queue_.blocks) {
    if (options_.threads > 1 && !std::exchange(entry->has_task, true)) {
      // A task that begins late must not keep a block in memory that was used long ago. The reader lives as long as
      // an entry that can be claimed.
      tbb::this_task_arena::enqueue([this, weak = std::weak_ptr(entry)] {
        if (const auto waiting = weak.lock(); waiting && waiting->claim()) {
          finish(*waiting);
        }
      });
    }
  }
  lock.unlock();
  queue_.changed.notify_all();
  return first;
}

void TextBlocks::wait_for_first(std::unique_lock<std::mutex>& lock) {
  const auto is_there = [this] { return !queue_.blocks.empty() || queue_.failure; };
  if (!is_own_pipe_) {
    queue_.changed.wait(lock, is_there);
    return;
  }
  for (std::uint64_t received = file_->received(); !queue_.changed.wait_for(lock, kPatience, is_there);) {
    // Perhaps the program that writes to this pipe waits because another one is full.
    const std::uint64_t before = std::exchange(received, file_->received());
    if (before == received && (window_ + *options_.taken_in_turn) * options_.block_bytes < kMostReadAhead) {
      ++*options_.taken_in_turn;
    }
  }
}

void TextBlocks::wait_for_room(std::unique_lock<std::mutex>& lock) {
  const auto is_there = [this] {
    return queue_.blocks.size() < window_ + (is_own_pipe_ ? options_.taken_in_turn->load() : 0) || queue_.is_stopping;
  };
  if (!is_own_pipe_) {
    queue_.changed.wait(lock, is_there);
    return;
  }
  while (!queue_.changed.wait_for(lock, kPatience, is_there)) {
  }
}

void TextBlocks::cut_ahead() {
  std::unique_lock lock(queue_.mutex);
  try {
    while (!queue_.is_cut) {
      wait_for_room(lock);
      if (queue_.is_stopping) {
        return;
      }
      lock.unlock();
      auto entry = cut();
      lock.lock();
      queue_.is_cut = entry->is_last();
      queue_.blocks.push_back(std::move(entry));
      queue_.changed.notify_all();
    }
  } catch (...) {
    if (!lock.owns_lock()) {
      lock.lock();
    }
    queue_.failure = std::current_exception();
    queue_.changed.notify_all();
  }
}

}  // namespace trawl::io
