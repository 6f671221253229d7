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

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace trawl::io {

class ParallelGzip {
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
    ~Text();
    /// May be 0.
    std::size_t size() const;
    /// Once, before check().
    void write(char* to);
    /// Bytes of the file up to the end of this text, counted before decompression: an estimate.
    std::uint64_t input_bytes() const;

   private:
    friend class ParallelGzip;
    struct State;
    explicit Text(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
  };

  /// `name` is for messages.
  ParallelGzip(Read read, std::string name, const Options& options);
  ~ParallelGzip();

  /// Nothing at the end, or where something else than an ordinary member begins. Throws IoError; or InputError if the
  /// data are damaged or end too early, when all text before has been given. Not for several threads at once.
  std::unique_ptr<Text> next();
  /// Checks the members that end with this text. All texts come here, in order, each after its write(). Throws
  /// InputError. May be called while another thread calls next().
  void check(const Text& text);

  /// After next() has given nothing: what was read but not used, at this place of the file.
  std::vector<char> rest() const;
  std::uint64_t rest_offset() const;

 private:
  class Sequence;

  std::unique_ptr<Sequence> sequence_;
  std::string name_;
  std::uint32_t crc_ = 0;          // of the member so far
  std::uint32_t member_size_ = 0;  // as ISIZE: modulo 2^32
};

}  // namespace trawl::io
