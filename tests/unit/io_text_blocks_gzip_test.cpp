#include <random>

#include "io/read/text_blocks.hpp"
#include "tests/catch.hpp"
#include "tests/unit/io_files.hpp"

using trawl::io::TextBlocks;
using trawl::test::file_content;
using trawl::test::message_of;
using trawl::test::StandardInput;
using trawl::test::TempDir;

namespace {

std::string all_bytes(const std::string& path, unsigned threads = 1, std::size_t block_bytes = 10007) {
  TextBlocks blocks(path, {threads, block_bytes});
  std::string bytes;
  while (const auto block = blocks.next()) {
    bytes.append(block->begin(), block->size());
  }
  return bytes;
}

// Text that compresses a little, and needs several BGZF blocks and several fillings of the input buffer.
std::string sample(std::size_t size) {
  std::mt19937 random(7);
  std::string text(size, '\n');
  for (char& c : text) {
    c = "ACGT\n"[random() % 5];
  }
  return text;
}

}  // namespace

TEST_CASE("plain, gzip and BGZF files give the same bytes, from a file and from a pipe") {
  TempDir dir;
  const std::string text = sample(5'000'000);
  const std::string paths[] = {dir.write("a", text), dir.write_compressed("a.gz", text, "wg"),
                               dir.write_compressed("a.bgz", text, "w")};
  for (const auto& path : paths) {
    CHECK(all_bytes(path) == text);
    CHECK(all_bytes(path, 2) == text);
    CHECK(all_bytes(path, 1, 3'000'000) == text);
    StandardInput input(file_content(path));
    CHECK(all_bytes("-") == text);
  }
}

TEST_CASE("gzip members of either kind may follow each other") {
  TempDir dir;
  const std::string gzip = file_content(dir.write_compressed("g", "one\n", "wg"));
  const std::string bgzf = file_content(dir.write_compressed("b", "two\n", "w"));
  CHECK(all_bytes(dir.write("x", gzip + bgzf + gzip)) == "one\ntwo\none\n");
  CHECK(all_bytes(dir.write("x", bgzf + gzip + bgzf)) == "two\none\ntwo\n");
  CHECK(all_bytes(dir.write("x", bgzf + bgzf)) == "two\ntwo\n");
}

TEST_CASE("zeros behind the gzip data are ignored, anything else is an error") {
  TempDir dir;
  const std::string gzip = file_content(dir.write_compressed("g", "one\n", "wg"));
  const std::string bgzf = file_content(dir.write_compressed("b", "two\n", "w"));
  const auto error_of = [&](const std::string& content) {
    return message_of([&, path = dir.write("x", content)] { all_bytes(path); });
  };
  const auto expected = [&](std::size_t offset) {
    return dir.path("x") + ": what follows the gzip data at byte " + std::to_string(offset + 1) +
           " is not gzip data; copy or download the file again, or remove what was added to it";
  };
  for (const std::size_t zeros : {1, 100, 3'000'000}) {
    const std::string padding(zeros, '\0');
    CHECK(all_bytes(dir.write("x", gzip + padding)) == "one\n");
    CHECK(all_bytes(dir.write("x", bgzf + padding)) == "two\n");
    CHECK(error_of(gzip + padding + "text") == expected(gzip.size() + zeros));
  }
  CHECK(error_of(gzip + "text") == expected(gzip.size()));
  CHECK(error_of(bgzf + "text") == expected(bgzf.size()));
  // Damage at the start of the next member.
  for (const std::size_t at : {0, 1}) {
    std::string second = gzip;
    second[at] ^= 0x20;
    CHECK(error_of(gzip + second) == expected(gzip.size()));
    second = bgzf;
    second[at] ^= 0x20;
    CHECK(error_of(bgzf + second) == expected(bgzf.size()));
  }
}

TEST_CASE("empty files and files of one byte are read") {
  TempDir dir;
  CHECK(all_bytes(dir.write("e", "")).empty());
  CHECK(all_bytes(dir.write("e", "A")) == "A");
  CHECK(all_bytes(dir.write("e", "\x1f")) == "\x1f");
  CHECK(all_bytes(dir.write_compressed("e.gz", "", "wg")).empty());
  CHECK(all_bytes(dir.write_compressed("e.bgz", "", "w")).empty());
}

TEST_CASE("a BGZF file that ends too early is an error: in a block, at a block border, on a file, on a pipe") {
  TempDir dir;
  const std::string whole = file_content(dir.write_compressed("b", sample(150'000), "w"));
  const std::size_t marker = 28;
  const auto cut = [&](std::size_t size) { return dir.write("cut.bgz", whole.substr(0, size)); };
  const std::string advice = "; the file is truncated, copy or download it again";

  const std::string path = cut(whole.size() - marker);
  CHECK(message_of([&] { all_bytes(path); }) == path + ": the BGZF end marker is missing" + advice);
  CHECK(message_of([&] { all_bytes(path, 2); }) == path + ": the BGZF end marker is missing" + advice);
  {
    StandardInput input(whole.substr(0, whole.size() - marker));
    CHECK(message_of([] { all_bytes("-"); }) == "standard input: the BGZF end marker is missing" + advice);
  }
  cut(whole.size() - marker - 1);
  CHECK(message_of([&] { all_bytes(path); }) == path + ": the BGZF data end in the middle of a block" + advice);
  cut(1000);
  CHECK(message_of([&] { all_bytes(path); }) == path + ": the BGZF data end in the middle of a block" + advice);
  for (std::size_t size = 2; size < whole.size(); size += 97) {
    INFO(size);
    cut(size);
    REQUIRE(message_of([&] { all_bytes(path); }).find("truncated") != std::string::npos);
  }
}

TEST_CASE("a BGZF block with bytes between its data and its sums is an error, as for gzip") {
  TempDir dir;
  std::string bgzf = file_content(dir.write_compressed("b", "two\n", "w"));
  const std::size_t marker = 28;
  bgzf.insert(bgzf.size() - marker - 8, 1, 'x');
  ++bgzf[16];  // the size of the block
  const std::string path = dir.write("d", bgzf);
  CHECK(message_of([&] { all_bytes(path); }) == path + ": the gzip data are damaged; copy or download the file again");
}
