#include "io/read/read_source.hpp"

#include "align/sam_fields.hpp"
#include "tests/catch.hpp"
#include "tests/unit/io/files.hpp"

using namespace trawl;
using trawl::io::ReadSource;
using trawl::sequence::ReadBatch;
using trawl::test::message_of;
using trawl::test::StandardInput;
using trawl::test::TempDir;

namespace {

// "name bases qualities" of every read, one per line.
std::string all_reads(ReadSource source) {
  std::string text;
  ReadBatch batch;
  std::uint64_t reads = 0;
  std::uint64_t batches = 0;
  while (source.next(batch)) {
    REQUIRE(batch.number == batches++);
    REQUIRE(batch.first_read == reads);
    reads += batch.size();
    for (std::size_t i = 0; i < batch.size(); ++i) {
      text +=
          std::string(batch.name(i)) + " " + std::string(batch.bases(i)) + " " + std::string(batch.qualities(i)) + "\n";
    }
  }
  REQUIRE(batch.empty());
  return text;
}

std::string all_reads_of(const std::string& content) {
  TempDir dir;
  return all_reads(ReadSource({dir.write("r", content)}));
}

std::string read_error(const std::string& content) {
  TempDir dir;
  const std::string path = dir.write("r.fq", content);
  const std::string message = message_of([&] { all_reads(ReadSource({path})); });
  REQUIRE(message.substr(0, path.size()) == path);
  return message.substr(path.size());
}

std::string with_crlf(const std::string& text) {
  std::string out;
  for (const char c : text) {
    out += c == '\n' ? "\r\n" : std::string(1, c);
  }
  return out;
}

}  // namespace

TEST_CASE("FASTQ: names, case, IUPAC codes, CRLF, blank lines, a missing last line end") {
  const std::string fastq = "@a/1 x\nACGTN\n+\nIIIII\n\n@b/2\tz\nacgtr.u\n+b/2\n@@@@+>!\n@c\nA\n+\n~";
  const std::string expected = "a/1 ACGTN IIIII\nb/2 ACGTRNU @@@@+>!\nc A ~\n";
  CHECK(all_reads_of(fastq) == expected);
  CHECK(all_reads_of(fastq + "\n") == expected);
  CHECK(all_reads_of("\n\n" + fastq + "\n\n\n") == expected);
  CHECK(all_reads_of(with_crlf(fastq)) == expected);
  CHECK(all_reads_of(with_crlf(fastq + "\n\n")) == expected);
}

TEST_CASE("FASTQ with wrapped lines") {
  CHECK(all_reads_of("@a\nACGT\nACG\nT\n+\nIIII\n@+I\nI\n@b\nA\n+\nI\n") == "a ACGTACGT IIII@+II\nb A I\n");
  CHECK(all_reads_of("@a\nACGTACGT\n+\nIII\nIII\n@I\n@b\nA\n+\nI\n") == "a ACGTACGT IIIIII@I\nb A I\n");
  CHECK(all_reads_of(with_crlf("@a\nACGT\n+\nIII\nI")) == "a ACGT IIII\n");
  CHECK(all_reads_of(with_crlf("@a\nACGT\nACGT\n+\n@III\nIIII")) == "a ACGTACGT @IIIIIII\n");
}

TEST_CASE("FASTQ: reads of length 0") {
  CHECK(all_reads_of("@a\n\n+\n\n@b\nA\n+\nI\n@c\n\n+\n\n") == "a  \nb A I\nc  \n");
  CHECK(all_reads_of("@c\n\n+\n") == "c  \n");
  CHECK(all_reads_of("@c\n\n+") == "c  \n");
  CHECK(all_reads_of("@a\n+\n\n@b\n+\n") == "a  \nb  \n");
}

TEST_CASE("FASTA reads") {
  const std::string fasta = ">a x\nACGT\n\nacgt\n>b\n>c\n\n>d\nN";
  CHECK(all_reads_of(fasta) == "a ACGTACGT \nb  \nc  \nd N \n");
  CHECK(all_reads_of(with_crlf(fasta)) == "a ACGTACGT \nb  \nc  \nd N \n");
  CHECK(all_reads_of(">a") == "a  \n");
}

TEST_CASE("empty inputs hold no reads") {
  CHECK(all_reads_of("").empty());
  CHECK(all_reads_of("\n\r\n\n").empty());
}

