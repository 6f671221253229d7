// Batches of reads on their way to another process: what arrives is what the input has.
#include <algorithm>
#include <string>
#include <vector>

#include "base/packer.hpp"
#include "io/read/read_input.hpp"
#include "tests/catch.hpp"
#include "tests/unit/io_files.hpp"

using namespace trawl;
using test::message_of;

namespace {

// Everything that a batch says of its reads, one line for each.
std::string text_of(const sequence::ReadBatch& reads) {
  std::string text =
      std::to_string(reads.number) + " " + std::to_string(reads.first_read) + (reads.paired ? " paired" : "");
  for (std::size_t r = 0; r < reads.size(); ++r) {
    text += "\n" + std::string(reads.name(r)) + " " + std::string(reads.bases(r)) + " " +
            std::string(reads.qualities(r)) + " " + std::to_string(reads.origin(r).file) + ":" +
            std::to_string(reads.origin(r).line) + " " + std::to_string(reads.marked_mate(r)) + " " +
            std::string(reads.comment(r));
  }
  return text;
}

// The batches of an input, finished here.
std::vector<std::string> alone(const io::ReadInput::Files& files, std::size_t size, std::size_t block) {
  io::ReadInput input(files, 1, block);
  input.set_batch(size, 1000);
  std::vector<std::string> texts;
  io::ReadInput::Batch batch;
  const std::string error = message_of([&] {
    while (input.next(batch)) {
      texts.push_back(text_of(batch.reads));
    }
  });
  texts.push_back(error);
  return texts;
}

struct Way {
  bool by_places = false;  // the other input can read the files
  bool put_back = false;   // the first batch goes back to the input when it is finished, and is taken again
};

// The same, but each batch is finished by another input. `bytes`: of all messages.
std::vector<std::string> elsewhere(const io::ReadInput::Files& files, std::size_t size, std::size_t block, Way way,
                                   std::size_t* bytes_sent = nullptr) {
  io::ReadInput input(files, 1, block);
  input.set_batch(size, 1000);
  io::ReadInput::Files far = files;
  far.elsewhere = true;
  io::ReadInput other(far);
  const auto readable = input.readable(way.by_places ? other.file_marks() : std::vector<io::FileMark>());
  std::vector<std::string> texts;
  io::ReadInput::Batch batch, arrived;
  const std::string error = message_of([&] {
    if (way.put_back) {
      std::vector<io::ReadInput::Batch> first(1);
      input.take_reads(first[0]);
      input.take_mates(first[0]);
      input.finish(first[0]);
      input.put_back(std::move(first));
    }
    while (input.take_reads(batch)) {
      input.take_mates(batch);
      Packer packer;
      input.pack(batch, readable, packer);
      if (bytes_sent != nullptr) {
        *bytes_sent += packer.bytes().size();
      }
      const auto bytes = std::make_shared<std::string>(packer.take());
      Unpacker unpacker(*bytes);
      other.unpack(unpacker, bytes, arrived);
      CHECK(unpacker.at_end());
      other.finish(arrived);
      texts.push_back(text_of(arrived.reads));
    }
    input.check_end();
  });
  texts.push_back(error);
  return texts;
}

// The file as BGZF, whose blocks have so many characters each.
std::string as_bgzf(const std::string& path, std::size_t block) {
  const std::string text = test::file_content(path);
  const std::string name = path + "." + std::to_string(block) + ".gz";
  BGZF* file = bgzf_open(name.c_str(), "w");
  for (std::size_t at = 0; at < text.size(); at += block) {
    REQUIRE(bgzf_write(file, text.data() + at, std::min(block, text.size() - at)) >= 0);
    REQUIRE(bgzf_flush(file) == 0);
  }
  REQUIRE(bgzf_close(file) == 0);
  return name;
}

io::ReadInput::Files as_bgzf(io::ReadInput::Files files, std::size_t block) {
  for (auto* list : {&files.reads, &files.mates}) {
    for (std::string& path : *list) {
      path = as_bgzf(path, block);
    }
  }
  return files;
}

void check_same(const io::ReadInput::Files& plain) {
  for (const io::ReadInput::Files& files : {plain, as_bgzf(plain, 7), as_bgzf(plain, 150), as_bgzf(plain, 60000)}) {
    for (const std::size_t size : {1, 2, 5, 1000}) {
      for (const std::size_t block : {40, 100, 1 << 20}) {
        for (const bool by_places : {false, true}) {
          CAPTURE(files.reads.front(), size, block, by_places);
          CHECK(elsewhere(files, size, block, {.by_places = by_places}) == alone(files, size, block));
        }
      }
    }
  }
}

// `mate`: 1 or 2; 0 for reads without a mark.
std::string fastq(int reads, int mate) {
  std::string text;
  for (int r = 0; r < reads; ++r) {
    const std::string bases = std::string(static_cast<std::size_t>(r % 7), 'A') + (r % 3 == 0 ? "cgun" : "ACGTT");
    text += "@r" + std::to_string(r) + (mate > 0 ? " " + std::to_string(mate) + ":N:0:AC" : "") +
            (r % 4 == 1 ? "\r" : "") + "\n";
    if (r % 5 == 4) {  // on two lines, which only the parser of the whole text understands
      text += bases.substr(0, 2) + "\n" + bases.substr(2) + "\n+\n" + std::string(2, 'I') + "\n" +
              std::string(bases.size() - 2, 'F') + "\n";
    } else {
      text += bases + "\n+r\n" + std::string(bases.size(), 'H') + "\n";
    }
  }
  return text;
}

// The file becomes another one after its places were told.
template <class Write>
void check_changed(const Write& write) {
  const std::string path = write(0);
  const io::ReadInput::Files files{.reads = {path}, .mates = {}};
  io::ReadInput first(files), other({.reads = {path}, .mates = {}, .elsewhere = true});
  io::ReadInput::Batch batch, arrived;
  first.set_batch(50, 10000);
  REQUIRE(first.take_reads(batch));
  Packer packer;
  first.pack(batch, first.readable(other.file_marks()), packer);
  write(1);
  const auto bytes = std::make_shared<std::string>(packer.take());
  Unpacker unpacker(*bytes);
  other.unpack(unpacker, bytes, arrived);
  CHECK(message_of([&] { other.finish(arrived); }).find("the file was changed") != std::string::npos);
}

}  // namespace

