// The text of a plain, gzip or BGZF file, or of the standard input ("-"), in blocks that several threads prepare.
//
//   struct CountedLines : TextBlock {
//     std::ptrdiff_t lines = 0;
//     void prepare() override { lines = std::count(begin(), end(), '\n'); }   // on any thread
//   };
//   TextBlocks blocks("reads.fq.gz", {.threads = 8}, [] { return std::make_unique<CountedLines>(); });
//   const auto block = blocks.next();                                         // in order; nothing at the end
//   static_cast<CountedLines&>(*block).lines == 8
//
// All blocks together are the text from start to end. A block ends anywhere, also inside a line. A byte order mark
// (UTF-8) at the start of the text, which some editors write, is left out.
//
// A file that ends too early is an error, never a short text. Examples: it ends inside a gzip member, inside a BGZF
// block, or between two blocks without the BGZF end marker. Bytes other than zeros after the gzip data are an error,
// too.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "io/read/gzip/input_file.hpp"
#include "io/read/gzip/text_cutter.hpp"
#include "sequence/huge_array.hpp"

namespace trawl::io {

/// Some text of a file, at least one byte. A derived class adds what prepare() finds out about it.
class TextBlock {
 public:
  virtual ~TextBlock() = default;

  /// Called once when the text is there. Several blocks are prepared at the same time, in any order. It may change the
  /// text. What it throws is thrown by TextBlocks::next() when it comes to this block.
  virtual void prepare() {}

  char* begin() { return text_.data(); }
  const char* begin() const { return text_.data(); }
  char* end() { return text_.data() + size_; }
  const char* end() const { return text_.data() + size_; }
  std::size_t size() const { return size_; }

  /// Bytes of the file up to the end of this block, counted before decompression. For a compressed file this can be an
  /// estimate; it is exact in the last block.
  std::uint64_t input_bytes() const { return input_bytes_; }

 private:
  friend class TextBlocks;

  sequence::HugeArray<char> text_;  // has room for more than size_
  std::size_t size_ = 0;
  std::uint64_t input_bytes_ = 0;
};

struct TextOptions {
  unsigned threads = 1;                            // 1: nothing is done before next() needs it
  std::size_t block_bytes = std::size_t{1} << 20;  // about the size of a block
  /// For inputs whose blocks are taken in turn, as the two files of pairs; one counter for all of them. A pipe is
  /// then read by a thread of its own from the start, also with one thread: one program may write to several pipes,
  /// and waits if one of them is full. The counter says how many more blocks each pipe may read ahead, because
  /// another one had nothing to give.
  std::shared_ptr<std::atomic<std::size_t>> taken_in_turn = {};
  /// Is called with the size of each block that TextBlocks::next() gives. What it throws, next() throws.
  std::function<void(std::size_t)> on_text = {};
  /// Letters in the names of a FASTA that SAM does not allow become _. Otherwise they are errors.
  bool renames_contigs = false;
};

/// One block of the queue.
struct QueuedBlock;

class TextBlocks {
 public:
  using Make = std::function<std::unique_ptr<TextBlock>()>;

  /// Opens `path`. `make` makes the blocks; any thread may call it, one at a time. Throws IoError.
  TextBlocks(const std::string& path, const TextOptions& options, Make make = std::make_unique<TextBlock>)
      : TextBlocks(std::make_unique<InputFile>(path), options, std::move(make)) {}
  /// A file that is open, and of which nothing was read.
  TextBlocks(std::unique_ptr<InputFile> file, const TextOptions& options, Make make = std::make_unique<TextBlock>);
  ~TextBlocks();
  TextBlocks(const TextBlocks&) = delete;
  TextBlocks& operator=(const TextBlocks&) = delete;

  /// The next block, prepared; none at the end. Throws IoError or InputError, after it has given all text before the
  /// error; after that the file cannot be read on. Not for several threads at the same time.
  std::unique_ptr<TextBlock> next();

  /// Gives back a block whose text is no longer needed, so that its memory can be used again: prepare() is then called
  /// for a new text, with what the derived class had added. Any thread may call this.
  void give_back(std::unique_ptr<TextBlock> block);

  /// The name in messages: the path, or "standard input".
  const std::string& name() const { return file_->name(); }
  /// What to add to a message about wrong text, after next(): of ordinary gzip data, the text is given before its
  /// checksum is known. "" for others.
  std::string_view doubt() const {
    return cutting_.is_gzip ? "; or the compressed file is damaged (test it with gzip -t)" : "";
  }

 private:
  void make_cutter();
  std::shared_ptr<QueuedBlock> cut();
  void lengthen(Stretch& stretch);
  void finish(QueuedBlock& entry);
  std::shared_ptr<QueuedBlock> take_first();
  void wait_for_first(std::unique_lock<std::mutex>& lock);
  void wait_for_room(std::unique_lock<std::mutex>& lock);
  void cut_ahead();

  // For the thread that cuts; it is next()'s until the other one starts.
  struct Cutting {
    std::unique_ptr<TextCutter> cutter;
    bool is_gzip = false;
    bool is_first = true;  // nothing is cut
  };
  // The blocks that are cut and not yet taken, in order. The mutex guards all but the thread.
  struct Queue {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::shared_ptr<QueuedBlock>> blocks;
    std::vector<std::unique_ptr<TextBlock>> free;
    bool is_cut = false;  // the last block is here, or was
    bool is_stopping = false;
    std::exception_ptr failure;  // of the thread
    std::thread thread;
  };

  const std::unique_ptr<InputFile> file_;
  const TextOptions options_;
  const bool is_own_pipe_;  // see TextOptions::taken_in_turn
  Cutting cutting_;
  Make make_;
  const std::size_t window_;  // the most blocks in the queue
  bool cuts_ahead_ = false;   // set once

  // Used by next() only.
  std::exception_ptr failure_;
  bool is_at_end_ = false;
  bool has_begun_ = false;

  Queue queue_;
};

}  // namespace trawl::io