TEST_CASE("several files of different kinds, one after another, in batches of any size") {
  TempDir dir;
  std::string fastq;
  std::string expected;
  for (int i = 0; i < 30'000; ++i) {
    const std::string name = "read" + std::to_string(i);
    const std::string bases(static_cast<std::size_t>(i % 150), "ACGT"[i % 4]);
    const std::string qualities(bases.size(), static_cast<char>('!' + i % 90));
    fastq += "@" + name + "\n" + bases + "\n+\n" + qualities + "\n";
    expected += name + " " + bases + " " + qualities + "\n";
  }
  const std::vector<std::string> paths = {
      dir.write("a.fq", fastq), dir.write("empty", ""), dir.write("b.fa", ">x\nACGT\nAC\n>y\nT"),
      dir.write_compressed("c.gz", fastq, "wg"), dir.write_compressed("d.bgz", fastq, "w")};
  const std::string all = expected + "x ACGTAC \ny T \n" + expected + expected;
  for (const std::size_t reads_per_batch : {1, 7, 8192}) {
    for (const std::size_t bases_per_batch : {1, 1000, 1 << 22}) {
      CHECK((all_reads(ReadSource(paths, reads_per_batch, bases_per_batch, 2)) == all));
    }
  }
  StandardInput input(fastq);
  CHECK((all_reads(ReadSource({"-", paths[2]})) == expected + "x ACGTAC \ny T \n"));
}

TEST_CASE("the size of batches changes on the way") {
  TempDir dir;
  std::string fasta;
  for (int i = 0; i < 60; ++i) {
    fasta += ">r\nACGTACGTAC\n";
  }
  ReadSource source({dir.write("a.fa", fasta)});
  ReadBatch batch;
  const auto next = [&](std::size_t reads, std::size_t bases) {
    source.set_reads_per_batch(reads);
    source.set_bases_per_batch(bases);
    source.next(batch);
    return batch.size();
  };
  CHECK(next(5, 1000) == 5);
  CHECK(next(20, 1000) == 20);
  CHECK(next(20, 91) == 10);
  CHECK(next(1000, 1000) == 25);
}

TEST_CASE("input_bytes() grows to total_bytes()") {
  TempDir dir;
  ReadSource source({dir.write("a", "@a\nA\n+\nI\n"), dir.write_compressed("b", "@a\nA\n+\nI\n", "w")}, 1);
  ReadBatch batch;
  while (source.next(batch)) {
    CHECK(batch.input_bytes <= source.total_bytes());
  }
  CHECK(source.input_bytes() == source.total_bytes());
}

TEST_CASE("reads that cannot be used are named with their line") {
  const std::string good = "@a\nAC\n+\nII\n";
  CHECK(read_error(good + "@b\nACGT\n+\nIII\n@c\nA\n+\nI\n") ==
        ":8: the quality has 3 characters and the sequence 4; both must have the same length");
  CHECK(read_error(good + "@b\nACGT\n+\nIIIII\n") ==
        ":8: the quality has 5 characters and the sequence 4; both must have the same length");
  CHECK(read_error(good + "@b\nACGT\n+\nIII\n") ==
        ":8: the quality has 3 characters and the sequence 4; both must have the same length");
  CHECK(read_error("@b\nACGT\nACGT\n+\nIIIII\nIIIII\n") ==
        ":5: the quality has 10 characters and the sequence 8; both must have the same length");
  CHECK(read_error(good + "@b\nACGT\n+\nII\nIII\n") ==
        ":8: the quality has 5 characters and the sequence 4; both must have the same length");
  const std::string truncated = "the last record is not complete; the file is truncated, copy or make it again";
  CHECK(read_error(good + "@b\nACGT\n+\nIII") == ":5: " + truncated);
  CHECK(read_error(good + "@b\nACGT\n+\n") == ":5: " + truncated);
  CHECK(read_error(good + "@b\nACGT\n+") == ":5: " + truncated);
  CHECK(read_error(good + "@b\nACGT\n") == ":5: " + truncated);
  CHECK(read_error(good + "@b\nAC") == ":5: " + truncated);
  CHECK(read_error(good + "@b\n") == ":5: " + truncated);
  CHECK(read_error(good + "@b") == ":5: " + truncated);
  CHECK(read_error("@a\nACGT\nIIII\n" + good) ==
        ":4: the record of line 1 has no line with '+' between sequence and quality");
  CHECK(
      read_error(good + "ACGT\n") ==
      ":5: a record must begin with '@', not with 'A'; perhaps a line before it is missing, or there is one too many");
  CHECK(read_error("@a\nAXGT\n+\nIIII\n") == ":2: the sequence contains 'X', which is not an IUPAC letter");
  CHECK(read_error(">a\nAC*\n") == ":2: the sequence contains '*', which is not an IUPAC letter");
  CHECK(read_error("@a\nACGT\n+\nII I\n") == ":4: the quality contains a blank; only '!' to '~' are allowed");
  CHECK(read_error("@a\nAC\n+\nI\x80\n") == ":4: the quality contains the byte 0x80; only '!' to '~' are allowed");
  const std::string lone_cr =
      "a line contains a CR that does not end it; convert CR to LF first, for example with tr '\\r' '\\n'";
  CHECK(read_error(">a\rACGT\r>b\rACGT\r") == ":1: " + lone_cr);
  CHECK(read_error(">a\nACGT\n>b\rACGT\r") == ":3: " + lone_cr);
  CHECK(read_error("@a\rACGT\r+\rIIII\r") == ":1: " + lone_cr);
  CHECK(all_reads_of(">a\r\r\nAC\r\n") == "a AC \n");
  CHECK(read_error("hello\n") == ":1: begins with 'h', so it is neither FASTQ ('@') nor FASTA ('>'); SAM needs its header: samtools view -h");
  CHECK(read_error(std::string("BAM\1\0\0", 6)) ==
        ": its header is damaged; check the file with samtools quickcheck");
  CHECK(read_error("@\nA\n+\nI\n") == ":1: a read without a name; write one directly after the '@'");
  CHECK(read_error("> a\nA\n") == ":1: a read without a name; write one directly after the '>'");
  CHECK(read_error("@@a\nA\n+\nI\n") == ":1: the read name @a has another meaning in SAM; rename the read");
  CHECK(read_error("@" + std::string(255, 'n') + "\nA\n+\nI\n") ==
        ":1: the read name has 255 characters; SAM allows at most 254");
  CHECK(read_error("@a\xc3\xa9\nA\n+\nI\n") ==
        ":1: the read name contains the byte 0xc3; SAM allows printable ASCII characters only");
  CHECK(all_reads_of("@" + std::string(254, 'n') + "\nA\n+\nI\n") == std::string(254, 'n') + " A I\n");
}

