// DIVET (discordant pairs) and OEA (one-end-anchored pairs).
#include "io/read/fasta_reader.hpp"
#include "io/write/divet_sink.hpp"
#include "io/write/oea_sink.hpp"
#include "tests/catch.hpp"
#include "tests/unit/io_alignments.hpp"
#include "tests/unit/io_files.hpp"

using trawl::align::Extent;
using trawl::align::InsertModel;
using trawl::align::Orientation;
using trawl::align::PairKind;
using trawl::io::divet_event;
using trawl::io::DivetEvent;
using trawl::io::SinkOptions;
using trawl::run::make_sink;
using trawl::sequence::Reference;
using trawl::test::file_content;
using trawl::test::Input;
using trawl::test::op;
using trawl::test::options_for;
using trawl::test::TempDir;

namespace {

constexpr InsertModel kInserts{200, 400, {300, 30}, {}};

Reference reference_in(const TempDir& dir) {
  return trawl::io::read_reference(dir.write("r.fa", ">c1\n" + std::string(20000, 'A') + "\n>c2\nACGTACGTACGTACGT\n"));
}

const std::vector<std::uint32_t> k8M = {op(8, BAM_CMATCH)};

Input one_of_each() {
  Input in;
  const auto a = in.place(0, 0, false, k8M, "8", 0, 50);
  const auto b = in.place(0, 292, true, k8M, "8", 0, 44);
  in.read("concordant", "AAAAAAAA", "IIIIIIII", 1);
  in.read("concordant", "TTTTTTTT", "IIIIIIII", 1);
  in.pair(PairKind::concordant, {{a, b}});
  // The first mate has a mismatch at its 3rd base (quality 10) and, on the reverse strand, at its 1st one (quality 40).
  in.read("far", "AACAAAAT", "IA+IIIII", 1);
  in.align(0, 99, false, k8M, "2A5", 1, 30);
  in.align(0, 9, true, k8M, "7A0", 1, 0);
  in.read("far", "TTTTTTTT", "!!!!!!!!", 1);
  in.align(0, 9999, true, {op(3, BAM_CMATCH), op(1, BAM_CDEL), op(2, BAM_CMATCH), op(1, BAM_CINS), op(2, BAM_CMATCH)},
           "3^A4", 2, 30);
  in.pair(PairKind::discordant);
  in.read("other", "AAAAAAAA", "", 1);
  in.align(1, 0, true, k8M, "8", 0, 30);
  in.read("other", "AAAAAAAA", "", 1);
  in.align(0, 7, false, {op(2, BAM_CINS), op(6, BAM_CMATCH)}, "0C5", 3, 30);
  in.pair(PairKind::discordant);
  in.read("end", "GUGT", "ABCD");
  in.read("end", "TTTTTTTT", "IIIIIIIJ", 2);
  in.align(0, 30, true, k8M, "8", 0, 3);
  in.align(0, 50, true, k8M, "8", 0, 0);
  in.pair(PairKind::one_end);
  in.read("end2", "AAAAAAAA", "", 1);
  in.align(0, 40, false, k8M, "8", 0, 9);
  in.read("end2", "GGG", "");
  in.pair(PairKind::one_end);
  in.read("none", "GGGG", "IIII");
  in.read("none", "GGGG", "IIII");
  in.pair(PairKind::unmapped);
  return in;
}

SinkOptions options_in(const TempDir& dir, const std::string& main_name = "out.bam") {
  auto options = options_for(dir.path(main_name));
  options.divet_path = dir.path("out.vh");
  options.oea_path = dir.path("oea.sam");
  options.inserts = kInserts;
  return options;
}

void write(const SinkOptions& options, const Reference& reference, const Input& input, std::size_t times = 1) {
  auto sink = make_sink(options, reference, trawl::io::contig_md5s(reference));
  auto chunk = sink->make_chunk();
  for (std::size_t i = 0; i < times; ++i) {
    sink->format(input.reads, input.alignments, *chunk);
    sink->place(*chunk);
    sink->pack(*chunk);
    sink->write(*chunk);
  }
  sink->close();
}

// 1: 0.001 + 10^-1 for the mismatch; 2: 0.001 + 10^-4; the second mate has two gaps: 0.0003^2.
const std::string kDivet =
    "far\tc1\t100\t107\tF\t=\t10000\t10007\tR\tD\t3\t18\t9.090000e-09\n"
    "far\tc1\t10\t17\tR\t=\t10000\t10007\tR\tV\t3\t18\t9.900000e-11\n"
    "other\tc2\t1\t8\tR\tc1\t8\t13\tF\tT\t3\t30\t1.800000e-10\n";

const std::string kOea =
    "end\t153\tc1\t31\t3\t8M\t=\t31\t0\tAAAAAAAA\tJIIIIIII\tNM:i:0\tMD:Z:8\tAS:i:0\tNH:i:2\tHI:i:1\tX0:i:2\tX1:i:0\t"
    "NS:Z:GTGT\tNQ:Z:ABCD\n"
    "end\t409\tc1\t51\t0\t8M\t=\t31\t0\t*\t*\tNM:i:0\tMD:Z:8\tAS:i:0\tNH:i:2\tHI:i:2\tX0:i:2\tX1:i:0\tNS:Z:GTGT\t"
    "NQ:Z:ABCD\n"
    "end2\t73\tc1\t41\t9\t8M\t=\t41\t0\tAAAAAAAA\t*\tNM:i:0\tMD:Z:8\tAS:i:0\tNH:i:1\tHI:i:1\tX0:i:1\tX1:i:0\t"
    "NS:Z:GGG\n";

std::string lines_without_header(const std::string& path) {
  std::istringstream in(file_content(path));
  std::string out;
  for (std::string line; std::getline(in, line);) {
    out += line[0] == '@' ? "" : line + "\n";
  }
  return out;
}

}  // namespace

