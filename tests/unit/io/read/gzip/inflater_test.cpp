#include "io/read/gzip/inflater.hpp"

#include <zlib.h>

#include <cstdlib>
#include <random>
#include <set>

#include "io/read/text_blocks.hpp"
#include "tests/catch.hpp"
#include "tests/unit/io/files.hpp"

using namespace trawl::io;
using trawl::test::message_of;

namespace {

using Random = std::mt19937;

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

struct Way {
  int level = 6;
  int strategy = Z_DEFAULT_STRATEGY;
  bool header = false;  // with some of its optional parts
};

std::string compress(const std::string& text, const Way& way, Random& random) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, way.level, Z_DEFLATED, 15 + 16, 8, way.strategy) == Z_OK);
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
  std::string gzip(deflateBound(&stream, text.size()) + 10'000, '\0');
  stream.next_out = reinterpret_cast<Bytef*>(gzip.data());
  stream.avail_out = static_cast<unsigned>(gzip.size());
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<unsigned>(text.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  gzip.resize(stream.total_out);
  deflateEnd(&stream);
  return gzip;
}

struct GzipResult {
  std::string text;   // up to the error
  std::string error;  // "": none
};

GzipResult read_blocks(const std::string& path, const TextOptions& options) {
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
    for (const auto& options : {TextOptions{2, 1 << 20}, {8, 1 << 20}, {1, 700}, {2, 4096}, {8, 70'000}}) {
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
