#include <sys/stat.h>

#include "base/error.hpp"
#include "io/write/alignment_sink.hpp"
#include "io/write/scan_sink.hpp"
#include "tests/catch.hpp"
#include "tests/unit/io_files.hpp"

using trawl::io::output_format;
using trawl::io::OutputFormat;
using trawl::io::scan_format;
using trawl::io::ScanFormat;
using trawl::test::message_of;

TEST_CASE("the format is told by the extension, wherever the file lies") {
  CHECK(output_format("a.b/x.cram") == OutputFormat::cram);
  CHECK(output_format("x.bed.gz") == OutputFormat::bed_gz);
  CHECK(output_format("/dev/shm/x.bam") == OutputFormat::bam);
  CHECK(scan_format("x.bed") == ScanFormat::bed);
  CHECK(scan_format("/dev/shm/x.bed.gz") == ScanFormat::bed_gz);
  CHECK(scan_format("/dev/shm/x.tsv") == ScanFormat::tsv);
  CHECK(scan_format("/proc/self/cwd/x.sam") == ScanFormat::sam);
  CHECK(output_format("X.BAM") == OutputFormat::bam);
  CHECK(output_format("x.Bed.GZ") == OutputFormat::bed_gz);
  CHECK(output_format("x.BAM", OutputFormat::bam) == OutputFormat::bam);
  CHECK_THROWS_AS(output_format("x.SAM", OutputFormat::bam), trawl::UsageError);
  CHECK(scan_format("x.TSV") == ScanFormat::tsv);
  CHECK(scan_format("x.gff3.gz") == ScanFormat::gff_gz);
  CHECK(message_of([] { output_format("out.txt"); }) ==
        "the output out.txt has no known extension; use .sam, .bam, .cram, .bed or .bed.gz, or - for SAM on the "
        "standard output");
  CHECK(message_of([] { scan_format("/dev/shm/out"); }) ==
        "the output /dev/shm/out has no known extension; use .bed, .bed.gz, .tsv, .tsv.gz, .csv, .csv.gz, .gff3, "
        ".gff3.gz "
        "or .sam, or - for BED on the standard output");
  CHECK(message_of([] { output_format(""); }) ==
        "the output has no name; give a file, or - for SAM on the standard output");
}

TEST_CASE("streams and devices have a format without an extension") {
  trawl::test::TempDir dir;
  const std::string pipe = dir.path("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  for (const std::string& path : {std::string("-"), std::string("/dev/stdout"), std::string("/dev/fd/5"),
                                  std::string("/dev/null"), std::string("/dev/full"), pipe}) {
    CAPTURE(path);
    CHECK(output_format(path) == OutputFormat::sam);
    CHECK(scan_format(path) == ScanFormat::bed);
  }
  REQUIRE(::mkfifo(dir.path("pipe.bam").c_str(), 0600) == 0);
  CHECK(output_format(dir.path("pipe.bam")) == OutputFormat::bam);
}
