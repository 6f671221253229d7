#include "io/read/read_input.hpp"
#include "io/read/mate_record.hpp"

#include <algorithm>
#include <random>
#include <set>
#include <tuple>

#include "tests/catch.hpp"
#include "tests/unit/io/files.hpp"

using namespace trawl;
using trawl::io::name_without_mate;
using trawl::io::ReadInput;
using trawl::test::message_of;
using trawl::test::StandardInput;
using trawl::test::TempDir;

namespace {

std::string line_of(const trawl::sequence::ReadBatch& reads, std::size_t r) {
  return std::string(reads.name(r)) + " " + std::string(reads.bases(r)) + " " + std::string(reads.qualities(r)) + "\n";
}

// All reads, one per line, with `reads` reads per batch.
std::string all_reads(ReadInput input, std::size_t reads, std::size_t bases = 1000) {
  std::string text;
  ReadInput::InputBatch batch;
  std::uint64_t seen = 0;
  std::uint64_t batches = 0;
  input.set_batch(reads, bases);
  while (input.next(batch)) {
    REQUIRE(batch.reads.number == batches++);
    REQUIRE(batch.reads.first_read == seen);
    REQUIRE(batch.reads.paired == input.paired());
    REQUIRE((!batch.reads.paired || batch.reads.size() % 2 == 0));
    REQUIRE(batch.reads.size() > 0);
    for (std::size_t r = 0; r < batch.reads.size(); ++r) {
      text += line_of(batch.reads, r);
    }
    seen += batch.reads.size();
  }
  return text;
}

const std::vector<std::size_t> kBatchSizes = {1, 2, 3, 4, 7, 1000};

// The error of these files, without the directory; the same for every size of the batches.
std::string error_of(const TempDir& dir, const ReadInput::Files& files) {
  std::string error;
  for (const std::size_t reads : kBatchSizes) {
    INFO(reads << " reads per batch");
    std::string message = message_of([&] { all_reads(ReadInput(files), reads); });
    for (std::size_t at; (at = message.find(dir.path(""))) != std::string::npos;) {
      message.erase(at, dir.path("").size());
    }
    REQUIRE((error.empty() || error == message));
    error = message;
  }
  return error;
}

std::string pair_error(const std::string& first, const std::string& second) {
  const TempDir dir;
  return error_of(dir, {{dir.write("1", first)}, {dir.write("2", second)}, false});
}

std::string interleaved_error(const std::string& content) {
  const TempDir dir;
  return error_of(dir, {{dir.write("r", content)}, {}, true});
}

std::string read(const std::string& name) { return "@" + name + "\nAC\n+\nII\n"; }

std::string reads(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) {
    text += read(name);
  }
  return text;
}

bool has(const std::string& text, const std::string& part) {
  INFO(text);
  const bool found = text.find(part) != std::string::npos;
  CHECK(found);
  return found;
}

}  // namespace

TEST_CASE("a name without its mate number") {
  CHECK(name_without_mate("a/1", 1) == "a");
  CHECK(name_without_mate("a/2", 2) == "a");
  CHECK(name_without_mate("a/2", 1) == "a/2");
  CHECK(name_without_mate("a/1", 2) == "a/1");
  CHECK(name_without_mate("a/1/1", 1) == "a/1");
  CHECK(name_without_mate("/1", 1) == "/1");
  CHECK(name_without_mate("1", 1) == "1");
}

