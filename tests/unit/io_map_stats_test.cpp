#include "io/stats/json.hpp"
#include "io/stats/map_stats.hpp"
#include "io/stats/progress.hpp"
#include "tests/catch.hpp"
#include "tests/unit/io_files.hpp"

using trawl::io::json_string;
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
  results.reads.resize(3);
  results.reads[0].count = 3;
  results.reads[0].dropped = 4;
  results.reads[2].unmapped = trawl::align::Unmapped::too_short;
  batch.add("a", "ACGT", "");
  batch.add("b", "ACG", "");
  batch.add("c", "", "");

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
  CHECK(stats.reads == 6);
  CHECK(stats.read_bases == 14);
  CHECK(stats.mapped == 2);
  CHECK(stats.unmapped_no_locus == 2);
  CHECK(stats.unmapped_too_short == 2);
  CHECK(stats.alignments == 6);
  CHECK(stats.dropped == 8);
  CHECK(stats.reads_with_dropped == 2);
  CHECK(stats.primary_by_distance == std::vector<std::uint64_t>{2});
  CHECK(stats.all_by_distance == std::vector<std::uint64_t>{2, 0, 4});

  const std::string json = trawl::io::stats_json(stats);
  CHECK(json.find("\"command_line\": \"trawl map \\\"x\\\"\"") != std::string::npos);
  CHECK(json.find("\"all_by_distance\": [2, 0, 4]") != std::string::npos);
  CHECK(json.find("\"read\": 0.25") != std::string::npos);
  CHECK(json.find("\"reads_per_second\": 3,") != std::string::npos);

  trawl::test::TempDir dir;
  trawl::io::write_stats_text(json, dir.path("s.json"));
  CHECK(trawl::test::file_content(dir.path("s.json")).starts_with("{\n  \"version\": \"1\",\n"));
  CHECK(dir.entries() == 1);
}

TEST_CASE("the progress line") {
  using trawl::io::progress_line;
  CHECK(progress_line(1'234'567, 4, 250, 1000) == "1.23 M reads, 309 k reads/s, 25%, 12 s left");
  CHECK(progress_line(10, 100, 1, 4000) == "10 reads, 0.10 reads/s, 0%, 111 h 5 min left");
  CHECK(progress_line(10, 100, 10, std::nullopt) == "10 reads, 0.10 reads/s");
  CHECK(progress_line(0, 0, 0, 0) == "0 reads");
}
