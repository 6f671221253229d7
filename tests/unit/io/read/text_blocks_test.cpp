#include "io/read/text_blocks.hpp"

#include <fcntl.h>
#include <oneapi/tbb/task_arena.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <random>

#include "tests/catch.hpp"
#include "tests/unit/io/files.hpp"

using trawl::io::TextBlock;
using trawl::io::TextBlocks;
using trawl::io::TextOptions;
using trawl::test::file_content;
using trawl::test::message_of;
using trawl::test::StandardInput;
using trawl::test::TempDir;

namespace {

// Its text in capitals, so that it shows whether and how often it was prepared.
struct Capitals : TextBlock {
  int prepared = 0;

  void prepare() override {
    ++prepared;
    for (char& c : *this) {
      c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
  }
};

std::unique_ptr<TextBlock> make_capitals() { return std::make_unique<Capitals>(); }

struct Text {
  std::string text;
  std::string message;  // of the error after the text
  std::size_t blocks = 0;
  std::uint64_t input_bytes = 0;
};

Text read_blocks(const std::string& path, const TextOptions& options) {
  Text result;
  result.message = message_of([&] {
    TextBlocks blocks(path, options, make_capitals);
    while (auto block = blocks.next()) {
      auto& capitals = static_cast<Capitals&>(*block);
      CHECK(std::exchange(capitals.prepared, 0) == 1);
      CHECK(block->size() > 0);
      CHECK(block->input_bytes() >= result.input_bytes);
      result.text.append(block->begin(), block->size());
      result.input_bytes = block->input_bytes();
      ++result.blocks;
      if (result.blocks % 3 != 0) {
        blocks.give_back(std::move(block));
      }
    }
  });
  return result;
}

std::string sample(std::size_t size, unsigned seed = 11) {
  std::mt19937 random(seed);
  std::string text(size, '\n');
  for (char& c : text) {
    c = "ACGTN@+\n"[random() % 8];
  }
  return text;
}

const TextOptions kOptions[] = {{1, 1},     {1, 999},   {1, 1 << 20}, {2, 1},      {2, 7},
                                {2, 65536}, {3, 65537}, {8, 4000},    {8, 1 << 20}};

const TextOptions kOne{1, 10007};

// Of a file that has no error.
std::string text_of(const std::string& path) {
  const Text result = read_blocks(path, kOne);
  CHECK(result.message == "");
  return result.text;
}

// The standard input is this file, from `offset` on, while the object lives.
class RedirectedFile {
 public:
  RedirectedFile(const std::string& path, off_t offset) : saved_(::dup(STDIN_FILENO)) {
    const int file = ::open(path.c_str(), O_RDONLY);
    ::lseek(file, offset, SEEK_SET);
    ::dup2(file, STDIN_FILENO);
    ::close(file);
  }
  ~RedirectedFile() {
    ::dup2(saved_, STDIN_FILENO);
    ::close(saved_);
  }

