// Reads in chunks, for a search of patterns in them; and which files have reads.
#include "io/read/read_chunks.hpp"

#include <zlib.h>

#include "base/error.hpp"
#include "io/read/gzip/input_file.hpp"
#include "sequence/contig_names.hpp"
#include "sequence/packed_letters.hpp"
#include "tests/catch.hpp"
#include "tests/random_cases.hpp"
#include "tests/unit/io/files.hpp"

using namespace trawl;

namespace {

struct Read {
  std::string name;
  std::string comment;
  std::string bases;
};

std::vector<Read> random_reads(tests::RandomCases& random) {
  std::vector<Read> reads;
  for (std::size_t r = random.number(1, 200); r > 0; --r) {
    Read& read = reads.emplace_back();
    read.name = "r" + std::to_string(random.number(0, 50));
    read.comment = random.chance(0.3) ? " 1:N:0:ACGT x" : random.chance(0.1) ? "\tBC:Z:A" : "";
    read.bases = random.chance(0.1) ? "" : random.contig(random.number(1, random.chance(0.1) ? 900 : 160), 0.02);
  }
  return reads;
}

std::string text_of(const std::vector<Read>& reads, bool is_fastq, tests::RandomCases& random) {
  std::string text;
  for (const Read& read : reads) {
    const std::string end = random.chance(0.05) ? "\r\n" : "\n";
    std::string bases = read.bases;
    for (char& c : bases) {
      c = random.chance(0.05) ? static_cast<char>(c | 0x20) : c;
    }
    text += (is_fastq ? '@' : '>') + read.name + read.comment + end + bases + end;
    text += is_fastq ? "+" + end + std::string(bases.size(), 'I') + end : "";
  }
  return text;
}

// What is searched of a read, by position: the letter, or '-'.
std::string searched_part(const std::string& bases, const io::ReadEnds& within) {
  std::string part = bases;
  for (std::size_t i = 0; i < bases.size(); ++i) {
    const bool is_in = i < within.first || i + within.last >= bases.size();
    part[i] = is_in || within.first + within.last == 0 ? bases[i] : '-';
  }
  return part;
}

std::string letters_of(const sequence::Reference& reference, const sequence::Contig& contig) {
  std::string letters;
  for (std::uint64_t i = 0; i < contig.length; ++i) {
    letters += reference.letter(contig.offset + i);
  }
  return letters;
}

}  // namespace

