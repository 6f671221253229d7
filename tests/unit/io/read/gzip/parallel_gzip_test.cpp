#include "io/read/gzip/parallel_gzip.hpp"

#include <oneapi/tbb/global_control.h>
#include <zlib.h>

#include <cstdlib>
#include <cstring>
#include <random>
#include <set>

#include "base/error.hpp"
#include "io/read/gzip/decoder.hpp"
#include "io/read/gzip/finder.hpp"
#include "io/read/gzip/piece.hpp"
#include "io/read/text_blocks.hpp"
#include "tests/catch.hpp"
#include "tests/gzip_oracle.hpp"
#include "tests/unit/io/files.hpp"

using namespace trawl::io;
using trawl::test::gunzip;
using trawl::test::gunzip_parallel;
using trawl::test::gzip_member;
using trawl::test::GzipResult;
using trawl::test::message_of;

namespace {

using Random = std::mt19937;

std::size_t up_to(Random& random, std::size_t n) { return random() % (n + 1); }

std::string fastq(Random& random, std::size_t size) {
  std::string text;
  while (text.size() < size) {
    text += "@RUN:7:FLOWCELL:1:" + std::to_string(1101 + text.size() / 5000) + ":" + std::to_string(random() % 30000) +
            "\n";
    std::string bases(100, ' ');
    std::string qualities(100, 'F');
    for (char& c : bases) {
      c = "ACGT"[random() % 4];
    }
    for (char& c : qualities) {
      c = "FFFFFFF:,#"[random() % 10];
    }
    text += bases + "\n+\n" + qualities + "\n";
  }
  text.resize(size);
  return text;
}

std::string letters(Random& random, std::size_t size, unsigned kinds) {
  std::string text(size, ' ');
  for (char& c : text) {
    c = static_cast<char>(random() % kinds + (kinds < 200 ? '0' : 0));
  }
  return text;
}

// What is copied comes from as far away as zlib goes.
std::string far_copies(Random& random, std::size_t size) {
  constexpr std::size_t kFar = 32768 - 262;
  std::string text = letters(random, kFar, 256);
  while (text.size() < size) {
    const std::size_t n = std::min<std::size_t>(3 + random() % 300, size - text.size());
    text.append(text.substr(text.size() - kFar, n));
    if (random() % 3 == 0) {
      text += static_cast<char>(random());
    }
  }
  text.resize(size);
  return text;
}

std::string any_text(Random& random) {
  const std::size_t size = random() % 4 == 0 ? up_to(random, 100) : up_to(random, 60000);
  switch (random() % 8) {
    case 0:
      return letters(random, size, 256);
    case 1:
      return std::string(size * 4, 'N');
    case 2:
      return letters(random, size, 4);
    case 3:
      return far_copies(random, size * 2);
    case 4:
      return letters(random, size, 1 + random() % 3);
    default:
      return fastq(random, size * 2);
  }
}

struct Way {
  int level = 6;
  int strategy = Z_DEFAULT_STRATEGY;
  int memory = 8;  // 1: small blocks
  int window = 15;
  unsigned flushes = 0;  // one in so many steps
  bool changes = false;  // level and strategy change in the middle
  bool header = false;   // with some of its optional parts
};

std::string compress(const std::string& text, const Way& way, Random& random) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, way.level, Z_DEFLATED, way.window + 16, way.memory, way.strategy) == Z_OK);
  gz_header header{};
  std::string name = "reads.fq";
  std::string comment = "a comment";
  std::string extra = "XY\x02\x03" + std::string(770, 'x');
  if (way.header) {
    header.name = random() % 2 == 0 ? reinterpret_cast<Bytef*>(name.data()) : nullptr;
    header.comment = random() % 2 == 0 ? reinterpret_cast<Bytef*>(comment.data()) : nullptr;
    header.extra = random() % 2 == 0 ? reinterpret_cast<Bytef*>(extra.data()) : nullptr;
    header.extra_len = static_cast<unsigned>(extra.size());
    header.hcrc = static_cast<int>(random() % 2);
    deflateSetHeader(&stream, &header);
  }
  std::string gzip(deflateBound(&stream, text.size()) + 100000, '\0');
  stream.next_out = reinterpret_cast<Bytef*>(gzip.data());
  stream.avail_out = static_cast<unsigned>(gzip.size());
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  std::size_t left = text.size();
  while (left > 0) {
    const std::size_t n = way.flushes == 0 && !way.changes ? left : std::min(left, 1 + up_to(random, 4000));
    stream.avail_in = static_cast<unsigned>(n);
    left -= n;
    constexpr int kFlushes[] = {Z_SYNC_FLUSH, Z_FULL_FLUSH, Z_PARTIAL_FLUSH, Z_BLOCK};
    deflate(&stream, way.flushes > 0 && random() % way.flushes == 0 ? kFlushes[random() % 4] : Z_NO_FLUSH);
    if (way.changes && random() % 3 == 0) {
      deflateParams(&stream, static_cast<int>(random() % 10), static_cast<int>(random() % 5));
    }
    REQUIRE(stream.avail_in == 0);
  }
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  gzip.resize(stream.total_out);
  deflateEnd(&stream);
  return gzip;
}

