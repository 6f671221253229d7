#include <hwy/targets.h>

#include <random>

#include "io/read/fasta_reader.hpp"
#include "io/read/letter_md5.hpp"
#include "sequence/alphabet.hpp"
#include "sequence/reference_assembler.hpp"
#include "tests/catch.hpp"
#include "tests/unit/io_files.hpp"

using trawl::io::read_reference;
using trawl::sequence::Reference;
using trawl::test::message_of;
using trawl::test::StandardInput;
using trawl::test::TempDir;

namespace {

std::string letters(const Reference& reference, std::size_t contig) {
  const auto& c = reference.contigs()[contig];
  std::string text(c.length, '?');
  trawl::io::copy_letters(reference, c.offset, c.length, text.data());
  std::size_t same = 0;
  while (same < text.size() && text[same] == reference.letter(c.offset + same)) {
    ++same;
  }
  REQUIRE(same == text.size());
  return text;
}

std::string fasta_error(const std::string& content) {
  TempDir dir;
  const std::string path = dir.write("r.fa", content);
  const std::string message = message_of([&] { read_reference(path); });
  REQUIRE(message.substr(0, path.size()) == path);
  return message.substr(path.size());
}

}  // namespace

TEST_CASE("FASTA: names, wrapped lines, blank lines, lower case, IUPAC codes, CRLF") {
  TempDir dir;
  const std::string plain = "\n>chr1 first\nACGTacgt\nNNRYn\n\nac\n>chr2\tsecond\nTTUu\n>chr3\nG";
  std::string crlf;
  for (const char c : plain) {
    crlf += c == '\n' ? "\r\n" : std::string(1, c);
  }
  for (const auto& path : {dir.write("a.fa", plain), dir.write("b.fa", crlf), dir.write_compressed("c", plain, "wg"),
                           dir.write_compressed("d", plain, "w")}) {
    const Reference reference = read_reference(path);
    REQUIRE(reference.contigs().size() == 3);
    CHECK(reference.contigs()[0].name == "chr1");
    CHECK(reference.contigs()[1].name == "chr2");
    CHECK(letters(reference, 0) == "ACGTACGTNNRYNAC");
    CHECK(letters(reference, 1) == "TTTT");
    CHECK(letters(reference, 2) == "G");
    CHECK(reference.bases() == 20);
    CHECK(reference.ambiguous_runs().size() == 4);
  }
  StandardInput input(crlf);
  CHECK(letters(read_reference("-"), 0) == "ACGTACGTNNRYNAC");
}

TEST_CASE("FASTA: every name that SAM allows") {
  TempDir dir;
  const std::string first = "09AZaz!#$%&+./:;?@^_|~-";
  for (const char c : first) {
    const std::string name = c + first + "*=";
    CHECK(read_reference(dir.write("r.fa", ">" + name + " (a comment)\nAC\n")).contigs()[0].name == name);
  }
}

TEST_CASE("FASTA: random sequences in lines of any length, longer than the buffer too") {
  TempDir dir;
  std::mt19937 random(11);
  for (const std::size_t width : {1, 7, 60, 61, 64, 1000, 5'000'000}) {
    std::string text;
    std::vector<std::string> expected;
    for (const std::size_t length : {1, 63, 64, 65, 1000, width > 60 ? 3'000'000 : 30'000}) {
      std::string sequence(length, 'A');
      for (char& c : sequence) {
        c = random() % 50 == 0 ? "NRYKMSWBDHVnrykm"[random() % 16] : "ACGTacgt"[random() % 8];
      }
      text += ">s" + std::to_string(expected.size()) + "\n";
      for (std::size_t at = 0; at < length; at += width) {
        text += sequence.substr(at, width) + "\n";
      }
      expected.push_back(trawl::sequence::upper_bases(sequence));
    }
    const Reference reference = read_reference(dir.write("r.fa", text));
    REQUIRE(reference.contigs().size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      INFO(width << " " << i);
      CHECK((letters(reference, i) == expected[i]));
    }
  }
}

TEST_CASE("FASTA: contigs of length 0 are left out, with a warning") {
  TempDir dir;
  std::vector<std::string> warnings;
  const std::string path = dir.write("r.fa", ">a\n>b\nAC\n>c\n\n>d\nG\n>e");
  const Reference reference = read_reference(path, &warnings);
  REQUIRE(reference.contigs().size() == 2);
  CHECK(reference.contigs()[0].name == "b");
  CHECK(reference.contigs()[1].name == "d");
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0] == path + ": 3 sequence(s) of length 0 left out: a, c, e");
}