TEST_CASE("events of discordant pairs") {
  const Extent forward{1000, 1100, false};
  const auto event = [&](Orientation orientation, const Extent& first, const Extent& second) {
    const auto found = divet_event(orientation, kInserts, true, first, second);
    return found ? static_cast<char>(*found) : '-';
  };
  CHECK(event(Orientation::fr, forward, {1301, 1401, true}) == 'D');
  CHECK(event(Orientation::fr, forward, {1099, 1199, true}) == 'I');
  CHECK(event(Orientation::fr, forward, {1300, 1400, true}) == '-');  // as in a concordant pair
  CHECK(event(Orientation::fr, forward, {1100, 1200, true}) == '-');
  CHECK(event(Orientation::fr, {1301, 1401, true}, forward) == 'D');
  CHECK(event(Orientation::fr, forward, {1200, 1300, false}) == 'V');
  CHECK(event(Orientation::fr, forward, {500, 600, true}) == 'E');
  CHECK(event(Orientation::fr, {500, 600, true}, forward) == 'E');
  CHECK(event(Orientation::fr, forward, {900, 1000, true}) == 'E');
  CHECK(event(Orientation::fr, forward, {901, 1001, true}) == '-');  // they overlap and dovetail
  CHECK(event(Orientation::fr, {990, 1090, true}, forward) == '-');
  CHECK(event(Orientation::rf, {1010, 1110, true}, forward) == '-');
  CHECK(event(Orientation::ff, forward, {990, 1090, false}) == '-');
  CHECK(event(Orientation::fr, forward, {990, 1110, true}) == 'I');  // one inside the other
  CHECK(event(Orientation::rf, forward, {500, 600, true}) == 'D');
  CHECK(event(Orientation::rf, forward, {1301, 1401, true}) == 'E');
  CHECK(event(Orientation::ff, forward, {1301, 1401, false}) == 'D');
  CHECK(event(Orientation::ff, forward, {500, 600, false}) == 'E');
  CHECK(event(Orientation::ff, forward, {1301, 1401, true}) == 'V');
  CHECK(divet_event(Orientation::fr, kInserts, false, forward, forward) == DivetEvent::other_contig);
}