TEST_CASE("the first error of the input is told, whatever the size of the batches") {
  TempDir dir;
  const std::string good = "@a\nAC\n+\nII\n";
  const std::string bad_letter = "@b\nA!\n+\nII\n";
  const std::string bad_record = "@c\nACG\n+\nI\n";
  const std::string path = dir.write("r.fq", good + bad_letter + good + bad_record);
  for (const std::size_t reads : {1, 2, 3, 4, 1000}) {
    CHECK(message_of([&] { all_reads(ReadSource({path}, reads)); }) ==
          path + ":6: the sequence contains '!', which is not an IUPAC letter");
  }
  // The reads before the error are given, and the error is thrown again at each call.
  dir.write("r.fq", good + good + bad_record);
  ReadSource source({path});
  ReadBatch batch;
  REQUIRE(source.next(batch));
  CHECK(batch.size() == 2);
  for (int i = 0; i < 2; ++i) {
    CHECK(message_of([&] { source.next(batch); }) ==
          path + ":12: the quality has 1 characters and the sequence 3; both must have the same length");
  }
}

TEST_CASE("a wrong record before damaged gzip data is told, whatever the size of the blocks") {
  TempDir dir;
  // Its quality is longer than its sequence, which is known only where both are complete.
  const std::string text =
      "@first\nACGT\n+\nIIII\n@last\n" + std::string(300, 'A') + "\n+\n" + std::string(310, 'I') + "\n";
  std::string gzip = trawl::test::file_content(dir.write_compressed("r.gz", text, "wg"));
  gzip[gzip.size() - 8] ^= 1;  // the checksum
  const std::string path = dir.write("r.fq.gz", gzip);
  for (const std::size_t bytes : {16, 50, 100, 200, 300, 350, 640, 700, 5000, 1 << 20}) {
    for (const unsigned threads : {1u, 2u}) {
      INFO(threads << " threads, blocks of " << bytes);
      CHECK(message_of([&] { all_reads(ReadSource({path}, 1000, 1000, threads, bytes)); }) ==
            path +
                ":8: the quality has 310 characters and the sequence 300; both must have the same length; or the "
                "compressed file is damaged (test it with gzip -t)");
    }
  }
}

TEST_CASE("the length of a read is limited as SAM limits it") {
  const trawl::io::RecordCheck check("r.fq", 5);
  check.length(2147483647);
  CHECK(message_of([&] { check.length(2147483648); }) ==
        "r.fq:5: a read of 2147483648 bases; SAM allows at most 2147483647");
}

TEST_CASE("files that cannot be read are known before the first batch") {
  TempDir dir;
  const std::string good = dir.write("a", ">a\nA\n");
  CHECK(message_of([&] {
          ReadSource({good, dir.path("none")});
        }) == dir.path("none") + ": cannot open: No such file or directory");
  CHECK(message_of([&] { ReadSource({good, dir.path("")}); }) == dir.path("") + ": is a directory; name a file in it");
  CHECK(message_of([&] { ReadSource({"-", "-"}); }) == "the standard input (-) can be read only once");
}

