// Any bytes as gzip data, inflated in tiny pieces, must give the same text and the same error as zlib. The first bytes
// choose the sizes of pieces and what the other bytes are: a file; deflate data, which get a header and the right sums;
// or text, which is compressed first and then damaged.
#include <zlib.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "io/read/gzip/parallel_gzip.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/gzip_oracle.hpp"

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

// Deflate data as a member. What follows them is not known, so the sums come right after them.
std::string member_of(std::string_view deflated) {
  const test::GzipResult result = test::gunzip(test::gzip_member(deflated, ""));
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
  return test::gzip_member(used, result.text);
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
  io::ParallelGzip::Options options;
  const unsigned kind = bytes.next();
  options.piece_bytes = 16 + bytes.next() * 4;
  options.max_ratio = 1 + bytes.next() % 64;
  options.text_bytes = 1 + bytes.next() * 16;
  options.threads = kind & 16 ? 1 : 3;
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
  if (file.empty()) {
    return 0;
  }
  const test::GzipResult expected = test::gunzip(file);
  const test::GzipResult got = test::gunzip_parallel(file, options);
  check(got.error == expected.error);
  check(got.text == expected.text);
  return 0;
}
