// Any bytes as gzip data must give the text that zlib gives, and an error exactly where zlib finds one. The first bytes
// choose the size of blocks and what the other bytes are: a file; deflate data, which get a header and the right sums;
// or text, which is compressed first and then damaged.
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "io/read/text_blocks.hpp"
#include "tests/fuzz/memory_file.hpp"

using namespace trawl;
using fuzz::check;

namespace {

class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  unsigned next() {
    if (size_ == 0) {
      return 0;
    }
    --size_;
    return *data_++;
  }
  std::string rest() const { return {reinterpret_cast<const char*>(data_), size_}; }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
};

struct Result {
  std::string text;  // up to the error
  bool is_good = true;
};

/// What zlib makes of a file: members one after the other, then zeros. BGZF blocks are ordinary members here.
Result gunzip(const std::string& file) {
  Result result;
  z_stream stream{};
  check(inflateInit2(&stream, 15 + 16) == Z_OK);
  std::size_t at = 0;
  while (result.is_good && at < file.size() && file[at] == '\x1f' &&
         (at + 1 == file.size() || file[at + 1] == '\x8b')) {
    inflateReset(&stream);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(file.data() + at));
    stream.avail_in = static_cast<unsigned>(file.size() - at);
    int status = Z_OK;
    while (status == Z_OK) {
      char text[30000];
      stream.next_out = reinterpret_cast<Bytef*>(text);
      stream.avail_out = sizeof text;
      status = inflate(&stream, Z_NO_FLUSH);
      result.text.append(text, sizeof text - stream.avail_out);
    }
    result.is_good = status == Z_STREAM_END;
    at = file.size() - stream.avail_in;
  }
  inflateEnd(&stream);
  const auto rest = file.begin() + static_cast<std::ptrdiff_t>(at);
  result.is_good = result.is_good && std::all_of(rest, file.end(), [](char c) { return c == 0; });
  return result;
}

/// One member as gzip -n writes it, with these deflate data of a text.
std::string gzip_member(std::string_view deflated, std::string_view text) {
  std::string bytes("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
  bytes += deflated;
  const auto crc = crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<unsigned>(text.size()));
  for (const auto value : {static_cast<std::uint32_t>(crc), static_cast<std::uint32_t>(text.size())}) {
    for (int i = 0; i < 4; ++i) {
      bytes += static_cast<char>(value >> (8 * i));
    }
  }
  return bytes;
}

Result read_blocks(const std::string& file, const io::TextOptions& options) {
  const fuzz::MemoryFile memory(reinterpret_cast<const std::uint8_t*>(file.data()), file.size());
  Result result;
  try {
    io::TextBlocks blocks(memory.path(), options);
    while (const auto block = blocks.next()) {
      result.text.append(block->begin(), block->size());
    }
  } catch (const Error&) {
    result.is_good = false;
  }
  return result;
}

// Deflate data as a member. What follows them is not known, so the sums come right after them.
std::string member_of(std::string_view deflated) {
  const Result result = gunzip(gzip_member(deflated, ""));
  z_stream stream{};
  check(inflateInit2(&stream, -15) == Z_OK);
  std::string room(result.text.size() + 1, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(deflated.data()));
  stream.avail_in = static_cast<unsigned>(deflated.size());
  stream.next_out = reinterpret_cast<Bytef*>(room.data());
  stream.avail_out = static_cast<unsigned>(room.size());
  inflate(&stream, Z_FINISH);
  const std::string used(deflated.substr(0, deflated.size() - stream.avail_in));
  inflateEnd(&stream);
  return gzip_member(used, result.text);
}

// `text` repeated, compressed in one of many ways.
std::string compressed(Bytes& bytes) {
  const int level = static_cast<int>(bytes.next() % 10);
  const int strategy = static_cast<int>(bytes.next() % 5);
  const int memory = 1 + static_cast<int>(bytes.next() % 9);
  const unsigned repeats = 1 + bytes.next() % 32;
  const unsigned flush = bytes.next();
  z_stream stream{};
  check(deflateInit2(&stream, level, Z_DEFLATED, 15 + 16, memory, strategy) == Z_OK);
  std::string text = bytes.rest();
  std::string out(deflateBound(&stream, text.size() * repeats) + 64 * repeats + 1000, '\0');
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<unsigned>(out.size());
  for (unsigned i = 0; i < repeats; ++i) {
    if (!text.empty()) {
      text[i % text.size()] = static_cast<char>(text[i % text.size()] + 1);  // not exactly the same again
    }
    stream.next_in = reinterpret_cast<Bytef*>(text.data());
    stream.avail_in = static_cast<unsigned>(text.size());
    constexpr int kFlushes[] = {Z_NO_FLUSH, Z_BLOCK, Z_SYNC_FLUSH, Z_FULL_FLUSH};
    deflate(&stream, kFlushes[(flush >> (i % 4 * 2)) & 3]);
    check(stream.avail_in == 0);
  }
  check(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, size);
  const unsigned kind = bytes.next();
  const io::TextOptions options{.threads = kind & 16 ? 1U : 3U, .block_bytes = 1 + bytes.next() * 16};
  std::string file;
  switch (kind % 4) {
    case 0:
      file = bytes.rest();
      break;
    case 1: {
      const std::string all = bytes.rest();
      file = member_of(all);
      break;
    }
    default: {
      const unsigned place = bytes.next() << 8 | bytes.next();
      const unsigned change = bytes.next();
      file = compressed(bytes);
      if (kind % 4 == 3) {
        file[place % file.size()] = static_cast<char>(file[place % file.size()] ^ change);
        if (kind & 32) {
          file.resize(file.size() - place % file.size());
        } else if (kind & 64) {
          file += file;
        }
      }
    }
  }
  // Of a file that does not begin as gzip, the text is the file; a BGZF block has a size that zlib does not check.
  if (!file.starts_with("\x1f\x8b") || file.find("BC\x02") != std::string::npos) {
    read_blocks(file, options);
    return 0;
  }
  const Result expected = gunzip(file);
  const Result got = read_blocks(file, options);
  check(got.is_good == expected.is_good);
  check(got.is_good ? got.text == expected.text
                    : got.text.starts_with(expected.text) || expected.text.starts_with(got.text));
  return 0;
}
