#include "io/stats/map_stats.hpp"

#include "base/error.hpp"
#include "base/packer.hpp"
#include "io/format/json.hpp"
#include "io/stats/multiqc.hpp"
#include "io/stats/progress.hpp"
#include "tests/catch.hpp"
#include "tests/unit/io/files.hpp"

using trawl::io::json_string;
using trawl::io::multiqc_files;
using trawl::io::RunStats;

TEST_CASE("JSON strings are escaped") {
  CHECK(json_string("plain") == R"("plain")");
  CHECK(json_string("a\"b\\c\td\n") == R"("a\"b\\c\u0009d\u000a")");
  CHECK(json_string("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\x9f") == "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\x9f\"");
  CHECK(json_string("a\xff\xc3(\xed\xa0\x80") == R"("a\ufffd\ufffd(\ufffd\ufffd\ufffd")");
  CHECK(json_string("\xc3") == R"("\ufffd")");
}

TEST_CASE("RunStats counts reads and alignments") {
  trawl::sequence::ReadBatch batch;
  trawl::align::AlignmentBatch results;
  results.alignments.resize(3);
  results.alignments[1].distance = 2;
  results.alignments[2].distance = 2;
  results.alignments[0].mapq = 3;
  results.reads.resize(4);
  results.reads[0].best_count = 7;
  results.reads[0].count = 3;
  results.reads[0].dropped = 4;
  results.reads[2].unmapped = trawl::align::Unmapped::too_short;
  results.reads[3].unmapped = trawl::align::Unmapped::many_loci;
  batch.add("a", "ACGT", "");
  batch.add("b", "ACG", "");
  batch.add("c", "", "");
  batch.add("d", "", "");

  RunStats stats;
  stats.version = "1";
  stats.command_line = "trawl map \"x\"";
  stats.engine = "cpu";
  stats.add(batch, results);
  trawl::io::RunCounts counts;
  counts.add(batch, results);
  stats += counts;
  stats.seconds["read"] = 0.25;
  stats.wall_seconds = 2;
  CHECK(stats.reads == 8);
  CHECK(stats.read_bases == 14);
  CHECK(stats.mapped == 2);
  CHECK(stats.unmapped_no_locus == 2);
  CHECK(stats.unmapped_too_short == 2);
  CHECK(stats.unmapped_many_loci == 2);
  CHECK(stats.alignments == 6);
  CHECK(stats.dropped == 8);
  CHECK(stats.reads_with_dropped == 2);
  CHECK(stats.primary_by_distance == std::vector<std::uint64_t>{2});
  CHECK(stats.all_by_distance == std::vector<std::uint64_t>{2, 0, 4});

  const std::string json = trawl::io::stats_json(stats);
  CHECK(json.find("\"command_line\": \"trawl map \\\"x\\\"\"") != std::string::npos);
  CHECK(json.find("\"all_by_distance\": [2, 0, 4]") != std::string::npos);
  CHECK(json.find("\"primary_by_mapq\": [0, 0, 0, 2]") != std::string::npos);
  CHECK(json.find("\"6-10\": 2") != std::string::npos);
  CHECK(json.find("\"0\": 6,") != std::string::npos);
  CHECK(json.find("\"read\": 0.25") != std::string::npos);
  CHECK(json.find("\"reads_per_second\": 4,") != std::string::npos);

  trawl::test::TempDir dir;
  trawl::io::write_stats_text(json, dir.path("s.json"));
  CHECK(trawl::test::file_content(dir.path("s.json")).starts_with("{\n  \"version\": \"1\",\n"));
  CHECK(dir.entries() == 1);
}

TEST_CASE("names of collapsed reads say how many there were") {
  for (const auto& [name, reads] : std::initializer_list<std::pair<const char*, std::uint64_t>>{
           {"seq_7_x123", 123},
           {"7-123", 123},
           {"mmu_0_x4294967295", 4294967295},
           {"seq_7_x123b", 1},
           {"seqx9", 1},
           {"_x9", 9},
           {"x9", 1},
           {"-9", 1},
           {"9", 1},
           {"", 1},
           {"a7-123", 1},
           {"2026-11-28", 1},
           {"7-", 1},
           {"r_x0", 1},
           {"r_x4294967296", 1}}) {
    INFO(name);
    CHECK(trawl::io::reads_of(name) == reads);
  }
}

TEST_CASE("RunStats counts pairs, and the records of their mates") {
  using trawl::align::PairKind;
  trawl::sequence::ReadBatch batch;
  trawl::align::AlignmentBatch results;
  results.alignments.resize(5);
  for (std::uint16_t a = 0; a < 5; ++a) {
    results.alignments[a].distance = a;
  }
  results.reads.resize(8);
  results.pairs.resize(4);
  for (int r = 0; r < 8; ++r) {
    batch.add("x", "ACGT", "");
  }
  // Two concordant pairs with one first mate, and an alignment of the second mate alone.
  results.concordant_pairs = {{{0, 1}}, {{0, 2}}};
  results.pairs[0] = {.first = 0, .count = 2, .dropped = 3, .insert = 305, .kind = PairKind::concordant};
  results.reads[1].first = 3;
  results.reads[1].count = 1;
  // One mate alone. Then two mates that are not reported, and two that have no locus.
  results.reads[3].first = 4;
  results.reads[3].count = 1;
  results.pairs[1].kind = PairKind::one_end;
  results.pairs[2].kind = PairKind::discordant;
  results.reads[4].best_count = results.reads[5].best_count = 1;

  RunStats stats;
  stats.insert.source = "given";
  stats.insert.model = {.min = 300, .max = 310};
  stats.pairs.inserts = trawl::io::Histogram(300, 310);
  trawl::io::RunCounts counts;
  counts.pairs = stats.pairs;
  counts.add(batch, results);
  stats += counts;
  CHECK(stats.reads == 8);
  CHECK(stats.mapped == 3);
  CHECK(stats.unmapped_no_locus == 3);
  CHECK(stats.pairs.discordant_mates == 2);
  CHECK(stats_json(stats).find("\"unmapped_discordant\": 2") != std::string::npos);
  CHECK(stats.alignments == 6);
  CHECK(stats.dropped == 6);
  CHECK(stats.reads_with_dropped == 2);
  CHECK(stats.primary_by_distance == std::vector<std::uint64_t>{1, 1, 0, 0, 1});
  CHECK(stats.all_by_distance == std::vector<std::uint64_t>{2, 1, 1, 1, 1});
  CHECK(stats.pairs.total == 4);
  CHECK(stats.pairs.concordant == 1);
  CHECK(stats.pairs.discordant == 1);
  CHECK(stats.pairs.one_end == 1);
  CHECK(stats.pairs.unmapped == 1);

  const std::string json = trawl::io::stats_json(stats);
  CHECK(json.find("\"source\": \"given\"") != std::string::npos);
  CHECK(json.find("\"counts\": [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0]") != std::string::npos);
  CHECK(trawl::io::stats_json(RunStats()).find("\"pairs\"") == std::string::npos);
}

TEST_CASE("each read is in one class of best loci, and each discordant pair has one reason") {
  using trawl::align::FoundBy;
  using trawl::align::PairKind;
  trawl::sequence::ReadBatch batch;
  trawl::align::AlignmentBatch results;
  // Mates at 100 and `start` of `contig`.
  const auto add_pair = [&](std::uint32_t contig, std::uint64_t start, bool reverse) {
    for (const bool second : {false, true}) {
      batch.add("x", "ACGT", "");
      results.reads.push_back({.first = results.alignments.size(), .count = 1, .best_count = 1});
      results.alignments.push_back(
          {.start = second ? start : 100, .contig = second ? contig : 0, .span = 50, .reverse = second && reverse});
    }
    results.pairs.push_back({.kind = PairKind::discordant});
  };
  add_pair(1, 300, true);
  add_pair(0, 300, false);
  add_pair(0, 20, true);  // the reverse one on the left
  add_pair(0, 9000, true);
  results.reads[1].found_by = FoundBy::mate;
  results.reads[2].found_by = FoundBy::anchors;
  results.cigar = {10 << 4, 7 << 4 | 1, 10 << 4, 30 << 4 | 2, 5 << 4};
  results.alignments[0].cigar_length = 5;

  trawl::io::RunCounts counts;
  counts.add(batch, results);
  std::uint64_t sum = 0;
  for (const auto& bin : counts.bins_of_best_loci()) {
    sum += bin.count;
    CHECK((bin.name != "unknown" || bin.count == 2));
  }
  CHECK(sum == counts.reads);
  CHECK(counts.pairs.on_two_contigs == 1);
  CHECK(counts.pairs.turned == 2);
  CHECK(counts.pairs.other_sizes == 1);
  CHECK(counts.primary_by_longest_gap.bins()[0].count == 7);
  CHECK(counts.primary_by_longest_gap.bins()[8].count == 1);  // 21-50

  trawl::Packer packed;
  packed.add(counts);
  trawl::Unpacker from(packed.bytes());
  trawl::io::RunCounts other;
  from.get(other);
  CHECK(other.reads_of_unknown_loci == 2);
  CHECK(other.pairs.turned == 2);
  CHECK(other.primary_by_longest_gap.bins()[8].count == 1);
}

TEST_CASE("histograms") {
  using trawl::io::Histogram;
  Histogram sizes(10, 73);  // 64 sizes: one per bin
  sizes.add(9);
  sizes.add(10);
  sizes.add(73);
  sizes.add(74);
  Histogram sum(10, 73);
  sum += sizes;
  sum += sizes;
  CHECK(sum.json(0).starts_with("{\n  \"first\": 10,\n  \"bin\": 1,\n  \"counts\": [2, 0, "));
  CHECK(sum.json(0).ends_with("0, 2],\n  \"smaller\": 2,\n  \"larger\": 2\n}"));
  CHECK(sum.bins().size() == 64);
  CHECK(sum.bins()[63].size == 73);
  CHECK(sum.bins()[63].count == 2);
  CHECK(Histogram(187, 520).bins()[0].size == 184.5);
  CHECK(Histogram(187, 520).bins().back().size == 524.5);
  const auto bin_of = [](std::uint64_t max) {
    const std::string json = Histogram(1, max).json(0);
    const std::size_t at = json.find("\"bin\": ") + 7;
    return std::stoull(json.substr(at));
  };
  CHECK(bin_of(64) == 1);
  CHECK(bin_of(65) == 2);
  CHECK(bin_of(129) == 5);
  CHECK(bin_of(321) == 10);
  CHECK(bin_of(641) == 20);
  CHECK(bin_of(100'000'000) == 2'000'000);
}

TEST_CASE("large numbers share a bin") {
  trawl::io::CountBins loci;
  for (const std::uint64_t number : {0, 1, 1, 5, 6, 10, 11, 1000, 1001}) {
    loci.add(number);
  }
  loci.add(~std::uint64_t{0});
  trawl::io::CountBins sum;
  trawl::io::add_members(sum, loci);
  trawl::io::add_members(sum, loci);
  std::string text;
  for (const auto& bin : sum.bins()) {
    text += bin.name + ":" + std::to_string(bin.count) + " ";
  }
  CHECK(text == "0:2 1:4 2:0 3:0 4:0 5:2 6-10:4 11-20:2 21-50:0 51-100:0 101-1000:2 1001+:4 ");
  CHECK(loci.json(0).starts_with("{\n  \"0\": 1,\n  \"1\": 2,\n"));
}

TEST_CASE("the progress line") {
  using trawl::io::progress_line;
  CHECK(progress_line(1'234'567, 4, 250, 1000) == "1.23 M reads, 309 k reads/s, 25%, 12 s left");
  CHECK(progress_line(10, 100, 1, 4000) == "10 reads, 0.10 reads/s, 0%, 111 h 5 min left");
  CHECK(progress_line(10, 100, 10, std::nullopt) == "10 reads, 0.10 reads/s");
  CHECK(progress_line(0, 0, 0, 0) == "0 reads");
}

TEST_CASE("the names of the files for MultiQC") {
  CHECK(multiqc_files("qc.d/liver_mqc.json")[0] == "qc.d/liver_mqc.json");
  CHECK(multiqc_files("qc.d/liver_mqc.json")[1] == "qc.d/liver_distance_mqc.json");
  for (const char* wrong : {"liver.json", "qc/_mqc.json", "_mqc.json", "liver_mqc.json.gz", "-"}) {
    CHECK_THROWS_AS(multiqc_files(wrong), trawl::UsageError);
  }
}

TEST_CASE("single reads have the same columns as pairs, but no cells in those of pairs") {
  trawl::test::TempDir dir;
  trawl::io::RunStats stats;
  stats.reads = 8;
  stats.mapped = 4;
  stats.alignments = 6;
  stats.primary_by_distance = {3, 0, 1};
  stats.primary_by_mapq = {1, 3};
  write_multiqc(stats, dir.path("a_mqc.json"));
  CHECK(dir.entries() == 4);
  const std::string single = trawl::test::file_content(dir.path("a_mqc.json"));
  CHECK(single.find("\"title\": \"Concordant\"") != std::string::npos);
  CHECK(single.find("\"map_concordant\": 0") == std::string::npos);
  CHECK(single.find("\"map_mapped\": 50,") != std::string::npos);
  CHECK(single.find("\"map_edits\": 0.5,") != std::string::npos);
  CHECK(single.find("\"map_records\": 1.5\n") != std::string::npos);
  CHECK(trawl::test::file_content(dir.path("a_distance_mqc.json")).find("\"a\": [[0, 75], [1, 0], [2, 25]]") !=
        std::string::npos);
  CHECK(trawl::test::file_content(dir.path("a_mapq_mqc.json")).find("\"a\": [[0, 25], [1, 75]]") != std::string::npos);

  stats.pairs.total = 4;
  stats.pairs.concordant = 1;
  stats.pairs.inserts = trawl::io::Histogram(300, 301);
  stats.pairs.inserts.add(301);
  write_multiqc(stats, dir.path("b_mqc.json"));
  CHECK(dir.entries() == 4 + 6);
  CHECK(trawl::test::file_content(dir.path("b_mqc.json")).find("\"map_concordant\": 25,") != std::string::npos);
  CHECK(trawl::test::file_content(dir.path("b_insert_mqc.json")).find("\"b\": [[300, 0], [301, 100]]") !=
        std::string::npos);
}

TEST_CASE("a run without reads or records divides by nothing") {
  trawl::test::TempDir dir;
  write_multiqc(trawl::io::RunStats(), dir.path("none_mqc.json"));
  write_multiqc(trawl::io::ScanStats(), dir.path("scan_mqc.json"));
  CHECK(trawl::test::file_content(dir.path("none_mqc.json")).find("null") == std::string::npos);
  CHECK(trawl::test::file_content(dir.path("scan_distance_mqc.json")).find("\"scan\": [[0, 0]]") != std::string::npos);
}
