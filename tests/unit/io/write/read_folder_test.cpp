// Reads in files by pattern: the same files for any number of open files and any memory. Reads that are cut, turned and
// tagged, in these files and in one.
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
  std::string mate;
  std::size_t comment;
};

// Comments; and what is left of them beside the usual tags, and beside BC and QT.
constexpr const char* kComments[][3] = {
    {"", "", ""},
    {" comment", "", ""},
    {" 1:N:0:ACGT\tRG:Z:g", "RG:Z:g", "RG:Z:g"},
    {"\tXX:Z:a b\tbad\tCB:Z:old\tNM:i:3\tXX:i:1", "XX:Z:a b", "XX:Z:a b\tCB:Z:old"}};

template <class Output>
void write(Output& output, const std::vector<Called>& reads, bool is_fastq, bool paired, std::size_t first,
           std::size_t last) {
  sequence::ReadBatch batch;
  batch.is_fastq = is_fastq;
  batch.paired = paired;
  std::vector<scan::ReadCall> calls(last - first);
  for (std::size_t r = first; r < last; ++r) {
    const Called& read = reads[r];
    const char* const comment = kComments[read.comment][0];
    batch.add(read.name, read.bases, is_fastq ? read.qualities : "", {}, 0, comment);
    if (paired) {
      batch.add(read.name, read.mate, is_fastq ? std::string(read.mate.size(), '#') : "", {}, 0, comment);
    }
    scan::ReadCall& call = calls[r - first];
    call.kind = read.kind;
    call.best.pattern = read.pattern;
    call.best.start = read.start;
    call.best.end = read.end;
    call.best.reverse = read.reverse;
  }
  output.write(batch, calls);
}

// Letter by letter.
void turn(std::string& bases, std::string& qualities) {
  const std::string letters = "ACGTN", others = "TGCAN";
  std::reverse(bases.begin(), bases.end());
  std::reverse(qualities.begin(), qualities.end());
  for (char& base : bases) {
    base = others[letters.find(base)];
  }
}

std::string expected_comment(const Called& read, const io::ReadTags& tags, const sequence::PatternList& patterns,
                             bool is_fastq) {
  if (tags == io::ReadTags{}) {
    return kComments[read.comment][0];
  }
  std::string piece = read.bases.substr(read.start, read.end - read.start);
  std::string qualities = read.qualities.substr(read.start, read.end - read.start);
  if (read.reverse) {
    turn(piece, qualities);
  }
  std::string text;
  if (read.kind == scan::CallKind::assigned) {
    text += "\t" + tags[0] + ":Z:" + std::string(patterns[read.pattern].bases);
  }
  if (read.kind != scan::CallKind::unassigned && !piece.empty()) {
    text += tags[1].empty() ? "" : "\t" + tags[1] + ":Z:" + piece;
    text += is_fastq ? "\t" + tags[2] + ":Z:" + qualities : "";
  }
  const std::string old = kComments[read.comment][tags == io::kUsualTags ? 1 : 2];
  return text + (old.empty() ? "" : "\t") + old;
}

std::string expected_text(const Called& read, bool is_mate, const io::LabelRule& rule,
                          const sequence::PatternList& patterns, bool is_fastq) {
  std::string bases = is_mate ? read.mate : read.bases;
  std::string qualities = is_mate ? std::string(bases.size(), '#') : read.qualities;
  if (read.kind == scan::CallKind::assigned && !is_mate) {
    const bool cuts_left = (rule.trim == io::Trim::before) == !read.reverse;
    const std::size_t begin = rule.trim != io::Trim::none && cuts_left ? read.end : 0;
    const std::size_t end = rule.trim != io::Trim::none && !cuts_left ? read.start : bases.size();
    bases = bases.substr(begin, end - begin);
    qualities = qualities.substr(begin, end - begin);
    if (rule.orient && read.reverse) {
      turn(bases, qualities);
    }
  }
  const std::string name = read.name + expected_comment(read, rule.tags, patterns, is_fastq);
  return is_fastq ? "@" + name + "\n" + bases + "\n+\n" + qualities + "\n" : ">" + name + "\n" + bases + "\n";
}

}  // namespace