TEST_CASE("DIVET and OEA from the same run, beside any format") {
  TempDir dir;
  const Reference reference = reference_in(dir);
  for (const char* name : {"out.sam", "out.bam", "out.bed"}) {
    INFO(name);
    const auto options = options_in(dir, name);
    write(options, reference, one_of_each());
    CHECK(file_content(options.divet_path) == kDivet);
    CHECK(lines_without_header(options.oea_path) == kOea);
    CHECK(file_content(options.oea_path).starts_with("@HD\tVN:1.6"));
    const std::string with = file_content(options.path);
    write(options_for(options.path), reference, one_of_each());
    CHECK((file_content(options.path) == with));
  }
}

TEST_CASE("DIVET has the combinations with the fewest edits, up to a limit") {
  TempDir dir;
  const Reference reference = reference_in(dir);
  Input in;
  std::uint32_t counts[] = {40, 1000};
  for (const std::uint32_t count : counts) {
    in.read("r", "AAAAAAAA", "", 1);
    for (std::uint32_t k = 0; k < count; ++k) {
      in.align(0, 10 + k, false, k8M, "8", static_cast<std::uint16_t>(k / 20), 0);
    }
  }
  in.pair(PairKind::discordant);
  write(options_in(dir), reference, in);
  std::istringstream lines(file_content(dir.path("out.vh")));
  std::vector<std::string> found;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::vector<std::string> all;
    for (std::string field; std::getline(fields, field, '\t');) {
      all.push_back(field);
    }
    REQUIRE(all.size() == 13);
    found.push_back(all[2] + " " + all[6] + " " + all[10]);
  }
  // All combinations, sorted the plain way.
  std::vector<std::array<std::uint32_t, 3>> every;
  for (std::uint32_t i = 0; i < counts[0]; ++i) {
    for (std::uint32_t j = 0; j < counts[1]; ++j) {
      every.push_back({i / 20 + j / 20, i, j});
    }
  }
  std::sort(every.begin(), every.end());
  std::vector<std::string> expected;
  for (std::size_t k = 0; k < trawl::io::kMostDivetLines; ++k) {
    const auto [edits, i, j] = every[k];
    expected.push_back(std::to_string(11 + i) + " " + std::to_string(11 + j) + " " + std::to_string(edits));
  }
  CHECK(found == expected);
}

TEST_CASE("OEA has a limit for each pair") {
  TempDir dir;
  Input in;
  in.read("r", "AAAAAAAA", "", 1);
  for (std::uint32_t k = 0; k < 150; ++k) {
    in.align(0, 10 + k, false, k8M, "8", 0, 0);
  }
  in.read("r", "GG", "");
  in.pair(PairKind::one_end);
  write(options_in(dir), reference_in(dir), in);
  const std::string text = lines_without_header(dir.path("oea.sam"));
  CHECK(std::count(text.begin(), text.end(), '\n') == trawl::io::kMostOeaLoci);
}

TEST_CASE("all outputs of a run appear together, when they are complete") {
  TempDir dir;
  const Reference reference = reference_in(dir);
  {
    auto sink = make_sink(options_in(dir), reference, trawl::io::contig_md5s(reference));
    const Input input = one_of_each();
    trawl::test::put(*sink, input.reads, input.alignments);
    CHECK(!std::filesystem::exists(dir.path("out.vh")));
    CHECK(!std::filesystem::exists(dir.path("oea.sam")));
  }
  CHECK(dir.entries() == 1);
  write(options_in(dir), reference, one_of_each(), 3);
  CHECK(dir.entries() == 4);
  CHECK(file_content(dir.path("out.vh")) == kDivet + kDivet + kDivet);
}