 private:
  int saved_;
};

}  // namespace

TEST_CASE("text blocks are the text, whatever the file, the threads and the size of a block") {
  TempDir dir;
  for (const std::size_t size : {0, 1, 2, 3, 20'000, 300'000, 5'000'000}) {
    const std::string text = sample(size);
    const std::string paths[] = {dir.write("a", text), dir.write_compressed("a.gz", text, "wg"),
                                 dir.write_compressed("a.bgz", text, "w")};
    for (const auto& path : paths) {
      const std::string content = file_content(path);
      for (const auto& options : kOptions) {
        INFO(path << " of " << size << ", " << options.threads << " threads, blocks of " << options.block_bytes);
        if (size > 20'000 && options.block_bytes < size / 3000) {
          continue;
        }
        const Text file = read_blocks(path, options);
        REQUIRE(file.text == text);
        REQUIRE(file.message.empty());
        if (size > 0) {
          REQUIRE(file.input_bytes == content.size());
        }
        StandardInput input(content);
        const Text pipe = read_blocks("-", options);
        REQUIRE(pipe.text == text);
        REQUIRE(pipe.message.empty());
      }
    }
  }
}

TEST_CASE("thousands of text blocks come in order, also to threads of different arenas in turn") {
  TempDir dir;
  const std::string text = sample(40'000);
  tbb::task_arena arenas[] = {tbb::task_arena(2), tbb::task_arena(3)};
  for (const auto& path : {dir.write("a", text), dir.write_compressed("a.gz", text, "wg")}) {
    TextBlocks blocks(path, {.threads = 4, .block_bytes = 5}, make_capitals);
    std::string got;
    std::size_t count = 0;
    bool is_at_end = false;
    const auto take = [&] {
      for (int i = 0; i < 100 && !is_at_end; ++i) {
        if (auto block = blocks.next()) {
          got.append(block->begin(), block->size());
          ++count;
          blocks.give_back(std::move(block));
        } else {
          is_at_end = true;
        }
      }
    };
    while (!is_at_end) {
      arenas[0].execute(take);
      take();
      std::thread([&] { arenas[1].execute(take); }).join();
    }
    CHECK(count == text.size() / 5);
    CHECK((got == text));
    CHECK(blocks.next() == nullptr);
  }
}

TEST_CASE("a byte order mark is left out, in whatever pieces it comes") {
  TempDir dir;
  const std::string text = "\xef\xbb\xbf@read\nACGT\n";
  std::string members;
  std::string blocks;
  for (const char c : text) {
    members += file_content(dir.write_compressed("m", std::string(1, c), "wg"));
    blocks += file_content(dir.write_compressed("b", std::string(1, c), "w"));
  }
  for (const auto& options : kOptions) {
    for (const auto& content : {text, members, blocks}) {
      INFO(options.threads << " threads, blocks of " << options.block_bytes);
      CHECK(read_blocks(dir.write("x", content), options).text == "@READ\nACGT\n");
    }
    CHECK(read_blocks(dir.write("x", "\xef\xbb\xbf"), options).text.empty());
    CHECK(read_blocks(dir.write("x", "\xef\xbb"), options).text == "\xef\xbb");
    CHECK(read_blocks(dir.write("x", "\x1f"), options).text == "\x1f");  // as gzip begins
    CHECK(read_blocks(dir.write("x", "a\xef\xbb\xbf"), options).text == "A\xef\xbb\xbf");
  }
}

TEST_CASE("the standard input may be a file of which a part was already read") {
  TempDir dir;
  const std::string text = sample(100'000);
  const std::string gzip = file_content(dir.write_compressed("g", text, "wg"));
  for (const auto& options : {TextOptions{1, 5000}, TextOptions{4, 5000}}) {
    for (const auto& content : {text, gzip}) {
      dir.write("x", "some lines\n" + content);
      {
        const RedirectedFile input(dir.path("x"), 11);
        const Text got = read_blocks("-", options);
        CHECK((got.text == text));
        CHECK(got.input_bytes == content.size());
      }
      const RedirectedFile input(dir.path("x"), static_cast<off_t>(11 + content.size()));
      CHECK(read_blocks("-", options).text.empty());
    }
    const RedirectedFile input(dir.write("x", text), 0);
    CHECK((read_blocks("/dev/stdin", options).text == text));
  }
}

TEST_CASE("a named pipe is read, and its reader can be destroyed while it waits for data") {
  TempDir dir;
  const std::string path = dir.path("pipe");
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  for (const unsigned threads : {1U, 4U}) {
    std::atomic<bool> destroyed{false};
    std::thread writer([&] {
      const int to = ::open(path.c_str(), O_WRONLY);
      const std::string text(3000, 'a');
      [[maybe_unused]] const ssize_t n = ::write(to, text.data(), text.size());
      while (!destroyed) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      ::close(to);
    });
    {
      TextBlocks blocks(path, {.threads = threads, .block_bytes = 1000}, make_capitals);
      for (int i = 0; i < 3; ++i) {
        CHECK(std::string(blocks.next()->begin(), 1000) == std::string(1000, 'A'));
      }
    }
    destroyed = true;
    writer.join();
  }
}

TEST_CASE("a file that grows is read to its new end; one that shrinks is an error after what is left") {
  TempDir dir;
  const std::string text = sample(50'000);
  for (const unsigned threads : {1U, 4U}) {
    const std::string path = dir.write("x", text);
    {
      TextBlocks blocks(path, {.threads = threads, .block_bytes = 1000}, make_capitals);
      std::string got(blocks.next()->begin(), 1000);
      std::ofstream(path, std::ios::app) << text;
      while (auto block = blocks.next()) {
        got.append(block->begin(), block->size());
      }
      CHECK((got == text + text));
    }
    dir.write("x", text);
    TextBlocks blocks(path, {.threads = threads, .block_bytes = 1000}, make_capitals);
    std::string got(blocks.next()->begin(), 1000);
    std::filesystem::resize_file(path, 30'500);
    std::string message = message_of([&] {
      while (auto block = blocks.next()) {
        got.append(block->begin(), block->size());
      }
    });
    CHECK(message == path + ": the file became shorter while it was read; start again when it is complete");
    CHECK((got == text.substr(0, 30'500)));
  }
}

TEST_CASE("files without a size, which the system makes while they are read, are read") {
  if (std::filesystem::exists("/proc/self/limits")) {
    for (const auto& options : kOptions) {
      CHECK(read_blocks("/proc/self/limits", options).text.starts_with("LIMIT "));
    }
  }
}

TEST_CASE("all text before damage is given, then the error, at every further call too") {
  TempDir dir;
  const std::string text = sample(400'000);
  const std::string gzip = file_content(dir.write_compressed("g", text, "wg"));
  std::string bgzf = file_content(dir.write_compressed("b", text, "w"));
  bgzf[bgzf.size() / 2] = static_cast<char>(bgzf[bgzf.size() / 2] ^ 1);
  const std::string contents[] = {gzip + "garbage", gzip.substr(0, gzip.size() / 2), bgzf};
  for (const auto& content : contents) {
    const std::string path = dir.write("x", content);
    const Text first = read_blocks(path, {1, 1 << 20});
    CHECK(!first.message.empty());
    CHECK(first.text.size() >= text.size() / 4);
    CHECK((first.text == text.substr(0, first.text.size())));
    for (const auto& options : kOptions) {
      if (options.block_bytes < 100) {
        continue;
      }
      const Text other = read_blocks(path, options);
      INFO(options.threads << " threads, blocks of " << options.block_bytes);
      CHECK(other.message == first.message);
      CHECK(other.text.size() == first.text.size());
      CHECK((other.text == first.text));
    }
    TextBlocks blocks(path, {.threads = 2}, make_capitals);
    const auto read_all = [&] {
      while (blocks.next()) {
      }
    };
    CHECK(message_of(read_all) == first.message);
    CHECK(message_of(read_all) == first.message);
  }
}

TEST_CASE("what prepare() throws comes in order, before later errors") {
  struct Picky : TextBlock {
    void prepare() override {
      if (begin()[0] == '!') {
        throw std::runtime_error("block " + std::string(begin(), size()));
      }
    }
  };
  TempDir dir;
  std::string text = sample(1000);
  text.replace(500, 10, "!irst error");
  text.replace(700, 10, "!ext error.");
  const std::string gzip = file_content(dir.write_compressed("g", text, "wg"));
  for (const auto& path : {dir.write("a", text), dir.write("a.gz", gzip.substr(0, gzip.size() - 4))}) {
    for (const unsigned threads : {1U, 2U, 16U}) {
      TextBlocks blocks(path, {.threads = threads, .block_bytes = 10}, [] { return std::make_unique<Picky>(); });
      std::size_t count = 0;
      CHECK(message_of([&] {
              while (blocks.next()) {
                ++count;
              }
            }) == "block !irst erro");
      CHECK(count == 50);
    }
  }
}

TEST_CASE("text blocks can be destroyed at any time, also while blocks are prepared") {
  struct Slow : TextBlock {
    explicit Slow(std::atomic<int>& running_blocks) : running(running_blocks) {}
    void prepare() override {
      ++running;
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      --running;
    }
    std::atomic<int>& running;
  };
  TempDir dir;
  const std::string text = sample(30'000);
  for (const auto& path :
       {dir.write("a", text), dir.write_compressed("a.gz", text, "wg"), dir.write_compressed("a.bgz", text, "w")}) {
    for (int taken = 0; taken < 20; ++taken) {
      std::atomic<int> running{0};
      {
        TextBlocks blocks(path, {.threads = 4, .block_bytes = 100},
                          [&running] { return std::make_unique<Slow>(running); });
        for (int i = 0; i < taken; ++i) {
          blocks.next();
        }
      }
      CHECK(running == 0);
    }
  }
}

TEST_CASE("blocks are prepared at the same time") {
  // Each of the first two blocks waits until the other one is prepared, too.
  struct Meeting : TextBlock {
    explicit Meeting(std::atomic<int>& met_blocks) : met(met_blocks) {}
    void prepare() override {
      ++met;
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      while (met < 2 && std::chrono::steady_clock::now() < end) {
        std::this_thread::yield();
      }
    }
    std::atomic<int>& met;
  };
  TempDir dir;
  const std::string path = dir.write("a", sample(200));
  tbb::task_arena arena(2);
  std::atomic<int> met{0};
  arena.execute([&] {
    TextBlocks blocks(path, {.threads = 2, .block_bytes = 100}, [&met] { return std::make_unique<Meeting>(met); });
    blocks.next();
    CHECK(met == 2);
    blocks.next();
  });
}

TEST_CASE("what cannot be opened is an error that names it") {
  TempDir dir;
  CHECK(read_blocks(dir.path("none"), {}).message == dir.path("none") + ": cannot open: No such file or directory");
  CHECK(read_blocks(dir.path(""), {}).message == dir.path("") + ": is a directory; name a file in it");
  if (::geteuid() != 0) {
    const std::string path = dir.write("closed", "x");
    std::filesystem::permissions(path, std::filesystem::perms::none);
    CHECK(read_blocks(path, {}).message == path + ": cannot open: Permission denied");
  }
}

TEST_CASE("gzip members of either kind may follow each other") {
  TempDir dir;
  const std::string gzip = file_content(dir.write_compressed("g", "ONE\n", "wg"));
  const std::string bgzf = file_content(dir.write_compressed("b", "TWO\n", "w"));
  CHECK(text_of(dir.write("x", gzip + bgzf + gzip)) == "ONE\nTWO\nONE\n");
  CHECK(text_of(dir.write("x", bgzf + gzip + bgzf)) == "TWO\nONE\nTWO\n");
  CHECK(text_of(dir.write("x", bgzf + bgzf)) == "TWO\nTWO\n");
}

TEST_CASE("zeros behind the gzip data are ignored, anything else is an error") {
  TempDir dir;
  const std::string gzip = file_content(dir.write_compressed("g", "ONE\n", "wg"));
  const std::string bgzf = file_content(dir.write_compressed("b", "TWO\n", "w"));
  const auto error_of = [&](const std::string& content) { return read_blocks(dir.write("x", content), kOne).message; };
  const auto expected = [&](std::size_t offset) {
    return dir.path("x") + ": what follows the gzip data at byte " + std::to_string(offset + 1) +
           " is not gzip data; copy or download the file again, or remove what was added to it";
  };
  for (const std::size_t zeros : {1, 100, 3'000'000}) {
    const std::string padding(zeros, '\0');
    CHECK(text_of(dir.write("x", gzip + padding)) == "ONE\n");
    CHECK(text_of(dir.write("x", bgzf + padding)) == "TWO\n");
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

TEST_CASE("a BGZF file that ends too early is an error: in a block, at a block border, on a file, on a pipe") {
  TempDir dir;
  const std::string whole = file_content(dir.write_compressed("b", sample(150'000), "w"));
  const std::size_t marker = 28;
  const auto cut = [&](std::size_t size) { return dir.write("cut.bgz", whole.substr(0, size)); };
  const std::string advice = "; the file is truncated, copy or download it again";

  const std::string path = cut(whole.size() - marker);
  CHECK(read_blocks(path, kOne).message == path + ": the BGZF end marker is missing" + advice);
  CHECK(read_blocks(path, {2, 10007}).message == path + ": the BGZF end marker is missing" + advice);
  {
    StandardInput input(whole.substr(0, whole.size() - marker));
    CHECK(read_blocks("-", kOne).message == "standard input: the BGZF end marker is missing" + advice);
  }
  cut(whole.size() - marker - 1);
  CHECK(read_blocks(path, kOne).message == path + ": the BGZF data end in the middle of a block" + advice);
  cut(1000);
  CHECK(read_blocks(path, kOne).message == path + ": the BGZF data end in the middle of a block" + advice);
  for (std::size_t size = 2; size < whole.size(); size += 97) {
    INFO(size);
    cut(size);
    REQUIRE(read_blocks(path, kOne).message.find("truncated") != std::string::npos);
  }
}

TEST_CASE("a BGZF block with bytes between its data and its sums is an error, as for gzip") {
  TempDir dir;
  std::string bgzf = file_content(dir.write_compressed("b", "TWO\n", "w"));
  const std::size_t marker = 28;
  bgzf.insert(bgzf.size() - marker - 8, 1, 'x');
  ++bgzf[16];  // the size of the block
  const std::string path = dir.write("d", bgzf);
  CHECK(read_blocks(path, kOne).message == path + ": the gzip data are damaged; copy or download the file again");
}

TEST_CASE("the text of a BGZF block does not stand in for that of a damaged one before it") {
  TempDir dir;
  std::string first = file_content(dir.write_compressed("first", "@A\nACGT\n+\nIIII\n", "w"));
  first.resize(first.size() - 28);                // without the end marker
  std::fill(first.end() - 8, first.end(), '\0');  // checksum and size: as if there were no text
  const std::string path = dir.write("x.gz", first + file_content(dir.write_compressed("second", "ACGT\n", "w")));
  const Text expected = read_blocks(path, {1, 1 << 20});
  CHECK(expected.text.empty());
  CHECK(expected.message.find("damaged") != std::string::npos);
  for (const std::size_t bytes : {1, 2, 5, 16, 100, 1000}) {
    for (const unsigned threads : {1u, 2u}) {
      INFO(threads << " threads, blocks of " << bytes);
      const Text other = read_blocks(path, {threads, bytes});
      CHECK((other.text.empty() && other.message == expected.message));
    }
  }
}
