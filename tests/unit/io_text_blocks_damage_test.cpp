// Damaged files: Trawl must fail where `gzip -t` does.
#include <sys/wait.h>
#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <set>
#include <sstream>
#include <vector>

#include "io/read/text_blocks.hpp"
#include "tests/catch.hpp"
#include "tests/unit/io_files.hpp"

using trawl::io::TextBlocks;
using trawl::test::file_content;
using trawl::test::TempDir;

namespace {

struct Text {
  std::string text;
  std::string message;

  bool operator==(const Text&) const = default;
};

Text read_text(const std::string& path, const TextBlocks::Options& options) {
  Text result;
  try {
    TextBlocks blocks(path, options);
    while (const auto block = blocks.next()) {
      result.text.append(block->begin(), block->size());
    }
  } catch (const std::exception& error) {
    result.message = error.what();
  }
  return result;
}

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  /// From 0 to `end` - 1.
  std::size_t below(std::size_t end) { return engine_() % end; }
  bool one_in(std::size_t n) { return below(n) == 0; }

 private:
  std::mt19937 engine_;
};

std::string fastq(Random& random, std::size_t size) {
  std::string text;
  for (int read = 0; text.size() < size; ++read) {
    text += "@read" + std::to_string(read) + '\n';
    for (const char* letters : {"ACGT", "IIFC"}) {
      for (int i = 0; i < 50; ++i) {
        text += letters[random.below(4)];
      }
      text += letters[0] == 'A' ? "\n+\n" : "\n";
    }
  }
  text.resize(size);
  return text;
}

