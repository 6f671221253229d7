#include <cmath>

#include "io/read/fasta_chunks.hpp"
#include "io/read/fasta_reader.hpp"
#include "io/read/gzip/input_file.hpp"
#include "tests/catch.hpp"
#include "tests/random_cases.hpp"
#include "tests/unit/io_files.hpp"

using namespace trawl;

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
    const io::TextBlocks::Options reading{.threads = random.chance(0.5) ? 3u : 1u,
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
        io::copy_letters(chunk.reference, contig.offset, contig.length, letters.data());
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