TEST_CASE("packed reads: single reads arrive as they are") {
  const test::TempDir dir;
  check_same({.reads = {dir.write("a.fq", fastq(23, 0)), dir.write("b.fq", fastq(9, 0))}, .mates = {}});
  check_same({.reads = {dir.write("a.fa", ">x\nACGT\n>y\nAC\nGT\nNN\n\n>z\n\n>w\nTT\n")}, .mates = {}});
  check_same({.reads = {dir.write("empty.fq", "")}, .mates = {}});
}

TEST_CASE("packed reads: pairs of two files and of one") {
  const test::TempDir dir;
  check_same({.reads = {dir.write("1.fq", fastq(23, 1))}, .mates = {dir.write("2.fq", fastq(23, 2))}});
  check_same({.reads = {dir.write("1.fq", fastq(23, 1))}, .mates = {dir.write("2.fq", fastq(21, 2))}});
  check_same({.reads = {dir.write("1.fq", fastq(21, 1))}, .mates = {dir.write("2.fq", fastq(23, 2))}});
  check_same({.reads = {dir.write("1.fq", fastq(9, 2))}, .mates = {dir.write("2.fq", fastq(9, 2))}});
  check_same({.reads = {dir.write("both.fq", "@a/1\nAC\n+\nII\n@a/2\nGT\n+\nII\n@b/1\nAC\n+\nII\n@b/2\nGG\n+\nII\n")},
              .mates = {},
              .interleaved = true});
  check_same({.reads = {dir.write("odd.fq", "@a/1\nAC\n+\nII\n@a/2\nGT\n+\nII\n@b/1\nAC\n+\nII\n")},
              .mates = {},
              .interleaved = true});
}

TEST_CASE("packed reads: a batch that was finished before") {
  const test::TempDir dir;
  const io::ReadInput::Files files{.reads = {dir.write("1.fq", fastq(23, 1))},
                                   .mates = {dir.write("2.fq", fastq(23, 2))}};
  for (const std::size_t size : {2, 6, 1000}) {
    for (const bool by_places : {false, true}) {
      CHECK(elsewhere(files, size, 100, {by_places, true}) == alone(files, size, 100));
    }
  }
}

