#include "base/error.hpp"
#include "io/stats/multiqc.hpp"
#include "tests/catch.hpp"
#include "tests/unit/io_files.hpp"

using trawl::io::multiqc_files;

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
