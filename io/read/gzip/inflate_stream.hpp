// Inflates deflate data (RFC 1951), without the headers and sums of gzip, with the fastest library of the build.
//
//   const unsigned char data[] = {1, 4, 0, 0xfb, 0xff, 'A', 'C', 'G', 'T'};      // one block, which is not compressed
//   char text[4];
//   const unsigned char* in = data;
//   char* out = text;
//   InflateStream stream;
//   stream.begin();
//   stream.run(in, std::end(data), out, std::end(text)) == InflateStream::Status::finished
//   inflate_whole(data, sizeof data, text, sizeof text) == true                  // the same at once
#pragma once

#include <cstddef>
#include <memory>

namespace trawl::io {

struct InflateState;  // of the library

/// A stream that comes in pieces of any size.
class InflateStream {
 public:
  enum class Status {
    more,      // there is no more input, or no more room
    finished,  // `in` is the first byte after the stream
    damaged    // all that was inflated before the damage has been given, as far as there was room
  };

  InflateStream();
  ~InflateStream();

  void begin();
  /// Moves `in` and `out` forward. At the end of the stream `in` may move back by up to kLookback bytes, also to before
  /// where it was in this call: what was read last must still be there.
  Status run(const unsigned char*& in, const unsigned char* in_end, char*& out, char* out_end);

  static constexpr std::size_t kLookback = 8;

 private:
  std::unique_ptr<InflateState> state_;
};

/// Inflates a stream that is exactly `size` bytes long into exactly `text_size` bytes, each less than 2 GiB; false if
/// it is damaged.
bool inflate_whole(const unsigned char* data, std::size_t size, char* text, std::size_t text_size);

}  // namespace trawl::io