TEST_CASE("packed reads: comments") {
  const test::TempDir dir;
  const auto text = [](const std::string& mate) {
    std::string fastq;
    for (int r = 0; r < 23; ++r) {
      fastq += "@r" + std::to_string(r) + mate + (r % 3 == 0 ? "" : " BC:Z:" + std::string(r, 'A') + "\tXI:i:3") +
               (r % 4 == 0 ? "\nAC\nGT\n+\nII\nII\n" : "\nACGT\n+\nIIII\n");
    }
    return fastq;
  };
  const std::string first = dir.write("1.fq", text("/1"));
  const std::string second = dir.write("2.fq", text("/2"));
  io::ReadInput::Files single{.reads = {first}, .mates = {}};
  io::ReadInput::Files pairs{.reads = {first}, .mates = {second}};
  single.comments = pairs.comments = io::CommentRule();
  check_same(single);
  check_same(pairs);
  CHECK(alone(pairs, 4, 100)[0].find("BC:Z:A\tXI:i:3") != std::string::npos);
  for (const bool by_places : {false, true}) {
    CHECK(elsewhere(pairs, 6, 100, {by_places, true}) == alone(pairs, 6, 100));
  }
}

TEST_CASE("packed reads: errors have the file and line of the input") {
  const test::TempDir dir;
  check_same({.reads = {dir.write("a.fq", fastq(8, 0) + "@bad\nAC?T\n+\nIIII\n" + fastq(3, 0))}, .mates = {}});
  check_same({.reads = {dir.write("b.fq", fastq(8, 0)), dir.write("c.fq", fastq(3, 0) + "@cut\nAC\n")}, .mates = {}});
  for (const bool by_places : {false, true}) {
    const auto bad = elsewhere({.reads = {dir.write("d.fq", "@r\nAC?T\n+\nIIII\n")}, .mates = {}}, 10, 100,
                               {.by_places = by_places});
    CHECK(bad.back().find("d.fq:2: ") != std::string::npos);
  }
}

TEST_CASE("packed reads: CRLF, blank lines, empty reads, a byte order mark") {
  const test::TempDir dir;
  check_same(
      {.reads = {dir.write("a.fq", "\xef\xbb\xbf@a\r\nAC\r\n+\r\nII\r\n\r\n@b\r\n\r\n+\r\n\r\n\n@c\nGT\n+c\nII")},
       .mates = {}});
  check_same({.reads = {dir.write("a.fa", "\xef\xbb\xbf>a\r\nACg\r\n\r\n>b c\r\n>d\r\n\r\n\r\n>e\nAC\r\nGT\r\n>f\nA")},
              .mates = {}});
}

TEST_CASE("packed reads: of plain and BGZF files, hardly anything is sent") {
  const test::TempDir dir;
  std::string text;
  for (int r = 0; r < 20000; ++r) {
    text += "@r" + std::to_string(r) + "\n" + std::string(100, 'A') + "\n+\n" + std::string(100, 'I') + "\n";
  }
  const io::ReadInput::Files plain{.reads = {dir.write("a.fq", text)}, .mates = {}};
  for (const io::ReadInput::Files& files : {plain, as_bgzf(plain, 60000)}) {
    std::size_t copied = 0;
    std::size_t told = 0;
    CHECK(elsewhere(files, 1000, 1 << 18, {.by_places = false}, &copied) ==
          elsewhere(files, 1000, 1 << 18, {.by_places = true}, &told));
    CHECK(copied > text.size());
    CHECK(told < text.size() / 8);  // batches of 10 reads
  }
}

TEST_CASE("packed reads: a file that another process does not see as it is") {
  const test::TempDir dir;
  check_changed([&](int mate) { return dir.write("b.fq", fastq(50, mate)); });
  check_changed([&](int mate) { return dir.write_compressed("b.fq.gz", fastq(50, mate), "w"); });
  const std::string path = dir.write("a.fq", fastq(50, 0));
  io::ReadInput input({.reads = {path, "-"}, .mates = {}});
  auto marks = input.file_marks();
  CHECK(input.readable(marks).reads == std::vector<bool>{true, false});
  ++marks[0].size;
  CHECK(input.readable(marks).reads == std::vector<bool>{false, false});
}