TEST_CASE("pairs of two lists of files and of one interleaved file are the same") {
  const TempDir dir;
  const std::string expected =
      "a AC IJ\na GGG KLM\nb T N\nb ACGT OPQR\nc  \nc A S\nd NNN TUV\nd C W\ne/2 AA XY\ne/2 CC Z!\n";
  const std::string first = "@a/1 x\nac\n+\nIJ\n@b\nT\n+\nN\n";
  const std::string first_2 = "@c/1\n\n+\n\n@d/1\nN.\nn\n+\nT\nUV\n@e/2\nAA\n+\nXY";
  const std::string second = "@a/2 y\r\nGGG\r\n+\r\nKLM\r\n@b\r\nACGT\r\n+\r\nOPQR\r\n@c\r\nA\r\n+\r\nS\r\n";
  const std::string second_2 = "@d/2\nC\n+\nW\n@e/2/2\nCC\n+\nZ!\n";
  // The same with the mates in turn.
  const std::string together =
      "@a/1 "
      "x\nac\n+\nIJ\n@a/2\nGGG\n+\nKLM\n@b\nT\n+\nN\n@b\nACGT\n+\nOPQR\n@c/1\n\n+\n\n@c\nA\n+\nS\n@d/1\nN.\nn\n+\nT\n"
      "UV\n@d/2\nC\n+\nW\n@e/2\nAA\n+\nXY\n@e/2/2\nCC\n+\nZ!\n";
  const ReadInput::Files two{{dir.write("1a", first), dir.write_compressed("1b", first_2, "w")},
                             {dir.write_compressed("2a", second, "wg"), dir.write("2b", second_2)},
                             false};
  const ReadInput::Files one{{dir.write("r", together)}, {}, true};
  for (const std::size_t count : kBatchSizes) {
    for (const std::size_t bases : {std::size_t{1}, std::size_t{5}, std::size_t{1000}}) {
      INFO(count << " reads, " << bases << " bases per batch");
      CHECK(all_reads(ReadInput(two, 2), count, bases) == expected);
      CHECK(all_reads(ReadInput(one), count, bases) == expected);
    }
  }
  const StandardInput stream(first + first_2);
  CHECK(all_reads(ReadInput({{"-"}, two.mates, false}), 2) == expected);
}

TEST_CASE("pairs of FASTA, and of FASTA with FASTQ") {
  const TempDir dir;
  const std::string fasta = dir.write("1", ">a/1\nAC\nGT\n>b/1\nT\n");
  CHECK(all_reads(ReadInput({{fasta}, {dir.write("2", ">a/2\nA\n>b/2\nCC\nC")}, false}), 2) ==
        "a ACGT \na A \nb T \nb CCC \n");
  CHECK(all_reads(ReadInput({{fasta}, {dir.write("3", "@a\nA\n+\nI\n@b\nC\n+\nJ\n")}, false}), 2) ==
        "a ACGT \na A I\nb T \nb C J\n");
}

TEST_CASE("the lines of a read lie in one text, in order") {
  const TempDir dir;
  const std::string wrapped = "@c\nA\nC\n+\nI\nI\n";
  ReadInput input({{dir.write("1", reads({"a/1", "b/1"}) + wrapped + read("d"))},
                   {dir.write("2", reads({"a/2", "b/2"}) + wrapped + read("d"))},
                   false});
  ReadInput::InputBatch batch;
  REQUIRE(input.next(batch));
  REQUIRE(batch.reads.size() == 8);
  std::vector<const char*> ends(batch.reads.texts(), nullptr);
  std::set<std::size_t> texts;
  for (std::size_t r = 0; r < 8; ++r) {
    const std::size_t text = batch.reads.text_of(r);
    texts.insert(text);
    REQUIRE(text < ends.size());
    for (const auto piece : {batch.reads.name(r), batch.reads.bases(r), batch.reads.qualities(r)}) {
      CHECK(piece.data() >= ends[text]);
      ends[text] = piece.data() + piece.size();
    }
  }
  // Not copied but the wrapped reads, whose lines had to be joined. The files have one block each.
  CHECK(texts.size() > 2);
  CHECK(batch.reads.text_of(4) == batch.reads.texts() - 1);
  CHECK(batch.reads.text_of(4) == batch.reads.text_of(5));
  CHECK(batch.reads.text_of(0) == batch.reads.text_of(2));
  CHECK(batch.reads.text_of(0) != batch.reads.text_of(1));
}

