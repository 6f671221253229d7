#include "io/write/alignment_sink.hpp"

#include <sys/stat.h>

#include "base/error.hpp"
#include "io/read/reference_files.hpp"
#include "io/write/sam_header.hpp"
#include "io/write/scan_sink.hpp"
#include "tests/catch.hpp"
#include "tests/unit/io/alignments.hpp"
#include "tests/unit/io/files.hpp"

using trawl::align::Unmapped;
using trawl::io::output_format;
using trawl::io::OutputFormat;
using trawl::io::scan_format;
using trawl::io::ScanFormat;
using trawl::sequence::Reference;
using trawl::test::file_content;
using trawl::test::Input;
using trawl::test::message_of;
using trawl::test::op;
using trawl::test::options_for;
using trawl::test::read_back;
using trawl::test::TempDir;
using trawl::test::with_sorted_tags;
using trawl::test::write_all;

namespace {

//                              1234567890123456789012345678
constexpr char kFasta[] = ">c1\nACGTACGTTTGACANNGTACGTRYACGA\n>c2 x\nGGGGCCCCAATT\n";

Reference reference_of(const TempDir& dir) { return trawl::io::read_reference(dir.write("r.fa", kFasta)); }

Input sample_input() {
  Input in;
  in.read("r1", "ACGTACGT", "ABCDEFGH", 1, 1, 300);
  in.align(0, 0, false, {op(8, BAM_CMATCH)}, "8", 0, 37);
  in.align(0, 17, true, {op(3, BAM_CMATCH), op(1, BAM_CDEL), op(5, BAM_CMATCH)}, "3^A0T4", 2, 0);
  in.read("r2", "AAGRT", "!!~~#");  // no locus
  // No qualities, reverse strand; the next stratum was not searched.
  in.read("r3", "GGCCYCC", "", 2, std::nullopt);
  in.align(1, 0, true, {op(2, BAM_CEQUAL), op(1, BAM_CDIFF), op(2, BAM_CEQUAL), op(1, BAM_CINS), op(1, BAM_CEQUAL)},
           "2G3", 2, 3);
  in.read("empty", "", "");
  in.alignments.reads.back().unmapped = Unmapped::too_short;
  in.read("r4", "GACANNGTAC", "IIIIIIIIII", 1);  // over ambiguous letters of the reference
  in.align(0, 10, false, {op(10, BAM_CMATCH)}, "4N0N4", 0, 60, 2);
  return in;
}

const std::string kHeader =
    "@HD\tVN:1.6\tSO:unsorted\tGO:query\n"
    "@SQ\tSN:c1\tLN:28\tM5:df78b1d9516e3fc620195ac8f77e299e\n"
    "@SQ\tSN:c2\tLN:12\tM5:2dd172b837077d6fe6834d217ea081ff\n";
const std::string kProgram = "@PG\tID:trawl\tPN:trawl\tVN:9.8\tCL:trawl map 'a b' c\n";
const std::string kRecords[] = {
    "r1\t0\tc1\t1\t37\t8M\t*\t0\t0\tACGTACGT\tABCDEFGH\tNM:i:0\tMD:Z:8\tAS:i:0\tNH:i:2\tHI:i:1\tX0:i:1\tX1:i:1\tZD:i:"
    "300",
    "r1\t272\tc1\t18\t0\t3M1D5M\t*\t0\t0\t*\t*\tNM:i:2\tMD:Z:3^A0T4\tAS:i:-2\tNH:i:2\tHI:i:2\tX0:i:1\tX1:i:1\tZD:i:300",
    "r2\t4\t*\t0\t0\t*\t*\t0\t0\tAAGRT\t!!~~#",
    "r3\t16\tc2\t1\t3\t2=1X2=1I1=\t*\t0\t0\tGGRGGCC\t*\tNM:i:2\tMD:Z:2G3\tAS:i:-2\tNH:i:1\tHI:i:1\tX0:i:2",
    "empty\t4\t*\t0\t0\t*\t*\t0\t0\t*\t*",
    "r4\t0\tc1\t11\t60\t10M\t*\t0\t0\tGACANNGTAC\tIIIIIIIIII\tNM:i:2\tMD:Z:4N0N4\tAS:i:0\tNH:i:1\tHI:i:1\tX0:i:1\tX1:"
    "i:0"};

std::string expected_records(const std::string& tag = "", bool unmapped = true) {
  std::string text;
  for (const auto& record : kRecords) {
    if (unmapped || record.find("\t4\t*") == std::string::npos) {
      text += record + tag + "\n";
    }
  }
  return text;
}

}  // namespace

TEST_CASE("SAM: header and records") {
  TempDir dir;
  const Reference reference = reference_of(dir);
  const std::string path = dir.path("out.sam");
  write_all(options_for(path), reference, sample_input());
  CHECK(file_content(path) == kHeader + kProgram + expected_records());
  CHECK(read_back(path, dir.path("r.fa")) == kHeader + kProgram + expected_records());
}

