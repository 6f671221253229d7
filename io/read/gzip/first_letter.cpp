#include "io/read/gzip/first_letter.hpp"

#include <zlib.h>

#include <array>
#include <new>
#include <string>
#include <string_view>

#include "io/format/gzip_format.hpp"
#include "io/format/letters.hpp"

namespace trawl::io {

namespace {

constexpr std::string_view kMark = "\xef\xbb\xbf";
// Bytes of the file that are looked at: first so many, then more. Few, because a pipe may bring the next ones late.
constexpr std::size_t kFirst = 64, kMost = std::size_t{1} << 20;

char first_of(std::string_view text) {
  if (text.starts_with(kMark)) {
    text.remove_prefix(kMark.size());
  }
  for (const char c : text) {
    if (!is_space(c) && c != '\n') {
      return c;
    }
  }
  return '\0';
}

// zlib, and not InflateStream, because it also reads the headers of members.
struct Inflation {
  Inflation() {
    constexpr int gzip = 15 + 16;
    if (inflateInit2(&stream, gzip) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~Inflation() { inflateEnd(&stream); }
  Inflation(const Inflation&) = delete;
  Inflation& operator=(const Inflation&) = delete;

  z_stream stream{};
};

// The text that begins `bytes`, up to its first letter.
std::string inflated_start(std::string& bytes) {
  Inflation inflation;
  z_stream& stream = inflation.stream;
  stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string text;
  std::array<char, 256> some;
  while (first_of(text) == '\0') {
    stream.next_out = reinterpret_cast<Bytef*>(some.data());
    stream.avail_out = static_cast<uInt>(some.size());
    const int status = inflate(&stream, Z_NO_FLUSH);
    text.append(some.data(), some.size() - stream.avail_out);
    // BGZF, and files that were put together, have several members; the first may be empty.
    if (status == Z_STREAM_END ? inflateReset(&stream) != Z_OK : status != Z_OK) {
      break;
    }
  }
  return text;
}

}  // namespace

char first_letter(InputFile& file) {
  for (std::size_t size = kFirst;; size *= 16) {
    std::string bytes = file.start(size);
    const bool is_all = bytes.size() < size || size >= kMost;
    const char letter = first_of(bytes.starts_with(kGzipMagic) ? inflated_start(bytes) : bytes);
    if (letter != '\0' || is_all) {
      return letter;
    }
  }
}

}  // namespace trawl::io
