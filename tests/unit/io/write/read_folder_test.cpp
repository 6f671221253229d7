// Reads in files by pattern: the same files for any number of open files and any memory.
#include "io/write/read_folder.hpp"

#include <filesystem>
#include <map>

#include "base/error.hpp"
#include "tests/catch.hpp"
#include "tests/random_cases.hpp"
#include "tests/unit/io/files.hpp"

using namespace trawl;

namespace {

std::string inflated(const std::string& path) {
  BGZF* const file = bgzf_open(path.c_str(), "r");
  REQUIRE(file != nullptr);
  std::string text;
  char some[4096];
  for (ssize_t n = 0; (n = bgzf_read(file, some, sizeof some)) > 0;) {
    text.append(some, static_cast<std::size_t>(n));
  }
  REQUIRE(bgzf_check_EOF(file) == 1);
  REQUIRE(bgzf_close(file) == 0);
  return text;
}

// The files of a folder.
std::map<std::string, std::string> contents(const std::string& folder) {
  std::map<std::string, std::string> all;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    all[entry.path().filename().string()] = test::file_content(entry.path().string());
  }
  return all;
}

struct Called {
  std::string name, bases, qualities;
  std::uint32_t pattern;
  scan::CallKind kind;
  std::uint64_t start, end;
  bool reverse;
};

void write(io::ReadFolder& folder, const std::vector<Called>& reads, bool is_fastq, std::size_t first,
           std::size_t last) {
  sequence::ReadBatch batch;
  batch.is_fastq = is_fastq;
  std::vector<scan::ReadCall> calls(last - first);
  for (std::size_t r = first; r < last; ++r) {
    const Called& read = reads[r];
    batch.add(read.name, read.bases, is_fastq ? read.qualities : "", {}, 0, " comment");
    scan::ReadCall& call = calls[r - first];
    call.kind = read.kind;
    call.best.pattern = read.pattern;
    call.best.start = read.start;
    call.best.end = read.end;
    call.best.reverse = read.reverse;
  }
  folder.write(batch, calls);
}

std::string expected_text(const Called& read, io::Trim trim, bool is_fastq) {
  std::size_t begin = 0, end = read.bases.size();
  if (read.kind == scan::CallKind::assigned && trim != io::Trim::none) {
    const bool cuts_left = (trim == io::Trim::before) == !read.reverse;
    begin = cuts_left ? read.end : 0;
    end = cuts_left ? end : read.start;
  }
  const std::string bases = read.bases.substr(begin, end - begin);
  return is_fastq ? "@" + read.name + " comment\n" + bases + "\n+\n" + read.qualities.substr(begin, end - begin) + "\n"
                  : ">" + read.name + " comment\n" + bases + "\n";
}

}  // namespace

TEST_CASE("the files of a folder of reads") {
  tests::RandomCases random(733);
  test::TempDir dir;
  for (int n = 0; n < 12; ++n) {
    const std::size_t patterns = random.chance(0.5) ? 3 : 40;
    const bool is_fastq = random.chance(0.7);
    const auto trim = static_cast<io::Trim>(random.number(0, 2));
    sequence::PatternList list;
    for (std::size_t p = 0; p < patterns; ++p) {
      list.add("p" + std::to_string(p), "ACGT");
    }
    std::vector<Called> reads;
    std::map<std::string, std::string> expected;
    const std::string extension = is_fastq ? ".fq.gz" : ".fa.gz";
    for (std::size_t p = 0; p < patterns; ++p) {
      expected["p" + std::to_string(p) + extension];
    }
    expected["ambiguous" + extension];
    expected["unassigned" + extension];
    for (std::size_t r = 0; r < 4000; ++r) {
      Called read;
      read.name = "r" + std::to_string(r);
      read.bases = random.bases(random.number(0, random.chance(0.01) ? 90'000 : 300));
      read.qualities.assign(read.bases.size(), static_cast<char>('!' + random.number(0, 60)));
      read.start = random.number(0, read.bases.size());
      read.end = random.number(read.start, read.bases.size());
      read.reverse = random.chance(0.5);
      read.pattern = static_cast<std::uint32_t>(random.number(0, patterns - 2));  // the last one has no read
      read.kind = static_cast<scan::CallKind>(random.number(0, 2));
      const std::string file = read.kind == scan::CallKind::assigned    ? "p" + std::to_string(read.pattern)
                               : read.kind == scan::CallKind::ambiguous ? "ambiguous"
                                                                        : "unassigned";
      expected[file + extension] += expected_text(read, trim, is_fastq);
      reads.push_back(std::move(read));
    }
    std::map<std::string, std::string> first;
    for (const bool is_small : {false, true}) {
      io::ReadFolderOptions options;
      options.path = dir.path("folder" + std::to_string(n) + (is_small ? "s" : "l"));
      options.trim = trim;
      options.threads = is_small ? 1 : 3;
      if (is_small) {
        options.most_open = random.number(0, 2);
        options.most_held = random.number(0, 100'000);
      }
      CAPTURE(n, patterns, is_fastq, is_small, static_cast<int>(trim));
      io::ReadFolder folder(options, list);
      for (std::size_t at = 0; at < reads.size();) {
        const std::size_t last = std::min(reads.size(), at + random.number(1, 1500));
        write(folder, reads, is_fastq, at, last);
        at = last;
        REQUIRE(std::filesystem::is_empty(options.path));  // no file has a name yet
      }
      folder.close();
      const auto found = contents(options.path);
      REQUIRE(found.size() == expected.size());
      for (const auto& [name, text] : expected) {
        CAPTURE(name);
        const bool same = inflated(options.path + "/" + name) == text;
        REQUIRE(same);
      }
      if (is_small) {
        const bool same = found == first;
        REQUIRE(same);
      }
      first = found;
    }
  }
}

TEST_CASE("a folder of reads that is not closed leaves nothing") {
  test::TempDir dir;
  {
    io::ReadFolder folder({.path = dir.path("new")}, {{"p", "ACGT"}});
    CHECK(dir.entries() == 1);
  }
  CHECK(dir.entries() == 0);
}

TEST_CASE("what a folder of reads refuses") {
  test::TempDir dir;
  const auto message = [&](const std::string& path, const sequence::PatternList& patterns) {
    try {
      const io::ReadFolder folder({.path = path}, patterns);
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto has = [](const std::string& text, const std::string& part) { return text.find(part) != text.npos; };
  const std::string path = dir.path("f");
  CHECK(has(message(path, {{"a/b", "A"}, {"a_b", "C"}}),
            "the file a_b would be that of the pattern a_b and of the pattern a/b"));
  CHECK(has(message(path, {{"ambiguous", "A"}}), "rename the pattern"));
  CHECK(has(message(path, {{std::string(201, 'x'), "A"}}), "too long for a file"));
  CHECK(has(message(dir.path("no/f"), {{"a", "A"}}), "cannot make this folder"));
  CHECK(dir.entries() == 0);
  dir.write("file", "");
  CHECK(has(message(dir.path("."), {{"a", "A"}}), "has files already, such as file"));
  CHECK(has(message(dir.path("file"), {{"a", "A"}}), "this folder"));
}