TEST_CASE("BAM and CRAM hold what SAM holds") {
  TempDir dir;
  const Reference reference = reference_of(dir);
  for (const char* name : {"out.bam", "out.cram"}) {
    INFO(name);
    write_all(options_for(dir.path(name)), reference, sample_input());
    std::string expected = kHeader + kProgram + expected_records();
    if (std::string(name) == "out.cram") {
      // CRAM does not have = and X; htslib returns M.
      expected.replace(expected.find("2=1X2=1I1="), 10, "5M1I1M");
    }
    CHECK(with_sorted_tags(read_back(dir.path(name), dir.path("r.fa"))) == with_sorted_tags(expected));
  }
  // The temporary reference for CRAM is deleted. Left are r.fa, its index made by the reader above, and the two
  // outputs.
  CHECK(dir.entries() == 4);
}

TEST_CASE("the read group is in the header and in each record") {
  TempDir dir;
  const Reference reference = reference_of(dir);
  auto options = options_for(dir.path("out.sam"));
  trawl::io::add_header_lines(R"(@RG\tID:x\tSM:y z)", options.header_lines);
  trawl::io::add_header_lines(dir.write("h.txt", "@CO\tcaf\xc3\xa9\n\n@RG\tID:other\n@PG\tID:cut\n"), options.header_lines);
  options.keep_unmapped = false;
  write_all(options, reference, sample_input());
  std::string program = kProgram;
  program.insert(program.find("PN:trawl") + 8, "\tPP:cut");
  CHECK(file_content(options.path) == kHeader +
        "@RG\tID:x\tSM:y z\n@CO\tcaf\xc3\xa9\n@RG\tID:other\n@PG\tID:cut\n" + program + expected_records("\tRG:Z:x", false));
}

TEST_CASE("read groups that cannot be used") {
  const auto error = [](const std::string& text) {
    const std::string message = message_of([&] {
      std::vector<std::string> lines;
      trawl::io::add_header_lines(text, lines);
    });
    const std::string advice = R"(; write it as '@RG\tID:name\tSM:sample')";
    REQUIRE(message.ends_with(advice));
    return message.substr(0, message.size() - advice.size());
  };
  std::vector<std::string> none;
  CHECK(message_of([&] { trawl::io::add_header_lines("nofile.txt", none); }).starts_with("-R nofile.txt: no file has this name"));
  CHECK(error("@RG ID:x") == "the read group (-R) must begin with @RG and a tab, or @CO, @PG and so on");
  CHECK(error("@RG\tSM:x") == "the read group (-R) has no ID");
  CHECK(error("@RG\tID:") == "the read group (-R) has the field 'ID:', which is not TAG:VALUE");
  CHECK(error(R"(@RG\tID:x\tsample)") == "the read group (-R) has the field 'sample', which is not TAG:VALUE");
  CHECK(error(R"(@RG\tID:x\t)") == "the read group (-R) has the field '', which is not TAG:VALUE");
  CHECK(error("@RG\tID:x\tID:y") == "the read group (-R) has the tag ID twice");
  CHECK(error("@RG\tID:x\rSM:y") == "the read group (-R) contains characters that are not printable ASCII");
  CHECK(error("@RG\tID:x\n@RG\tID:x") == "the read group (-R) has the ID x, which another line has; IDs must differ");
  CHECK(trawl::io::read_group_of({}).empty());
  CHECK(trawl::io::read_group_of({"@CO\tx", "@RG\tSM:y\tID:x", "@RG\tID:z"}) == "x");
}

TEST_CASE("BED, plain and compressed") {
  TempDir dir;
  const Reference reference = reference_of(dir);
  const std::string bed =
      "c1\t0\t8\tr1\t37\t+\t0\t8M\n"
      "c1\t17\t26\tr1\t0\t-\t2\t3M1D5M\n"
      "c2\t0\t6\tr3\t3\t-\t2\t2=1X2=1I1=\n"
      "c1\t10\t20\tr4\t60\t+\t0\t10M\n";
  write_all(options_for(dir.path("out.bed")), reference, sample_input());
  CHECK(file_content(dir.path("out.bed")) == bed);
  write_all(options_for(dir.path("out.bed.gz")), reference, sample_input());
  BGZF* file = bgzf_open(dir.path("out.bed.gz").c_str(), "r");
  std::string text(1000, '\0');
  text.resize(static_cast<std::size_t>(bgzf_read(file, text.data(), text.size())));
  CHECK(bgzf_check_EOF(file) == 1);
  bgzf_close(file);
  CHECK(text == bed);
}

TEST_CASE("a contig longer than SAM allows is an error that names it") {
  std::vector<trawl::sequence::Contig> contigs = {{"long", 0, 2147483647}};
  CHECK(trawl::io::sam_header({}, contigs, {}, trawl::io::RecordOrder::by_read).find("LN:2147483647") !=
        std::string::npos);
  contigs[0].length = 2147483648;
  CHECK(message_of([&] { trawl::io::sam_header({}, contigs, {}, trawl::io::RecordOrder::by_read); }) ==
        "the sequence long has 2147483648 bases; SAM, BAM and CRAM allow 2147483647, so split it or write BED");
}

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