Way any_way(Random& random) {
  Way way;
  way.level = static_cast<int>(random() % 10);
  way.strategy = random() % 2 == 0 ? Z_DEFAULT_STRATEGY : static_cast<int>(random() % 5);
  way.memory = random() % 3 == 0 ? 8 : 1;
  way.window = random() % 4 == 0 ? 9 + static_cast<int>(random() % 7) : 15;
  way.flushes = random() % 3 == 0 ? 1 + random() % 10 : 0;
  way.changes = random() % 6 == 0;
  way.header = random() % 4 == 0;
  return way;
}

ParallelGzip::Options small_pieces(unsigned threads, std::size_t piece_bytes = 1024) {
  ParallelGzip::Options options;
  options.threads = threads;
  options.piece_bytes = piece_bytes;
  options.text_bytes = 5000;
  return options;
}

void check_same(const std::string& file, const ParallelGzip::Options& options) {
  const GzipResult expected = gunzip(file);
  const GzipResult got = gunzip_parallel(file, options);
  CHECK(got.error == expected.error);
  CHECK(got.text.size() == expected.text.size());
  CHECK((got.text == expected.text));
}

CompressedInput input_of(const std::string& file) {
  CompressedInput input;
  auto chunk = std::make_shared<CompressedChunk>();
  chunk->bytes.assign(file.begin(), file.end());
  input.chunks = {chunk};
  input.is_complete = true;
  return input;
}

// `data` as stored blocks, so that they stand in the file as they are.
std::string stored(const std::string& data) {
  std::string blocks;
  std::size_t at = 0;
  do {
    const auto n = static_cast<std::uint16_t>(std::min<std::size_t>(data.size() - at, 65535));
    blocks += static_cast<char>(at + n == data.size() ? 1 : 0);
    for (const unsigned value : {unsigned{n}, unsigned{n} ^ 0xffffU}) {
      blocks += static_cast<char>(value);
      blocks += static_cast<char>(value >> 8);
    }
    blocks.append(data, at, n);
    at += n;
  } while (at < data.size());
  return blocks;
}