TEST_CASE("the files of reads by pattern, and one of all reads") {
  tests::RandomCases random(733);
  test::TempDir dir;
  for (int n = 0; n < 12; ++n) {
    const std::size_t patterns = random.chance(0.5) ? 3 : 40;
    const bool is_fastq = random.chance(0.7);
    const bool paired = random.chance(0.4);
    const io::ReadTags tags[] = {{}, io::kUsualTags, {"BC", "", "QT", "", "", ""}};
    const io::LabelRule rule{.trim = static_cast<io::Trim>(random.number(0, 2)),
                             .orient = random.chance(0.5),
                             .tags = tags[random.number(0, 2)]};
    sequence::PatternList list;
    for (std::size_t p = 0; p < patterns; ++p) {
      list.add("p" + std::to_string(p), random.bases(12));
    }
    std::vector<Called> reads;
    std::map<std::string, std::string> expected;
    std::string in_order;
    const auto name_of = [&](const std::string& file, bool is_mate) {
      return file + (!paired ? "" : is_mate ? "_R2" : "_R1") + (is_fastq ? ".fq.gz" : ".fa.gz");
    };
    for (std::size_t p = 0; p < patterns + 2; ++p) {
      for (const bool is_mate : {false, paired}) {
        expected[name_of(p < patterns ? "p" + std::to_string(p) : p == patterns ? "ambiguous" : "unassigned", is_mate)];
      }
    }
    for (std::size_t r = 0; r < 4000; ++r) {
      Called read;
      read.name = "r" + std::to_string(r);
      read.bases = random.bases(random.number(0, random.chance(0.01) ? 90'000 : 300));
      read.mate = random.bases(random.number(0, 200));
      read.comment = random.number(0, 3);
      read.qualities.assign(read.bases.size(), static_cast<char>('!' + random.number(0, 60)));
      read.start = random.number(0, read.bases.size());
      read.end = random.number(read.start, read.bases.size());
      read.reverse = random.chance(0.5);
      read.pattern = static_cast<std::uint32_t>(random.number(0, patterns - 2));  // the last one has no read
      read.kind = static_cast<scan::CallKind>(random.number(0, 2));
      const std::string file = read.kind == scan::CallKind::assigned    ? "p" + std::to_string(read.pattern)
                               : read.kind == scan::CallKind::ambiguous ? "ambiguous"
                                                                        : "unassigned";
      for (const bool is_mate : paired ? std::vector{false, true} : std::vector{false}) {
        const std::string text = expected_text(read, is_mate, rule, list, is_fastq);
        expected[name_of(file, is_mate)] += text;
        in_order += text;
      }
      reads.push_back(std::move(read));
    }
    std::map<std::string, std::string> first;
    for (const bool is_small : {false, true}) {
      io::ReadFolderOptions options;
      options.path = dir.path("folder" + std::to_string(n) + (is_small ? "s" : "l"));
      options.labels = rule;
      options.mates = paired ? 2 : 1;
      options.threads = is_small ? 1 : 3;
      if (is_small) {
        options.most_open = random.number(0, 2);
        options.most_held = random.number(0, 100'000);
      }
      CAPTURE(n, patterns, is_fastq, is_small, paired, rule.orient, rule.tags[0], static_cast<int>(rule.trim));
      io::ReadFolder folder(options, list);
      io::SinkOptions in_one;
      in_one.path = dir.path(is_fastq ? "all.fq.gz" : "all.fa.gz");
      in_one.threads = options.threads;
      io::LabeledFile all(in_one, rule, list);
      for (std::size_t at = 0; at < reads.size();) {
        const std::size_t last = std::min(reads.size(), at + random.number(1, 1500));
        write(folder, reads, is_fastq, paired, at, last);
        write(all, reads, is_fastq, paired, at, last);
        at = last;
        REQUIRE(std::filesystem::is_empty(options.path));  // no file has a name yet
      }
      folder.close();
      all.close();
      const bool is_in_order = inflated(in_one.path) == in_order;
      REQUIRE(is_in_order);
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
