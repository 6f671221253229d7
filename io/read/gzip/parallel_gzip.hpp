// Inflates an ordinary gzip file with several threads, also if it is a single stream.
//
//   with: const ParallelGzip::Read& read, std::string& text
//   ParallelGzip gzip(read, "reads.fq.gz", {.threads = 8});
//   while (auto part = gzip.next()) {                     // in order; the text is not yet made
//     text.resize(part->size());
//     part->write(text.data());                           // on any thread, several parts at the same time
//     gzip.check(*part);                                  // in order: the sums of members
//   }
//   const std::vector<char> rest = gzip.rest();           // padding, garbage, BGZF blocks: what is not for this class
//
// The file is cut into pieces. In each piece a task looks for a place where a block seems to start, and inflates from
// there to the first such place in the next piece. The 32 KiB of text before are not known to it, so it notes what is
// copied from there. If the piece before ends just where this one starts, then all is known; if not, the piece is
// inflated again from the right place. So errors are found where a serial inflater finds them, and luck has no effect.
#pragma once

#include <oneapi/tbb/task_arena.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/read/gzip/piece.hpp"

namespace trawl::io {

class ParallelGzip {
  struct Piece;

  // A part that is known to be right, with the window before it.
  struct KnownPart {
    std::unique_ptr<GzipPart> part;
    std::shared_ptr<const InflateWindow> window;
    std::uint64_t file_begin = 0;  // bytes
    std::uint64_t file_end = 0;
  };

 public:
  struct Options {
    unsigned threads = 1;                              // 1: all is inflated in next()
    std::size_t piece_bytes = std::size_t{512} << 10;  // of the compressed file
    std::size_t text_bytes = std::size_t{1} << 20;     // the most that next() gives at once
    std::size_t max_ratio = 16;                        // a piece with more text is inflated further in next() only
  };
  /// Reads on, up to `size` bytes; 0 only at the end. Throws IoError. Called in next() only.
  using Read = std::function<std::size_t(char* to, std::size_t size)>;

  /// Some text. It keeps its piece in memory.
  class Text {
   public:
    /// May be 0.
    std::size_t size() const { return end_ - begin_; }
    /// Once, before check().
    void write(char* to);
    /// Bytes of the file up to the end of this text, counted before decompression: an estimate.
    std::uint64_t input_bytes() const;

   private:
    friend class ParallelGzip;

    std::shared_ptr<const KnownPart> known_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::vector<GzipPart::MemberEnd> members_;  // that end with this text
    std::uint32_t crc_ = 0;
  };

  /// `name` is for messages.
  ParallelGzip(Read read, std::string name, const Options& options);
  ~ParallelGzip();
  ParallelGzip(const ParallelGzip&) = delete;
  ParallelGzip& operator=(const ParallelGzip&) = delete;

  /// Nothing at the end, or where something else than an ordinary member begins. Throws IoError; or InputError if the
  /// data are damaged or end too early, when all text before has been given. Not for several threads at once.
  std::unique_ptr<Text> next();
  /// Checks the members that end with this text. All texts come here, in order, each after its write(). Throws
  /// InputError. May be called while another thread calls next().
  void check(const Text& text);

  /// After next() has given nothing: what was read but not used, at this place of the file.
  std::vector<char> rest() const;
  std::uint64_t rest_offset() const { return place_.bit / 8; }

 private:
  using End = GzipPart::End;

  std::unique_ptr<Text> next_text();
  void next_part();
  bool begins_with_member() const;
  void accept(std::unique_ptr<GzipPart> part);
  bool front_is_past();
  void read_piece();
  void start_task(std::size_t index);
  void wait_for(Piece& piece);

  Read read_;
  std::string name_;
  Options options_;
  std::size_t max_text_;
  std::uint64_t read_offset_ = 0;
  bool can_read_ = true;
  bool is_complete_ = false;  // the last piece is the file's last
  std::exception_ptr read_error_;
  std::shared_ptr<MemoryPool> pool_ = std::make_shared<MemoryPool>();
  tbb::task_arena arena_{tbb::task_arena::attach{}};  // of the thread that has made this
  std::deque<std::shared_ptr<Piece>> pieces_;

  // Where the next part begins, and how the last one ended.
  GzipPlace place_;
  std::shared_ptr<const InflateWindow> window_ = std::make_shared<InflateWindow>();
  End end_ = End::kStart;

  std::shared_ptr<const KnownPart> known_;
  std::size_t text_at_ = 0;    // in the known part
  std::size_t member_at_ = 0;  // in its member_ends()

  // Of check(): the member so far.
  std::uint32_t crc_ = 0;
  std::uint32_t member_size_ = 0;  // as ISIZE: modulo 2^32
};

}  // namespace trawl::io