// Deflate's bits.
class Bits {
 public:
  void put(unsigned value, unsigned n) {
    for (unsigned i = 0; i < n; ++i) {
      if (used_ % 8 == 0) {
        bytes_ += '\0';
      }
      bytes_.back() = static_cast<char>(bytes_.back() | (value >> i & 1) << used_ % 8);
      ++used_;
    }
  }
  void put_code(unsigned code, unsigned n) {  // the highest bit first
    while (n-- > 0) {
      put(code >> n & 1, 1);
    }
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  std::size_t used_ = 0;
};

// A block with these codes: 5 bits for the symbols 284 and 285, 6 for 256 to 283, 9 for literals; 4 bits for the
// distances 28 and 29, 5 for the others.
void start_block(Bits& bits, bool is_last) {
  bits.put(is_last ? 5 : 4, 3);
  bits.put(286 - 257, 5);
  bits.put(30 - 1, 5);
  bits.put(19 - 4, 4);
  for (const unsigned symbol : {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}) {
    bits.put(symbol == 4 || symbol == 5 || symbol == 6 || symbol == 9 ? 2 : 0, 3);
  }
  const auto put_length = [&](unsigned length) { bits.put_code(length == 9 ? 3 : length - 4, 2); };
  for (unsigned i = 0; i < 286; ++i) {
    put_length(i < 256 ? 9 : i < 284 ? 6 : 5);
  }
  for (unsigned i = 0; i < 30; ++i) {
    put_length(i < 28 ? 5 : 4);
  }
}

void put_literal(Bits& bits, unsigned literal) { bits.put_code(256 + literal, 9); }
void put_end(Bits& bits) { bits.put_code(4, 6); }
// 3 to 10; 257 to 768 or 24577 to 32768
void put_match(Bits& bits, unsigned length, unsigned distance) {
  bits.put_code(4 + 1 + length - 3, 6);
  if (distance >= 24577) {
    bits.put_code(1, 4);
    bits.put(distance - 24577, 13);
  } else {
    const unsigned code = distance < 385 ? 16 : distance < 513 ? 17 : 18;
    bits.put_code(4 + code, 5);
    bits.put(distance - (code == 16 ? 257 : code == 17 ? 385 : 513), code == 18 ? 8 : 7);
  }
}

}  // namespace

TEST_CASE("parallel gzip: the text is the same as zlib's for any way to compress, with very small pieces", "[long]") {
  Random random(1);
  for (int round = 0; round < 1500; ++round) {
    CAPTURE(round);
    std::string file;
    std::string text;
    for (std::size_t members = random() % 3 == 0 ? 1 + random() % 4 : 1; members > 0; --members) {
      const std::string part = random() % 20 == 0 ? "" : any_text(random);
      file += compress(part, any_way(random), random);
      text += part;
    }
    auto options = small_pieces(round % 5 == 0 ? 1 : 4, 200 + up_to(random, 3000));
    options.text_bytes = 1 + up_to(random, 20000);
    options.max_ratio = round % 4 == 0 ? 1 + random() % 3 : 16;
    const GzipResult got = gunzip_parallel(file, options);
    CHECK(got.error == "");
    CHECK((got.text == text));
  }
}

TEST_CASE("parallel gzip: most pieces of FASTQ are found by the tasks, and not inflated again") {
  Random random(2);
  const std::string text = fastq(random, 3'000'000);
  const std::string file = compress(text, {.memory = 1}, random);
  const CompressedInput input = input_of(file);
  // All blocks of the file are found, and nothing else.
  DeflateDecoder decoder(input, 80);
  std::vector<std::uint8_t> out(text.size() + 32768 + DeflateDecoder::kSlack);
  std::uint8_t* to = out.data();
  std::vector<std::uint64_t> blocks;
  do {
    blocks.push_back(decoder.reader().position());
  } while (decoder.run(to, static_cast<const std::uint8_t*>(out.data()),
                       static_cast<const std::uint8_t*>(out.data() + text.size() + 1)) ==
           DeflateDecoder::Stop::kBlockEnd);
  REQUIRE(static_cast<std::size_t>(to - out.data()) == text.size());
  blocks.pop_back();  // the last one is not looked for
  REQUIRE(blocks.size() > 500);
  std::vector<std::uint64_t> found;
  for (std::uint64_t from = 80; const auto start = find_start(input, from, 8 * file.size());) {
    CHECK(!start->is_member);
    found.push_back(start->bit);
    from = start->bit + 1;
  }
  CHECK(found == blocks);
}