// The SAM tags that comments of reads bring.
namespace {

// The tags that are kept, or "wrong: " and the first wrong field.
std::string kept(std::string comment, const io::CommentRule& rule = {}) {
  const io::CommentTags tags = io::keep_tags(comment.data(), comment.size(), rule);
  return tags.wrong.empty() ? std::string(tags.text) : "wrong: " + std::string(tags.wrong);
}

}  // namespace

TEST_CASE("comment tags: all types of SAM") {
  for (const char* good : {"",
                           "BC:Z:ACGT",
                           "BC:Z:",
                           "BC:Z:two words, ok",
                           "XB:A:x",
                           "XI:i:0",
                           "XI:i:-2147483648",
                           "XI:i:4294967295",
                           "XI:i:+5",
                           "XF:f:1",
                           "XF:f:-1.5e-3",
                           "XF:f:.5",
                           "XH:H:1AFF",
                           "XH:H:",
                           "XB:B:c,-128,127",
                           "XB:B:C,0,255",
                           "XB:B:s,-32768",
                           "XB:B:S,65535",
                           "XB:B:i,-2147483648",
                           "XB:B:I,4294967295",
                           "XB:B:f,1.5,-2,3e4",
                           "BC:Z:A\tRX:Z:B\tXI:i:3"}) {
    CHECK(kept(good) == good);
  }
}

TEST_CASE("comment tags: what is no tag") {
  for (const char* bad : {"length=100",      "samples/3",        "BC:Z",        "BC:",        "B:Z:A",
                          "1C:Z:A",          "B_:Z:A",           "BC:Q:A",      "BC Z:A",     "XA:A:",
                          "XA:A:xy",         "XA:A: ",           "XI:i:",       "XI:i:x",     "XI:i:1.5",
                          "XI:i:4294967296", "XI:i:-2147483649", "XI:i:+-5",    "XF:f:",      "XF:f:x",
                          "XF:f:inf",        "XF:f:nan",         "XF:f:1.5x",   "XH:H:1",     "XH:H:1a",
                          "XB:B:",           "XB:B:c",           "XB:B:c,",     "XB:B:c,128", "XB:B:C,-1",
                          "XB:B:C,256",      "XB:B:x,1",         "XB:B:f,1,,2", "XB:B:c,1,",  "BC:Z:\xc3\xa4"}) {
    CHECK(kept(bad) == "wrong: " + std::string(bad));
  }
  CHECK(kept("BC:Z:A\tfish\tRX:Z:B") == "wrong: fish");
  CHECK(kept("BC:Z:A\tRX:Z:B\tBC:Z:C") == "wrong: BC:Z:C");
}

TEST_CASE("comment tags: left out are Illumina's mark and what the records have anyway") {
  CHECK(kept("1:N:0:ACGT") == "");
  CHECK(kept("2:Y:18:ACGT+TTGA BC:Z:ACGT") == "BC:Z:ACGT");
  CHECK(kept("1:N:0:ACGT\tBC:Z:ACGT") == "BC:Z:ACGT");
  CHECK(kept("1:N:0:") == "");
  CHECK(kept("3:N:0:ACGT") == "wrong: 3:N:0:ACGT");
  CHECK(kept("NM:i:3\tBC:Z:A\tMD:Z:100\tRX:Z:B\tAS:i:-3") == "BC:Z:A\tRX:Z:B");
  for (const std::string_view tag : align::kWrittenTags) {
    CHECK(kept(std::string(tag) + ":Z:x") == "");
  }
  CHECK(kept("RG:Z:lane1\tBC:Z:A") == "RG:Z:lane1\tBC:Z:A");
  CHECK(kept("RG:Z:lane1\tBC:Z:A", {.read_group = true}) == "BC:Z:A");
  CHECK(kept("BC:Z:A\t\tRX:Z:B\t") == "BC:Z:A\tRX:Z:B");
  CHECK(kept("0:Y:2:\tXS:Z:x\tRG:Z:a", {.alignments = true}) == "RG:Z:a");
  CHECK(kept("XS:Z:x\tRG:Z:a") == "XS:Z:x\tRG:Z:a");
  CHECK(kept("a b\tRX:Z:B\tBC:Z:A\tRG:Z:a", {.tags = "XX,RX"}) == "RX:Z:B");
  CHECK(kept("RX:Z:B\tXS:Z:x\tNM:i:1\tRG:Z:a", {.alignments = true, .tags = "XS"}) == "XS:Z:x\tRG:Z:a");
  CHECK(kept("RX:Z:B\tRG:Z:a", {.read_group = true, .alignments = true, .tags = ""}) == "");
}