TEST_CASE("chunks of reads have the letters that are searched, and all reads") {
  tests::RandomCases random(411);
  test::TempDir dir;
  for (int n = 0; n < 200; ++n) {
    std::vector<Read> reads = random_reads(random);
    const bool is_fastq = random.chance(0.7);
    // Of pairs, the first mates are searched.
    const bool paired = random.chance(0.3);
    const std::size_t mates = paired ? 2 : 1;
    for (std::size_t r = 1; paired && r < reads.size(); r += 2) {
      reads[r].name = reads[r - 1].name;
      reads[r].comment = "";  // not that of a first mate
    }
    reads.resize(reads.size() / mates * mates);
    const std::string text = text_of(reads, is_fastq, random);
    const std::string path = random.chance(0.5) ? dir.write("reads", text) : dir.write_compressed("reads", text, "w");
    io::ReadChunkOptions options;
    options.bases = random.number(1, random.chance(0.5) ? 300 : 20'000);
    options.gap = random.chance(0.5) ? sequence::kContigGap : random.number(1, 70);
    options.within = {random.chance(0.5) ? random.number(0, 200) : 0, random.chance(0.5) ? random.number(0, 200) : 0};
    const unsigned threads = random.chance(0.5) ? 3 : 1;
    CAPTURE(n, is_fastq, options.bases, options.gap, options.within.first, options.within.last, threads);
    const io::ReadInput::Files files{
        .reads = {path}, .interleaved = paired, .comments = io::CommentRule{.tags = "", .whole = true}};
    io::ReadChunks chunks(std::make_unique<io::ReadInput>(files, threads, random.number(1, 3000)), options);
    std::size_t count = 0;
    sequence::TextChunk chunk;
    while (chunks.next(chunk)) {
      const sequence::ReadBatch& batch = *chunk.reads;
      REQUIRE(batch.first_read == count);
      REQUIRE(chunk.slices.size() == chunk.reference.contigs().size());
      std::uint64_t end = 0;
      std::size_t s = 0;
      std::uint64_t bases = 0;
      for (std::size_t r = 0; r < batch.size(); ++r) {
        const Read& read = reads.at(count + r);
        REQUIRE(batch.name(r) == read.name);
        REQUIRE(batch.bases(r) == read.bases);
        REQUIRE(batch.comment(r) == read.comment);
        REQUIRE((batch.paired == paired && batch.is_fastq == is_fastq));
        std::string found(read.bases.size(), '-');
        for (bool was_last = false; s < chunk.slices.size() && chunk.slices[s].contig == count + r; ++s) {
          const auto& slice = chunk.slices[s];
          const auto& contig = chunk.reference.contigs()[s];
          REQUIRE(!std::exchange(was_last, slice.is_last));
          REQUIRE(slice.fresh == slice.begin);
          REQUIRE(contig.name == read.name);
          REQUIRE(contig.offset >= end + (s == 0 ? sequence::kContigGap : options.gap));
          end = contig.offset + contig.length;
          REQUIRE((s + 1 < chunk.slices.size() && chunk.slices[s + 1].contig == slice.contig) == !slice.is_last);
          found.replace(slice.begin, contig.length, letters_of(chunk.reference, contig));
        }
        REQUIRE(found == (r % mates == 0 ? searched_part(read.bases, options.within) : std::string(found.size(), '-')));
        bases += read.bases.size();
        REQUIRE((r + mates >= batch.size() || bases < options.bases));
      }
      REQUIRE(s == chunk.slices.size());
      REQUIRE(chunk.reference.size() >= end + sequence::kContigGap);
      count += batch.size();
    }
    REQUIRE(count == reads.size());
  }
}

TEST_CASE("the runs of ambiguous letters of many texts") {
  const sequence::NamedText texts[] = {{"a", "NNAC"}, {"b", "rG"}, {"c", "ACGTN"}};
  for (const std::uint64_t gap : {std::uint64_t{1}, sequence::kContigGap}) {
    const auto reference = sequence::pack_texts(texts, gap);
    const auto& contigs = reference.contigs();
    const auto& runs = reference.ambiguous_runs();
    REQUIRE(runs.size() == 3);
    CHECK((runs[0].begin == contigs[0].offset && runs[0].length == 2 && runs[0].letter == 'N'));
    CHECK((runs[1].begin == contigs[1].offset && runs[1].length == 1 && runs[1].letter == 'R'));
    CHECK(runs[2].begin == contigs[2].offset + 4);
    CHECK(reference.letter(contigs[1].offset - 1) == '\0');
  }
}

TEST_CASE("the first wrong read is told, by any thread") {
  test::TempDir dir;
  std::string text;
  for (int r = 0; r < 5000; ++r) {
    text += "@r" + std::to_string(r) + "\nACG" + (r == 2100 || r == 4900 ? "!" : "T") + "\n+\nIIII\n";
  }
  const std::string path = dir.write("reads.fq", text);
  for (const unsigned threads : {1u, 4u}) {
    io::ReadChunks chunks(std::make_unique<io::ReadInput>(io::ReadInput::Files{.reads = {path}}, threads), {});
    sequence::TextChunk chunk;
    try {
      chunks.next(chunk);
      FAIL("no error");
    } catch (const InputError& error) {
      CHECK(std::string(error.what()).find(":8402: the sequence contains") != std::string::npos);
    }
  }
}

TEST_CASE("the first letter of a file") {
  test::TempDir dir;
  const auto of_file = [](const std::string& path) {
    io::InputFile file(path);
    const char letter = io::first_letter(file);
    std::string text(3, '\0');
    text.resize(file.read(text.data(), text.size()));
    CHECK(text == test::file_content(path).substr(0, 3));  // nothing is lost
    return letter;
  };
  CHECK(of_file(dir.write("1", "@r\nA\n+\nI\n")) == '@');
  CHECK(of_file(dir.write("2", "\xef\xbb\xbf\r\n\n >chr\nACGT\n")) == '>');
  CHECK(of_file(dir.write("3", "")) == '\0');
  CHECK(of_file(dir.write("4", std::string(100'000, '\n') + "@r\n")) == '@');
  const std::string blank(200'000, '\n');
  CHECK(of_file(dir.write_compressed("5", blank + "@r\nA\n+\nI\n", "wg")) == '@');
  CHECK(of_file(dir.write_compressed("6", blank + "@r\nA\n+\nI\n", "w")) == '@');
  CHECK(of_file(dir.write("7", "\x1f\x8b not gzip data")) == '\0');
  const std::string cut = test::file_content(dir.path("5")).substr(0, 9);
  CHECK(of_file(dir.write("8", cut)) == '\0');
  {
    const test::StandardInput input("@r\nACGT\n+\nIIII\n");
    io::InputFile file("-");
    CHECK(io::first_letter(file) == '@');
    std::string text(100, '\0');
    text.resize(file.read(text.data(), text.size()));
    CHECK(text == "@r\nACGT\n+\nIIII\n");
  }
}

TEST_CASE("names of contigs, of which early ones are forgotten") {
  sequence::ContigNames names{"a", "b"};
  names.set(1, "other");
  names.set(3, "d");
  CHECK(names[1] == "b");
  CHECK(names.size() == 4);
  sequence::ContigNames reads;
  reads.forget(2);
  reads.set(2, "c");
  reads.set(4, "e");
  names.add(reads);
  CHECK(names[3] == "d");
  CHECK(names[4] == "e");
  reads.forget(7);
  CHECK(reads.size() == 7);
  reads.set(7, "h");
  CHECK(reads[7] == "h");
}