TEST_CASE("parallel gzip: a text within a text is not taken for the text itself") {
  Random random(3);
  const std::string inner_text = fastq(random, 200'000);
  const std::string inner = compress(inner_text, {.memory = 1}, random);
  // A gzip file in stored blocks: each piece starts with false blocks and members.
  const std::string outer = gzip_member(stored(inner), inner);
  // The file is compressed again, where it becomes stored blocks or not.
  const std::string again = compress(outer, {.level = 1}, random);
  for (const std::string& file : {outer, again, outer + again + outer}) {
    for (const std::size_t piece : {300, 1024, 5000, 70000}) {
      check_same(file, small_pieces(4, piece));
      check_same(file.substr(0, file.size() - 5000), small_pieces(4, piece));
    }
  }
}

TEST_CASE("parallel gzip: the largest distances work over the borders of pieces") {
  Random random(4);
  Bits bits;
  std::string text = letters(random, 32768, 256);
  std::string file = stored(text);
  file[0] = 0;  // not the last block
  for (int block = 0; block < 300; ++block) {
    start_block(bits, block == 299);
    for (int i = 0; i < 200; ++i) {
      if (random() % 4 == 0) {
        text += static_cast<char>(random());
        put_literal(bits, static_cast<unsigned char>(text.back()));
      } else {
        const unsigned length = 3 + random() % 8;
        const std::size_t distance = 32768 - (random() % 2 == 0 ? 0 : random() % 8192);
        put_match(bits, length, static_cast<unsigned>(distance));
        for (unsigned k = 0; k < length; ++k) {
          text += text[text.size() - distance];
        }
      }
    }
    put_end(bits);
  }
  file = gzip_member(file + bits.bytes(), text);
  REQUIRE((gunzip(file).text == text));
  for (const std::size_t piece : {300, 1024, 10000, 33000}) {
    check_same(file, small_pieces(4, piece));
  }
  // Without the first byte of the window, the copies of it are damage.
  Bits one_more;
  start_block(one_more, false);
  for (int i = 0; i < 300; ++i) {
    put_literal(one_more, 'x');
  }
  put_end(one_more);
  for (const unsigned distance : {300U, 301U, 600U}) {
    Bits far = one_more;
    start_block(far, false);
    put_match(far, 10, distance);
    put_end(far);
    start_block(far, true);
    put_end(far);
    file = gzip_member(far.bytes(), std::string(310, 'x'));
    check_same(file, small_pieces(4, 100));
    // A part that starts with the second block.
    const FoundPart found = find_part(std::make_shared<MemoryPool>(), input_of(file), 81, 8 * file.size(), 1000);
    REQUIRE(found.part);
    InflateWindow window;
    const std::string known(300, 'x');
    window.add(reinterpret_cast<const std::uint8_t*>(known.data()), known.size());
    CHECK(found.part->fits(window) == (distance <= 300));
    CHECK(found.part->text_size() == 10);
  }
}

TEST_CASE("parallel gzip: little memory is needed however much text a piece has") {
  Random random(5);
  const std::string text(50'000'000, 'A');
  const std::string file = compress(text, {}, random);
  auto options = small_pieces(4, 4096);
  options.max_ratio = 8;
  options.text_bytes = 1 << 20;
  std::size_t at = 0;
  std::size_t read = 0;
  ParallelGzip gzip(trawl::test::reader_of(file, read), "x", options);
  while (const auto part = gzip.next()) {
    CHECK(part->size() <= 4096 * 8 * 2 + 1000);
    at += part->size();
  }
  CHECK(at == text.size());
}

TEST_CASE("parallel gzip: what is not for it is left over: padding, other bytes, BGZF blocks") {
  Random random(6);
  const std::string member = compress(fastq(random, 20000), {}, random);
  const std::string bgzf_end("\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0\x1b\0\x03\0\0\0\0\0\0\0\0\0", 28);
  for (const std::string& rest : {std::string(), std::string(3000, '\0'), std::string("x"), std::string("\x1f"),
                                  std::string("\x1f\x8b\x08\0\0\0"), bgzf_end + member}) {
    for (const std::string& start : {member, member + member}) {
      std::string file = start + rest;
      std::size_t at = 0;
      ParallelGzip gzip(trawl::test::reader_of(file, at, 100), "x", small_pieces(4));
      while (const auto part = gzip.next()) {
        std::string text(part->size(), ' ');
        part->write(text.data());
        gzip.check(*part);
      }
      const auto left = gzip.rest();
      CHECK((std::string(left.begin(), left.end()) + file.substr(at) == rest));
      CHECK(gzip.rest_offset() == start.size());
    }
  }
}

TEST_CASE("parallel gzip: damage is found where zlib finds it", "[long]") {
  Random random(7);
  for (int round = 0; round < 2000; ++round) {
    CAPTURE(round);
    std::string file = compress(any_text(random), any_way(random), random);
    if (random() % 3 == 0) {
      file += compress(any_text(random), any_way(random), random);
    }
    switch (random() % 5) {
      case 0:
        file.resize(up_to(random, file.size() - 1));
        break;
      case 1:
        file.resize(file.size() - 1 - up_to(random, 9));
        break;
      case 2:
        file[file.size() - 1 - up_to(random, 7)] ^= static_cast<char>(1 << random() % 8);
        break;
      default:
        for (std::size_t flips = 1 + random() % 3; flips > 0; --flips) {
          file[up_to(random, file.size() - 1)] ^= static_cast<char>(1 << random() % 8);
        }
    }
    if (file.empty()) {
      continue;
    }
    auto options = small_pieces(round % 4 == 0 ? 1 : 4, 200 + up_to(random, 2000));
    options.max_ratio = round % 7 == 0 ? 1 : 16;
    check_same(file, options);
  }
}

TEST_CASE("parallel gzip: codes that zlib accepts or not, and data cut at every bit of a block's header") {
  Random random(8);
  const std::string file = compress(letters(random, 3000, 2) + fastq(random, 3000), {.level = 9}, random);
  for (std::size_t size = 1; size < std::min<std::size_t>(file.size(), 200); ++size) {
    check_same(file.substr(0, size), small_pieces(4));
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = file;
      damaged[size] ^= static_cast<char>(1 << bit);
      check_same(damaged, small_pieces(4));
      check_same(damaged.substr(0, size + 1), small_pieces(4));
    }
  }
  // Any bytes as deflate data: mostly wrong codes of all kinds.
  for (int round = 0; round < 20000; ++round) {
    std::string data = letters(random, 10 + up_to(random, 200), 256);
    data[0] = static_cast<char>((random() & 0xf8) | (4 + random() % 2));
    check_same(gzip_member(data, "") + "more", small_pieces(1));
  }
}