TEST_CASE("pairs in blocks and batches of any size: the same pairs, or the same error") {
  const TempDir dir;
  std::mt19937 random(11);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (int round = 0; round < 300; ++round) {
    std::string lists[2];
    std::string together;
    const std::size_t pairs = 1 + below(12);
    for (std::size_t p = 0; p < pairs; ++p) {
      for (const std::size_t mate : {0, 1}) {
        std::string bases(below(20), 'A');
        const std::string name = "p" + std::to_string(below(40) == 0 ? p + 1 : p) + "/" + std::to_string(mate + 1);
        if (!bases.empty() && below(60) == 0) {
          bases[below(bases.size())] = '!';
        }
        const std::string record = "@" + name + "\n" + bases + "\n+\n" + std::string(bases.size(), '@') + "\n";
        lists[mate] += below(60) == 0 ? "" : record;
        together += record;
      }
    }
    if (below(4) == 0) {
      std::string& text = lists[below(2)];
      text.resize(below(text.size() + 1));
      together.resize(below(together.size() + 1));
    }
    const ReadInput::Files two{{dir.write("1", lists[0])}, {dir.write("2", lists[1])}, false};
    const ReadInput::Files one{{dir.write("r", together)}, {}, true};
    for (const ReadInput::Files& files : {two, one}) {
      const auto result = [&](std::size_t block, std::size_t count) {
        std::string text;
        const std::string error = message_of([&] { text = all_reads(ReadInput(files, 1, block), count); });
        return error.empty() ? text : error;
      };
      const std::string expected = result(std::size_t{1} << 20, 2);
      for (const std::size_t block : {16, 61, 300}) {
        for (const std::size_t count : {2, 6, 1000}) {
          CHECK(result(block, count) == expected);
        }
      }
    }
  }
}

TEST_CASE("mates that are missing or in another order") {
  const std::string three = reads({"a", "b", "c"});
  CHECK(pair_error(three, reads({"a", "b"})) ==
        "1:9: the read 'c' has no mate: 2 ends after 2 reads; every read must have its mate, in the same order");
  CHECK(pair_error(reads({"a", "b"}), three) ==
        "2:9: the read 'c' has no mate: 1 ends after 2 reads; every read must have its mate, in the same order");
  CHECK(pair_error(three, reads({"a"})) ==
        "1:5: the read 'b' has no mate: 2 ends after 1 read; every read must have its mate, in the same order");
  CHECK(pair_error(three, "") ==
        "1:1: the read 'a' has no mate: 2 has no reads; every read must have its mate, in the same order");
  CHECK(pair_error("\n", three) ==
        "2:1: the read 'a' has no mate: 1 has no reads; every read must have its mate, in the same order");
  CHECK(pair_error("", "") == "");
  has(pair_error(three, reads({"a", "c", "b"})),
      "2:5: the read 'c' is not the mate of 'b' (1:5); the files are not in");
  has(pair_error(three, reads({"b", "c", "d"})), "2:1: the read 'b' is not the mate of 'a' (1:1)");
  has(pair_error(reads({"a/2", "b/2"}), reads({"a/1", "b/1"})), "the second mate (/2) comes first here");
  // The first mates again: the same names, but not of second mates.
  has(pair_error(reads({"a/1"}), reads({"a/1"})), "2:1: the read 'a/1' is not the mate of 'a/1' (1:1)");
  // FASTA and records of several lines, which are checked at once.
  has(pair_error(">a\nA\nC\n>b\nA\n", ">a\nA\n>x\nA\n"), "2:3: the read 'x' is not the mate of 'b' (1:4)");
  has(pair_error(">a\nA\nC\n", ">a\nA\n>x y\nA\n"), "2:3: the read 'x' has no mate");

  has(interleaved_error(reads({"a", "a", "c"})), "r:9: the read 'c' has no mate: the number of reads is odd");
  has(interleaved_error(read("a")), "r:1: the read 'a' has no mate: the number of reads is odd");
  has(interleaved_error(reads({"a", "b", "a", "b"})), "r:5: the read 'b' is not the mate of 'a' (r:1); the mates of");
  CHECK(interleaved_error("") == "");
}

