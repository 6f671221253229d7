#include <hwy/targets.h>

#include <cmath>
#include <deque>
#include <random>

#include "base/error.hpp"
#include "io/read/fasta_chunks.hpp"
#include "io/read/gzip/input_file.hpp"
#include "io/read/letter_md5.hpp"
#include "io/read/reference_files.hpp"
#include "sequence/alphabet.hpp"
#include "sequence/copy_letters.hpp"
#include "sequence/reference_assembler.hpp"
#include "tests/catch.hpp"
#include "tests/fasta_oracle.hpp"
#include "tests/random_cases.hpp"
#include "tests/unit/io/files.hpp"

using namespace trawl;
using trawl::io::read_reference;
using trawl::sequence::Reference;
using trawl::test::message_of;
using trawl::test::StandardInput;
using trawl::test::TempDir;

namespace {

std::string letters(const Reference& reference, std::size_t contig) {
  const auto& c = reference.contigs()[contig];
  std::string text(c.length, '?');
  trawl::sequence::copy_letters(reference, c.offset, c.length, text.data());
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

// The end of a message.
const std::string kRename = "rename it (trawl map, scan and index do: --rename-contigs)";

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
  CHECK(fasta_error(">*\nAC\n") == ":1: the sequence name * begins with '*', which SAM does not allow; " + kRename);
  CHECK(fasta_error(">a\rACGT\r>b\rACGT\r") ==
        ":1: a line contains a CR that does not end it; convert CR to LF first, for example with tr '\\r' '\\n'");
  for (const char c : std::string("\\,\"'`()[]{}<>")) {
    const std::string name = std::string("a") + c + "b";
    CHECK(fasta_error(">x\nA\n>" + name + "\nAC\n") ==
          ":3: the sequence name " + name + " contains '" + c + "', which SAM does not allow; " + kRename);
  }
  CHECK(fasta_error(">s\xc3\xa9\nAC\n") ==
        ":1: the sequence name s\xc3\xa9 contains the byte 0xc3, which SAM does not allow; " + kRename);
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
    std::deque<std::string> kept;
    std::vector<trawl::sequence::NamedText> texts;
    for (const std::size_t length : lengths) {
      std::string& letters = kept.emplace_back(length, 'A');
      for (char& c : letters) {
        c = "ACGTacgtNR"[random() % (n % 4 == 0 ? 10 : 8)];
      }
      texts.push_back({"c", letters});
    }
    const Reference reference = trawl::sequence::pack_texts(texts);
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

namespace {

// FASTA read in blocks of any size is the same as FASTA read line by line.
class HostileFasta {
 public:
  explicit HostileFasta(unsigned seed) : random_(seed) {}

  std::size_t number(std::size_t least, std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(least, most)(random_);
  }
  bool one_in(std::size_t n) { return number(1, n) == 1; }

  std::string text() {
    line_end_ = one_in(4) ? "\r\n" : "\n";
    hostile_ = one_in(3) ? 40 : 100'000;  // one of so many pieces has a fault
    std::string text = one_in(10) ? "\xef\xbb\xbf" : "";
    if (one_in(8)) {
      text += pick({"\n", "\r\n", " \n\n", "\t", "ACGT\n", " ACGT\n", "@r\nACGT\n+\nIIII\n", "\n\n@r\n", "@", ">"});
    }
    const std::size_t contigs = one_in(10) ? 0 : number(1, one_in(5) ? 30 : 4);
    for (std::size_t c = 0; c < contigs; ++c) {
      text += header(c);
      const std::size_t lines = one_in(5) ? 0 : number(1, one_in(4) ? 20 : 4);
      const std::size_t width = pick_number({1, 5, 60, 61, 63, 64, 70, 128, 200});
      for (std::size_t l = 0; l < lines; ++l) {
        text += sequence_line(one_in(5) ? number(0, width) : width);
      }
    }
    while (!text.empty() && one_in(2)) {
      text.pop_back();  // also a file that ends without an LF
    }
    return text;
  }

 private:
  template <class T>
  T any(std::initializer_list<T> values) {
    return values.begin()[number(0, values.size() - 1)];
  }
  std::string pick(std::initializer_list<const char*> values) { return any(values); }
  std::size_t pick_number(std::initializer_list<std::size_t> values) { return any(values); }

  std::string end_of_line() {
    const std::string blanks = one_in(20) ? pick({" ", "\t ", "  \r", "\v", "\f\f"}) : "";
    return blanks + (one_in(50) ? pick({"\n", "\r\n", "\n\n", "\r\r\n"}) : line_end_);
  }

  std::string header(std::size_t c) {
    std::string name = "c" + std::to_string(c) + (one_in(5) ? std::string(number(1, 100), 'x') : "");
    if (one_in(hostile_)) {
      name = pick({"", "*", "=a", "a,b", "c0", "n\xc3\xa9", " x", "a<b", "a\rb"});
    }
    if (one_in(4)) {
      name += pick({" and more", "\tACGTN", " >x", " ", "  *,=\x01 \xff", " NNNN"});
    }
    if (one_in(hostile_)) {
      name += "\r> a";
    }
    return ">" + name + end_of_line();
  }

  std::string sequence_line(std::size_t length) {
    const char* letters = any({"ACGT", "acgt", "ACGTacgtNnUu", "N", "NNNNNNNNNNNNNNNNACGTRYKMSWBDHVNrykm", "AN"});
    const std::string_view from = letters;
    std::string line;
    for (std::size_t i = 0; i < length; ++i) {
      line += from[number(0, from.size() - 1)];
    }
    if (one_in(hostile_)) {
      line.insert(number(0, line.size()),
                  pick({" ", "-", "*", ">", "@", "\r", "\t\t", " \r ", "E", "1", "\x80", " -"}));
    }
    if (one_in(hostile_)) {
      line.insert(number(0, line.size()), 1, '\0');
    }
    return line + end_of_line();
  }

  std::mt19937 random_;
  std::string line_end_;
  std::size_t hostile_ = 0;
};

std::string printable(const std::string& text) {
  std::string out;
  for (const char c : text) {
    out += c >= ' ' && c <= '~' ? std::string(1, c) : c == '\n' ? "\\n\n" : io::describe_character(c);
  }
  return out;
}

void check_file(const std::string& path, const std::string& text, const io::TextOptions& options) {
  const tests::FastaOracle oracle(text);
  INFO(options.block_bytes << " bytes, " << options.threads << " threads\n" << printable(text));
  std::string message;
  try {
    std::vector<std::string> warnings;
    const auto reference = io::read_reference(path, &warnings, options);
    REQUIRE(oracle.difference(reference) == "");
    REQUIRE((warnings.empty() ? "" : warnings.front()) == oracle.warning(path));
    REQUIRE(warnings.size() <= 1);
  } catch (const Error& error) {
    message = error.what();
    REQUIRE(message.starts_with(path));
    message.erase(0, path.size());
  }
  std::string expected = oracle.error.c_str();  // what() ends at a NUL
  if (io::InputFile(path).is_ordinary_gzip() && !expected.empty() &&
      expected != ": has no sequences; a reference must be FASTA") {
    expected += "; or the compressed file is damaged (test it with gzip -t)";
  }
  REQUIRE(message == expected);
}

}  // namespace

TEST_CASE("FASTA: blocks of any size give the same reference, warning and error") {
  test::TempDir dir;
  HostileFasta fasta(17);
  std::size_t with_error = 0;
  for (int n = 0; n < 3000; ++n) {
    const std::string text = fasta.text();
    with_error += !tests::FastaOracle(text).error.empty();
    const std::string path = n % 10 == 0   ? dir.write_compressed("r.gz", text, "wg")
                             : n % 10 == 1 ? dir.write_compressed("r.bgz", text, "w")
                                           : dir.write("r.fa", text);
    CAPTURE(n);
    check_file(path, text, {.threads = 1, .block_bytes = fasta.number(4, 64)});
    check_file(path, text, {.threads = 3, .block_bytes = fasta.number(4, 300)});
    check_file(path, text, {.threads = 2, .block_bytes = std::size_t{1} << 16});
    if (!text.starts_with('\xef')) {
      check_file(path, text, {.threads = 1, .block_bytes = fasta.number(1, 3)});
    }
  }
  REQUIRE(with_error > 500);
  REQUIRE(with_error < 2000);
}

TEST_CASE("chunks hold all letters once, and repeat what was asked for") {
  tests::RandomCases random(91);
  test::TempDir dir;
  for (int n = 0; n < 100; ++n) {
    std::string text;
    std::vector<std::string> contigs = random.contigs(0.02);
    for (std::size_t c = 0; c < contigs.size(); ++c) {
      text += ">c" + std::to_string(c) + " more\n";
      const std::size_t width = random.number(1, 80);
      for (std::size_t at = 0; at < contigs[c].size(); at += width) {
        text += contigs[c].substr(at, width) + (random.chance(0.1) ? "\r\n" : "\n");
      }
      if (random.chance(0.1)) {
        text += ">empty" + std::to_string(c) + "\n";
      }
    }
    const std::string path = dir.write("r.fa", text);
    const auto whole = io::read_reference(path);
    io::ChunkOptions options;
    options.bases = random.number(1, 700);
    options.overlap = random.number(0, 50);
    options.with_md5 = true;
    const io::TextOptions reading{.threads = random.chance(0.5) ? 3u : 1u,
                                  .block_bytes = random.number(1, random.chance(0.5) ? 50 : 3000)};
    io::FastaChunks chunks(path, options, reading);
    sequence::TextChunk chunk;
    std::vector<std::string> found(contigs.size());
    std::vector<bool> ended(contigs.size());
    CAPTURE(n, options.bases, options.overlap, reading.threads, reading.block_bytes);
    while (chunks.next(chunk)) {
      REQUIRE(chunk.slices.size() == chunk.reference.contigs().size());
      std::uint64_t fresh = 0;
      for (std::size_t p = 0; p < chunk.slices.size(); ++p) {
        const auto& slice = chunk.slices[p];
        const auto& contig = chunk.reference.contigs()[p];
        std::string letters(contig.length, '?');
        sequence::copy_letters(chunk.reference, contig.offset, contig.length, letters.data());
        std::string& so_far = found[slice.contig];
        REQUIRE(!ended[slice.contig]);
        REQUIRE(slice.fresh == so_far.size());
        REQUIRE(slice.begin == so_far.size() - std::min<std::size_t>(so_far.size(), options.overlap));
        REQUIRE(letters.substr(0, slice.fresh - slice.begin) == so_far.substr(slice.begin));
        so_far += letters.substr(slice.fresh - slice.begin);
        fresh += so_far.size() - slice.fresh;
        ended[slice.contig] = slice.is_last;
        REQUIRE(contig.name == "c" + std::to_string(slice.contig));
      }
      REQUIRE(fresh > 0);
      REQUIRE(fresh <= options.bases);
    }
    REQUIRE(found == contigs);
    REQUIRE(ended == std::vector<bool>(contigs.size(), true));
    REQUIRE(chunks.md5s() == io::contig_md5s(whole));
    for (std::size_t c = 0; c < contigs.size(); ++c) {
      REQUIRE(chunks.contigs()[c].length == contigs[c].size());
    }
  }
}

TEST_CASE("input_bytes follow the letters") {
  tests::RandomCases random(92);
  test::TempDir dir;
  constexpr std::uint64_t letters = 3'000'000;
  const std::string text = ">one\n" + random.bases(letters) + "\n";
  for (const std::string& path : {dir.write("r.fa", text), dir.write_compressed("r.fa.gz", text, "wg"),
                                  dir.write_compressed("r.fa.bgz", text, "w")}) {
    io::FastaChunks chunks(path, {.bases = 10'000});
    sequence::TextChunk chunk;
    std::uint64_t given = 0;
    const auto size = static_cast<double>(*io::file_size(path));
    while (chunks.next(chunk)) {
      given += chunk.reference.bases();
      const double share = static_cast<double>(chunk.input_bytes) / size;
      // For a compressed file it is an estimate.
      const double slack = path.ends_with("gz") ? 0.02 : 0.001;
      CHECK(std::abs(share - static_cast<double>(given) / letters) < slack);
    }
    CHECK(given == letters);
    CHECK(chunk.input_bytes == io::file_size(path));
  }
}