TEST_CASE("parallel gzip: an error of reading comes after the text before it") {
  Random random(9);
  const std::string text = fastq(random, 500'000);
  const std::string file = compress(text, {}, random);
  const std::string half = file.substr(0, file.size() / 2);
  for (const unsigned threads : {1U, 4U}) {
    std::size_t at = 0;
    ParallelGzip gzip(
        [&, read = trawl::test::reader_of(half, at)](char* to, std::size_t size) {
          if (at == half.size()) {
            throw trawl::IoError("x", "cannot read");
          }
          return read(to, size);
        },
        "x", small_pieces(threads));
    std::string got;
    CHECK(message_of([&] {
            while (const auto part = gzip.next()) {
              got.resize(got.size() + part->size());
              part->write(got.data() + got.size() - part->size());
            }
          }) == "x: cannot read");
    CHECK(got.size() > text.size() / 3);
    CHECK((got == text.substr(0, got.size())));
  }
}

namespace {

GzipResult read_blocks(const std::string& path, const TextBlocks::Options& options) {
  GzipResult result;
  result.error = message_of([&] {
    TextBlocks blocks(path, options);
    while (auto block = blocks.next()) {
      result.text.append(block->begin(), block->size());
      blocks.give_back(std::move(block));
    }
  });
  return result;
}

}  // namespace

TEST_CASE("text blocks: a large gzip file gives the same text and error with one thread and with several") {
  Random random(10);
  trawl::test::TempDir dir;
  const std::string text = letters(random, 8'000'000, 4);
  const std::string gzip = compress(text, {.level = 1}, random);
  const std::string small = compress("one more\n", {}, random);
  const std::string bgzf = trawl::test::file_content(dir.write_compressed("b", letters(random, 200'000, 4), "w"));
  REQUIRE(gzip.size() > 2'200'000);
  const auto changed = [](std::string file, std::size_t at) {
    file[at] = static_cast<char>(file[at] ^ 16);
    return file;
  };
  const std::size_t half = gzip.size() / 2;
  const std::pair<std::string, std::string> files[] = {
      {gzip, ""},
      {gzip + small + small, ""},
      {small + gzip + bgzf + gzip, ""},
      {gzip + std::string(100'000, '\0'), ""},
      {gzip.substr(0, half), "the gzip data end in the middle"},
      {gzip.substr(0, gzip.size() - 3), "the gzip data end in the middle"},
      {gzip + gzip.substr(0, 12), "the gzip data end in the middle"},
      {gzip + "garbage", "is not gzip data"},
      {changed(gzip, half), "are damaged"},
      {changed(gzip, gzip.size() - 6), "are damaged"},
      {changed(gzip, gzip.size() - 2) + small, "are damaged"},
      {gzip + bgzf.substr(0, bgzf.size() - 28), "the BGZF end marker is missing"},
  };
  for (const auto& [file, error] : files) {
    const std::string path = dir.write("x", file);
    const GzipResult serial = read_blocks(path, {1, 300'000});
    const GzipResult parallel = read_blocks(path, {4, 300'000});
    CHECK((serial.error.find(error) != std::string::npos && serial.error.empty() == error.empty()));
    CHECK(parallel.error == serial.error);
    CHECK(parallel.text.size() == serial.text.size());
    CHECK((parallel.text == serial.text));
    if (error.empty()) {
      CHECK((parallel.text.substr(0, 100) == (file.starts_with(small) ? "one more\n" + text : text).substr(0, 100)));
    }
  }
}

namespace {

// Of a BGZF block.
std::size_t size_of(const std::string& bgzf, std::size_t at) {
  return 1U + static_cast<unsigned char>(bgzf[at + 16]) + (static_cast<unsigned char>(bgzf[at + 17]) << 8);
}

// A file, and the bytes of it where BGZF blocks say how long they are. gzip does not look at these.
struct File {
  std::string content;
  std::set<std::size_t> block_sizes;

  void add_bgzf(const std::string& bgzf) {
    for (std::size_t at = 0; at < bgzf.size(); at += size_of(bgzf, at)) {
      block_sizes.insert({content.size() + at + 16, content.size() + at + 17});
    }
    content += bgzf;
  }
};

class Damager {
 public:
  Damager(const trawl::test::TempDir& dir, unsigned seed) : dir_(dir), random_(seed) {}

  // True if no flipped bit is in the size of a BGZF block.
  bool make(const std::string& path) {
    File file;
    const std::size_t kind = below(4);
    const std::size_t parts = kind == 2 ? 2 + below(3) : 1;
    for (std::size_t i = 0; i < parts; ++i) {
      add_part(file);
    }
    bool sizes_are_good = true;
    if (kind == 0 || (kind == 2 && one_in(3))) {
      const std::size_t marker = 28;  // of BGZF
      const bool cut_marker = one_in(8) && file.content.size() > marker + 2;
      file.content.resize(cut_marker ? file.content.size() - marker : 2 + below(file.content.size() - 2));
    }
    if (kind == 1 || (kind == 2 && one_in(3))) {
      // Often in a header or a sum, which are small.
      const std::size_t ends[] = {3, 20, 60, file.content.size()};
      for (std::size_t flips = 1 + below(2); flips > 0; --flips) {
        std::size_t at = below(std::min(ends[below(4)], file.content.size()));
        at = one_in(3) ? file.content.size() - 1 - at : at;
        if (at >= 2) {
          file.content[at] = static_cast<char>(file.content[at] ^ (1U << below(8)));
          sizes_are_good = sizes_are_good && file.block_sizes.count(at) == 0;
        }
      }
    }
    if (kind == 3) {
      file.content += std::string(one_in(2) ? below(40) : 0, '\0');
      file.content += one_in(3) ? "\x1f\x8b" : "";
      for (std::size_t left = below(3) * below(30); left > 0; --left) {
        file.content += static_cast<char>(below(256));
      }
    }
    std::ofstream(path, std::ios::binary) << file.content;
    return sizes_are_good;
  }

 private:
  std::size_t below(std::size_t end) { return random_() % end; }
  bool one_in(std::size_t n) { return below(n) == 0; }

  void add_part(File& file) {
    const std::string text = fastq(random_, one_in(4) ? below(300'000) : below(5000));
    if (one_in(2)) {
      Way way{.level = static_cast<int>(below(10)), .strategy = static_cast<int>(below(5))};
      way.header = one_in(2);
      file.content += compress(text, way, random_);
    } else {
      file.add_bgzf(trawl::test::file_content(dir_.write_compressed("part", text, one_in(2) ? "w" : "w1")));
    }
  }

  const trawl::test::TempDir& dir_;
  Random random_;
};

std::string output_of(const std::string& command) {
  std::FILE* pipe = ::popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string output;
  char piece[65536];
  while (const std::size_t n = std::fread(piece, 1, sizeof piece, pipe)) {
    output.append(piece, n);
  }
  ::pclose(pipe);
  return output;
}

}  // namespace

TEST_CASE("of 1000 damaged files, those fail for which gzip -t fails; the others have the text that gzip finds",
          "[long]") {
  if (std::system("gzip --version > /dev/null 2>&1") != 0) {
    return;
  }
  trawl::test::TempDir dir;
  const unsigned seed = 12;
  Damager damager(dir, seed);
  const std::size_t files = 1000;
  std::size_t passed = 0;
  std::size_t missing_markers = 0;
  for (std::size_t i = 0; i < files; ++i) {
    const std::string path = dir.path("damaged.gz");
    const bool sizes_are_good = damager.make(path);
    INFO("seed " << seed << ", file " << i);
    const bool gzip_passes = std::system(("gzip -t " + path + " > /dev/null 2>&1").c_str()) == 0;
    const GzipResult one = read_blocks(path, {1, 1 << 20});
    INFO(one.error);
    const bool lacks_marker = one.error.find("end marker is missing") != std::string::npos;
    if (lacks_marker) {
      CHECK(gzip_passes);
      ++missing_markers;
    } else if (sizes_are_good || !gzip_passes) {
      REQUIRE(one.error.empty() == gzip_passes);
    }
    if (one.error.empty()) {
      REQUIRE((one.text == output_of("gzip -dc " + path)));
      ++passed;
    } else {
      REQUIRE(one.error.starts_with(path + ": "));
      REQUIRE(one.error.find("copy") != std::string::npos);
    }
    for (const auto& options : {TextBlocks::Options{2, 1 << 20}, {8, 1 << 20}, {1, 700}, {2, 4096}, {8, 70'000}}) {
      const GzipResult other = read_blocks(path, options);
      INFO(options.threads << " threads, blocks of " << options.block_bytes << ": " << other.error);
      REQUIRE(other.error == one.error);
      REQUIRE(other.text.size() == one.text.size());
      REQUIRE((other.text == one.text));
    }
  }
  CHECK(passed > 100);
  CHECK(passed < 500);
  CHECK(missing_markers > 0);
}