TEST_CASE("of several errors in pairs, the first in the order of the pairs is told") {
  const std::string good = reads({"a", "b", "c", "d"});
  const std::string letters = "@c\nA!\n+\nII\n";  // an error that check() finds
  const std::string cut = "@c\nAC\n+\nI";         // one that cutting finds
  const std::string two = reads({"a", "b"});
  has(pair_error(two + letters, two + letters), "1:10: the sequence contains");
  has(pair_error(good, two + letters), "2:10: the sequence contains");
  has(pair_error(good, two + cut), "2:9: the last record is not complete");
  has(pair_error(two + cut, good), "1:9: the last record is not complete");
  has(pair_error(two + cut, two + cut), "1:9: the last record is not complete");
  has(pair_error(two + letters, two + cut), "1:10: the sequence contains");
  has(pair_error(two + cut, two + letters), "1:9: the last record is not complete");
  // One file ends before the error of the other, or after it.
  has(pair_error(good, read("a") + cut), "2:5: the last record is not complete");
  has(pair_error(two + cut, read("a")), "1:5: the read 'b' has no mate");
  has(pair_error(two, two + cut), "2:9: the last record is not complete");
  has(pair_error(two + letters, two), "1:10: the sequence contains");
  // Another name before or after an error.
  has(pair_error(two + letters, reads({"a", "x", "c"})), "2:5: the read 'x' is not the mate of 'b'");
  has(pair_error(two + letters, reads({"a", "b", "x"})), "1:10: the sequence contains");

  has(interleaved_error(reads({"a", "a", "c"}) + cut), "r:13: the last record is not complete");
  has(interleaved_error(reads({"a", "a"}) + letters + cut), "r:10: the sequence contains");
  has(interleaved_error(reads({"a", "a"}) + letters), "r:10: the sequence contains");
  has(interleaved_error(reads({"a", "x"}) + cut), "r:5: the read 'x' is not the mate");
}

TEST_CASE("Illumina's marks of mates are checked") {
  const auto marked = [](const std::string& mark) { return "@a " + mark + "\nAC\n+\nII\n"; };
  const std::string one = marked("1:N:0:ACGT");
  const std::string two = marked("2:Y:18:ACGT");
  const std::string none = marked("length=2");
  // The first pair is good, and has no marks that count: without the letter, or without the number.
  const std::string before = "@b 2:0\nA\n+\nI\n";
  const std::string after = "@b 1\nA\n+\nI\n";
  CHECK(pair_error(before + one, after + two) == "");
  CHECK(pair_error(before + one, after + none) == "");
  CHECK(pair_error(before + none, after + two) == "");
  CHECK(pair_error(before + none, after + none) == "");
  const std::string second_first =
      "1:5: the read 'a' is marked as second mate (2:), but comes first; the files are exchanged";
  has(pair_error(before + two, after + one), second_first);
  has(pair_error(before + two, after + none), second_first);
  has(pair_error(before + none, after + one), "2:5: the read 'a' is marked as first mate (1:), but comes second");
  has(pair_error(before + one, after + one),
      "2:5: the read 'a' and its mate (1:5) are both marked as first mate (1:): the same mates come twice");
  has(pair_error(before + two, after + two), "both marked as second mate (2:)");
  // FASTA, and a sequence on several lines.
  has(pair_error(">a 2:N:0:\nAC\n", ">a 1:N:0:\nAC\n"), "1:1: the read 'a' is marked as second mate");
  has(pair_error("@a 2:N:0:\nA\nC\n+\nI\nI\n", one), "1:1: the read 'a' is marked as second mate");
  CHECK(interleaved_error(one + two) == "");
  has(interleaved_error(two + one),
      "r:1: the read 'a' is marked as second mate (2:), but comes first; the first mate must");
  has(interleaved_error(one + one), "r:5: the read 'a' and its mate (r:1) are both marked as first mate (1:)");
}