// One member with all kinds of deflate blocks and optional parts of the header.
std::string gzip_member(Random& random, const std::string& text) {
  const int levels[] = {0, 1, 6, 9};
  const int strategies[] = {Z_DEFAULT_STRATEGY, Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE};
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, levels[random.below(4)], Z_DEFLATED, 15 + 16, 8, strategies[random.below(4)]) == Z_OK);
  gz_header header{};
  std::string name = "reads.fq";
  std::string comment = "a comment";
  std::string extra = "XY\x03\x01" + std::string(770, 'x');
  if (random.one_in(2)) {
    header.name = random.one_in(2) ? reinterpret_cast<Bytef*>(name.data()) : nullptr;
    header.comment = random.one_in(2) ? reinterpret_cast<Bytef*>(comment.data()) : nullptr;
    if (random.one_in(2)) {
      extra[2] = 2;
      extra[3] = 3;
      header.extra = reinterpret_cast<Bytef*>(extra.data());
      header.extra_len = static_cast<unsigned>(extra.size());
    }
    header.hcrc = random.one_in(2) ? 1 : 0;
    deflateSetHeader(&stream, &header);
  }
  std::string member(text.size() * 2 + 2000, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<unsigned>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(member.data());
  stream.avail_out = static_cast<unsigned>(member.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  member.resize(stream.total_out);
  deflateEnd(&stream);
  return member;
}

std::uint64_t number(const std::string& bytes, std::size_t at, int count) {
  std::uint64_t value = 0;
  for (int i = 0; i < count; ++i) {
    value |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  }
  return value;
}

// A file, and the bytes of it where BGZF blocks say how long they are. gzip does not look at these.
struct File {
  std::string content;
  std::set<std::size_t> block_sizes;

  void add(const std::string& gzip) { content += gzip; }
  void add_bgzf(const std::string& bgzf) {
    for (std::size_t at = 0; at < bgzf.size(); at += number(bgzf, at + 16, 2) + 1) {
      block_sizes.insert({content.size() + at + 16, content.size() + at + 17});
    }
    content += bgzf;
  }
};

class Damager {
 public:
  Damager(const TempDir& dir, unsigned seed) : dir_(dir), random_(seed) {}

  // True if no flipped bit is in the size of a BGZF block.
  bool make(const std::string& path) {
    File file;
    const std::size_t kind = random_.below(4);
    const std::size_t parts = kind == 2 ? 2 + random_.below(3) : 1;
    for (std::size_t i = 0; i < parts; ++i) {
      add_part(file);
    }
    bool sizes_are_good = true;
    if (kind == 0 || (kind == 2 && random_.one_in(3))) {
      const std::size_t marker = 28;  // of BGZF
      const bool cut_marker = random_.one_in(8) && file.content.size() > marker + 2;
      file.content.resize(cut_marker ? file.content.size() - marker : 2 + random_.below(file.content.size() - 2));
    }
    if (kind == 1 || (kind == 2 && random_.one_in(3))) {
      // Often in a header or a sum, which are small.
      const std::size_t ends[] = {3, 20, 60, file.content.size()};
      for (std::size_t flips = 1 + random_.below(2); flips > 0; --flips) {
        std::size_t at = random_.below(std::min(ends[random_.below(4)], file.content.size()));
        at = random_.one_in(3) ? file.content.size() - 1 - at : at;
        if (at >= 2) {
          file.content[at] = static_cast<char>(file.content[at] ^ (1U << random_.below(8)));
          sizes_are_good = sizes_are_good && file.block_sizes.count(at) == 0;
        }
      }
    }
    if (kind == 3) {
      file.content += std::string(random_.one_in(2) ? random_.below(40) : 0, '\0');
      file.content += random_.one_in(3) ? "\x1f\x8b" : "";
      for (std::size_t left = random_.below(3) * random_.below(30); left > 0; --left) {
        file.content += static_cast<char>(random_.below(256));
      }
    }
    std::ofstream(path, std::ios::binary) << file.content;
    return sizes_are_good;
  }

 private:
  void add_part(File& file) {
    const std::string text = fastq(random_, random_.one_in(4) ? random_.below(300'000) : random_.below(5000));
    if (random_.one_in(2)) {
      file.add(gzip_member(random_, text));
    } else {
      file.add_bgzf(file_content(dir_.write_compressed("part", text, random_.one_in(2) ? "w" : "w1")));
    }
  }

  const TempDir& dir_;
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

TEST_CASE("of 1000 damaged files, those fail for which gzip -t fails; the others have the text that gzip finds", "[long]") {
  if (std::system("gzip --version > /dev/null 2>&1") != 0) {
    return;
  }
  TempDir dir;
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
    const Text one = read_text(path, {1, 1 << 20});
    INFO(one.message);
    const bool lacks_marker = one.message.find("end marker is missing") != std::string::npos;
    if (lacks_marker) {
      CHECK(gzip_passes);
      ++missing_markers;
    } else if (sizes_are_good || !gzip_passes) {
      REQUIRE(one.message.empty() == gzip_passes);
    }
    if (one.message.empty()) {
      REQUIRE((one.text == output_of("gzip -dc " + path)));
      ++passed;
    } else {
      REQUIRE(one.message.starts_with(path + ": "));
      REQUIRE(one.message.find("copy") != std::string::npos);
    }
    for (const auto& options : {TextBlocks::Options{2, 1 << 20}, {8, 1 << 20}, {1, 700}, {2, 4096}, {8, 70'000}}) {
      const Text other = read_text(path, options);
      INFO(options.threads << " threads, blocks of " << options.block_bytes << ": " << other.message);
      REQUIRE(other.message == one.message);
      REQUIRE(other.text.size() == one.text.size());
      REQUIRE((other.text == one.text));
    }
  }
  CHECK(passed > 100);
  CHECK(passed < 500);
  CHECK(missing_markers > 0);
}

TEST_CASE("the text of a BGZF block does not stand in for that of a damaged one before it") {
  TempDir dir;
  std::string first = file_content(dir.write_compressed("first", "@a\nACGT\n+\nIIII\n", "w"));
  first.resize(first.size() - 28);                 // without the end marker
  std::fill(first.end() - 8, first.end(), '\0');  // checksum and size: as if there were no text
  const std::string path = dir.write("x.gz", first + file_content(dir.write_compressed("second", "ACGT\n", "w")));
  const Text expected = read_text(path, {1, 1 << 20});
  CHECK(expected.text.empty());
  CHECK(expected.message.find("damaged") != std::string::npos);
  for (const std::size_t bytes : {1, 2, 5, 16, 100, 1000}) {
    for (const unsigned threads : {1u, 2u}) {
      INFO(threads << " threads, blocks of " << bytes);
      CHECK(read_text(path, {threads, bytes}) == expected);
    }
  }
}