TEST_CASE("FASTA: what cannot be used is named with its line") {
  CHECK(fasta_error(">a\nACGT\nAC-T\n") == ":3: '-' in the sequence a is not an IUPAC letter");
  CHECK(fasta_error(">a\nACGT*\n") == ":2: '*' in the sequence a is not an IUPAC letter");
  CHECK(fasta_error(">a\nACGTACGTAC1\n") == ":2: '1' in the sequence a is not an IUPAC letter");
  CHECK(fasta_error(">a\nAC GT\n") == ":2: a blank in the sequence a is not an IUPAC letter");
  CHECK(fasta_error(">a\nACGTE\n") == ":2: 'E' in the sequence a is not an IUPAC letter");
  CHECK(fasta_error(std::string(">a\nAC\0G\n", 8)) == ":2: the byte 0x00 in the sequence a is not an IUPAC letter");
  CHECK(fasta_error("\nACGT\n>a\n") == ":2: text before the first '>'; a reference must be FASTA");
  CHECK(fasta_error("@r1\nACGT\n+\nIIII\n") ==
        ":1: this is a FASTQ file; a reference must be FASTA, and is the first file");
  CHECK(fasta_error(">a\nAC\n>b\nGT\n>a\nAC\n") == ":5: a second sequence with the name a; names must differ");
  CHECK(fasta_error(">a\nAC\n> b\nGT\n") == ":3: a sequence without a name; write one directly after the '>'");
  CHECK(fasta_error(">*\nAC\n") == ":1: the sequence name * begins with '*', which SAM does not allow; rename it");
  CHECK(fasta_error(">a\rACGT\r>b\rACGT\r") ==
        ":1: a line contains a CR that does not end it; convert CR to LF first, for example with tr '\\r' '\\n'");
  for (const char c : std::string("\\,\"'`()[]{}<>")) {
    const std::string name = std::string("a") + c + "b";
    CHECK(fasta_error(">x\nA\n>" + name + "\nAC\n") ==
          ":3: the sequence name " + name + " contains '" + c + "', which SAM does not allow; rename it");
  }
  CHECK(fasta_error(">s\xc3\xa9\nAC\n") ==
        ":1: the sequence name s\xc3\xa9 contains the byte 0xc3, which SAM does not allow; rename it");
  CHECK(fasta_error("") == ": has no sequences; a reference must be FASTA");
  CHECK(fasta_error("\n\n") == ": has no sequences; a reference must be FASTA");
  CHECK(fasta_error(">a\n") == ": has no sequences; a reference must be FASTA");
}

TEST_CASE("M5 is the MD5 of the upper case letters") {
  TempDir dir;
  const Reference reference = read_reference(dir.write("r.fa", ">a\nacgt\nACGT\n>n\nNNNNRY\n"));
  // printf ACGTACGT | md5sum; printf NNNNRY | md5sum
  CHECK(trawl::io::contig_md5s(reference) ==
        std::vector<std::string>{"cc0af3a4fedb18378b4b57b98068e69f", "e5d42a6e024b5fa206eb4443d717ac1e"});
}

TEST_CASE("M5 of many contigs, of a few long ones, and of all lengths around a block, on each instruction set") {
  TempDir dir;
  std::mt19937 random(12);
  for (int n = 0; n < 12; ++n) {
    std::vector<std::size_t> lengths;
    const std::size_t contigs = std::vector<std::size_t>{1, 2, 7, 40, 400}[random() % 5];
    for (std::size_t c = 0; c < contigs; ++c) {
      lengths.push_back(n % 3 == 0 ? c + 1 : 1 + random() % (n % 3 == 1 ? 10'000 : 200));
    }
    lengths.push_back(n % 2 == 0 ? 300'000 : 1);
    trawl::sequence::ReferenceBuilder builder;
    for (const std::size_t length : lengths) {
      std::string letters(length, 'A');
      for (char& c : letters) {
        c = "ACGTacgtNR"[random() % (n % 4 == 0 ? 10 : 8)];
      }
      builder.begin_contig("c");
      builder.append(letters);
    }
    const Reference reference = std::move(builder).finish();
    std::vector<std::string> expected;
    trawl::io::LetterMd5 md5;
    for (const auto& contig : reference.contigs()) {
      md5.add(reference, contig.offset, contig.length);
      expected.push_back(md5.finish());
    }
    for (std::int64_t targets = hwy::SupportedTargets(); targets != 0; targets &= targets - 1) {
      hwy::SetSupportedTargetsForTest(targets & -targets);
      CAPTURE(n, targets & -targets);
      CHECK(trawl::io::contig_md5s(reference) == expected);
    }
    hwy::SetSupportedTargetsForTest(0);
  }
}