TEST_CASE("why names do not make a pair") {
  has(pair_error(read("a/1"), read("a/1")), "both are first mates; one of the files must have the second ones");
  has(pair_error(read("a/2"), read("b/2")), "both are second mates; one of the files must have the first ones");
  has(interleaved_error(reads({"a/1", "b/1"})), "both are first mates; the mates of a pair must follow each other");
  for (const std::string mark : {".", "_", "-", ":"}) {
    has(pair_error(read("S7" + mark + "1"), read("S7" + mark + "2")), "the names differ only at the end");
  }
  has(pair_error(read("S71"), read("S72")), "the files are not in the same order");
  has(pair_error(read("S7.1"), read("S8.2")), "the files are not in the same order");
  has(pair_error(read(".1"), read(".2")), "the files are not in the same order");

  const std::string contig = ">chr20\n" + std::string(10'000, 'A') + "\n";
  has(pair_error(">a\nACGT\n", contig), "the reference comes first: trawl map REF R1 R2");
  has(pair_error(contig, ">a\nACGT\n"), "the reference comes first: trawl map REF R1 R2");
  has(pair_error(read("a"), contig), "the files are not in the same order");
}

TEST_CASE("batches that are put back come again, and the others follow") {
  const TempDir dir;
  ReadInput input({{dir.write("1", reads({"a", "b", "c"}))}, {dir.write("2", reads({"a", "b", "c"}))}, false});
  input.set_batch(2, 1000);
  std::vector<ReadInput::InputBatch> batches(2);
  REQUIRE(input.next(batches[0]));
  REQUIRE(input.next(batches[1]));
  input.put_back(std::move(batches));
  CHECK(all_reads(std::move(input), 2) == "a AC II\na AC II\nb AC II\nb AC II\nc AC II\nc AC II\n");
}

TEST_CASE("batches that are put back are cut, if smaller ones are asked for") {
  const TempDir dir;
  const std::vector<std::string> names = {"a", "b", "c", "d", "e", "f", "g"};
  std::string together;
  std::string expected;
  for (const std::string& name : names) {
    together += read(name) + read(name);
    expected += name + " AC II\n" + name + " AC II\n";
  }
  const std::string lists = dir.write("l", reads(names));
  const std::string copy = dir.write("m", reads(names));
  const std::string one = dir.write("o", together);
  for (const auto& files : {ReadInput::Files{{lists}, {copy}, false}, ReadInput::Files{{one}, {}, true}}) {
    for (const std::size_t smaller : {1, 2, 4, 5, 6, 100}) {
      const auto begun = [&] {
        ReadInput input(files);
        input.set_batch(10, 1000);
        std::vector<ReadInput::InputBatch> batches(1);
        REQUIRE(input.next(batches[0]));
        REQUIRE(batches[0].reads.size() == 10);
        input.put_back(std::move(batches));
        input.set_batch(smaller, 1000);
        return input;
      };
      ReadInput::InputBatch batch;
      REQUIRE(begun().next(batch));
      CHECK(batch.reads.size() == std::clamp<std::size_t>(smaller / 2 * 2, 2, 10));
      CHECK(all_reads(begun(), smaller) == expected);
    }
  }
}

TEST_CASE("the bytes of two lists, for the progress") {
  const TempDir dir;
  const std::string one = dir.write("1", reads({"a", "b"}));
  const std::string two = dir.write("2", "@a\nACG\n+\nIII\n@b\nACGT\n+\nIIII\n");
  ReadInput input({{one}, {two}, false});
  const auto size = std::filesystem::file_size(one) + std::filesystem::file_size(two);
  CHECK(input.total_bytes() == size);
  ReadInput::InputBatch batch;
  REQUIRE(input.next(batch));
  CHECK(batch.reads.input_bytes == size);
}

TEST_CASE("a checked batch in a message has the same reads") {
  TempDir dir;
  for (const bool is_fastq : {true, false}) {
    const std::string text = is_fastq ? "@a XX:Z:1\nACGTN\n+\nIIII!\n@b\n\n+\n\n@c/1 BC:Z:A\nAC\n+\nHH\n"
                                      : ">a XX:Z:1\nAC\nGTN\n>b\n>c/1 BC:Z:A\nAC\n";
    ReadInput input({.reads = {dir.write("r", text)}, .mates = {}, .comments = io::CommentRule{}});
    ReadInput::InputBatch batch;
    REQUIRE(input.next(batch));
    batch.reads.first_read = 17;
    batch.reads.add("own", "GATTACA", "", {}, 2, "CO:Z:last");
    Packer packer;
    batch.reads.pack(packer);
    const auto message = std::make_shared<std::string>(packer.take());
    sequence::ReadBatch same;
    Unpacker unpacker(*message);
    same.unpack(unpacker, message);
    CHECK(unpacker.at_end());
    REQUIRE(same.size() == batch.reads.size());
    CHECK(std::tuple(same.first_read, same.paired, same.is_fastq, same.input_bytes) ==
          std::tuple(batch.reads.first_read, batch.reads.paired, batch.reads.is_fastq, batch.reads.input_bytes));
    for (std::size_t r = 0; r < same.size(); ++r) {
      CAPTURE(is_fastq, r);
      CHECK(same.name(r) == batch.reads.name(r));
      CHECK(same.comment(r) == batch.reads.comment(r));
      CHECK(same.bases(r) == batch.reads.bases(r));
      CHECK(same.qualities(r) == batch.reads.qualities(r));
      CHECK(same.marked_mate(r) == batch.reads.marked_mate(r));
    }
  }
}
