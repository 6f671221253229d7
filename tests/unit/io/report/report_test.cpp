#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/packer.hpp"
#include "io/read/bed_regions.hpp"
#include "io/report/igv_session.hpp"
#include "io/report/map_report.hpp"
#include "io/report/report_page.hpp"
#include "io/report/window_sample.hpp"
#include "io/stats/histogram.hpp"
#include "io/stats/site_sample.hpp"
#include "tests/catch.hpp"
#include "tests/unit/io/alignments.hpp"
#include "tests/unit/io/files.hpp"

using namespace trawl;
using io::ContigBins;
using io::ContigRegion;

namespace {

std::uint64_t sum(const std::vector<std::uint64_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
}

constexpr std::uint32_t cigar(std::uint32_t length, align::CigarOp op) {
  return length << 4 | static_cast<std::uint32_t>(op);
}

// A batch of reads of 50 bases, each with one record at a random place.
test::Input random_reads(std::mt19937& random, std::uint64_t first_read, std::size_t reads, std::uint64_t length) {
  test::Input in;
  in.reads.first_read = first_read;
  for (std::size_t r = 0; r < reads; ++r) {
    in.read("read" + std::to_string(first_read + r), std::string(50, "ACGT"[random() % 4]), "", 1);
    in.align(random() % 2, random() % (length - 50), random() % 2 == 0, {cigar(50, align::CigarOp::match)}, "50", 0,
             60);
  }
  return in;
}

std::vector<sequence::Contig> two_contigs(std::uint64_t length) {
  return {{"a", 256, length}, {"b", 2 * length, length}};
}

void add_all(io::WindowSample& sample, const test::Input& in) {
  align::for_each_record(in.alignments, {},
                         [&](const align::AlignmentRecord& record) { sample.add(in.alignments, record, in.reads); });
}

std::string description(io::WindowSample& sample) {
  Packer packer;
  for (const io::SampledWindow& window : sample.chosen()) {
    packer.add(window);
  }
  return packer.take();
}

}  // namespace

TEST_CASE("bins of coverage: small contigs have a bin for each base, large ones at most so many") {
  ContigBins small(std::vector<std::uint64_t>{1000, 5});
  small.add(0, 10, 13);
  small.add(0, 12, 1000);
  small.finish(std::vector<std::uint64_t>{1000, 5});
  CHECK(small.width() == 1);
  CHECK(small.of(0).size() == 1000);
  CHECK(small.of(0)[9] == 0);
  CHECK(small.of(0)[10] == 1);
  CHECK(small.of(0)[12] == 2);
  CHECK(small.of(1) == std::vector<std::uint64_t>(5, 0));

  const std::vector<std::uint64_t> lengths = {3'000'000'000, 1'000, 100'000'000};
  for (const bool known : {true, false}) {
    INFO((known ? "the lengths are known" : "the lengths are not known"));
    ContigBins bins = known ? ContigBins(lengths) : ContigBins();
    bins.add(1, 0, 1'000);
    bins.add(0, 2'999'999'000, 3'000'000'000);
    bins.add(2, 0, 100'000'000);
    bins.add(0, 0, 100);
    bins.finish(lengths);
    CHECK(bins.width() == 262'144);
    CHECK(bins.of(0).size() + bins.of(1).size() + bins.of(2).size() <= ContigBins::kMostBins + 3);
    CHECK(bins.of(0).front() == 100);
    CHECK(bins.of(0).back() == 1'000);
    CHECK(bins.of(1) == std::vector<std::uint64_t>{1'000});
    CHECK(sum(bins.of(2)) == 100'000'000);
    CHECK(bins.of(2)[1] == 262'144);
  }
}

TEST_CASE("bins do not depend on the order and on the parts in which they were filled") {
  std::mt19937 random(5);
  const std::vector<std::uint64_t> lengths = {40'000, 900'000, 3};
  std::vector<ContigRegion> all;
  for (int i = 0; i < 3000; ++i) {
    const std::uint64_t contig = random() % 2;
    const std::uint64_t begin = random() % (lengths[contig] - 200);
    all.push_back({contig, begin, begin + random() % 200});
  }
  ContigBins one(lengths);
  for (const ContigRegion& part : all) {
    one.add(part.contig, part.begin, part.end);
  }
  one.finish(lengths);
  std::shuffle(all.begin(), all.end(), random);
  ContigBins parts[3];
  for (std::size_t i = 0; i < all.size(); ++i) {
    parts[i % 50 == 0 ? 0 : 1 + i % 2].add(all[i].contig, all[i].begin, all[i].end);
  }
  ContigBins merged;
  for (const ContigBins& part : parts) {
    Packer packer;
    packer.add(part);
    Unpacker unpacker(packer.bytes());
    ContigBins copy;
    unpacker.get(copy);
    merged += copy;
  }
  merged.finish(lengths);
  CHECK(merged.width() == one.width());
  for (std::size_t c = 0; c < lengths.size(); ++c) {
    CHECK(merged.of(c) == one.of(c));
  }
}

TEST_CASE("the part of an alignment in a window") {
  const std::vector<std::uint32_t> elements = {cigar(2, align::CigarOp::soft_clip), cigar(5, align::CigarOp::match),
                                               cigar(2, align::CigarOp::deletion), cigar(3, align::CigarOp::insertion),
                                               cigar(5, align::CigarOp::match)};
  const auto cut = [&](std::uint64_t begin, std::uint64_t end, bool reverse) {
    io::WindowAlignment a;
    a.start = 10;
    io::cut_alignment(elements.data(), 5, {0, begin, end}, "GGACGTACCCTTTAA", reverse, a);
    return std::to_string(a.start) + " " + a.cigar + " " + a.letters;
  };
  CHECK(cut(0, 100, false) == "10 2S5M2D3I5M GGACGTACCCTTTAA");
  CHECK(cut(12, 20, false) == "12 3M2D3I3M GTACCCTTT");
  CHECK(cut(16, 20, false) == "16 1D3I3M CCCTTT");
  CHECK(cut(17, 20, false) == "17 3M TTT");      // the insertion lies before the window
  CHECK(cut(10, 17, false) == "10 5M2D ACGTA");  // after it
  CHECK(cut(0, 12, true) == "10 2S2M TTAA");     // the strand is the other one
}

TEST_CASE(
    "windows: the same whatever the order, the batches, and the processes; all alignments of those that are kept") {
  constexpr std::uint64_t kLength = 2'000'000;
  constexpr std::size_t kBatches = 40;
  std::mt19937 random(11);
  std::vector<test::Input> batches;
  for (std::size_t b = 0; b < kBatches; ++b) {
    batches.push_back(random_reads(random, 500 * b, 500, kLength));
  }
  // One deep window, with more reads than are kept.
  for (std::size_t b = 0; b < 2; ++b) {
    test::Input& in = batches.emplace_back();
    in.reads.first_read = 500 * (kBatches + b);
    for (int r = 0; r < 200; ++r) {
      in.read("deep" + std::to_string(r), std::string(50, 'A'), "", 1);
      in.align(0, 700, false, {cigar(50, align::CigarOp::match)}, "50", 0, 60);
    }
  }
  const auto contigs = two_contigs(kLength);
  io::WindowSample alone(contigs);
  for (const test::Input& in : batches) {
    add_all(alone, in);
  }
  const auto windows = alone.chosen();
  REQUIRE(windows.size() == io::WindowSample::kShown);
  for (const io::SampledWindow& window : windows) {
    std::uint64_t records = 0;
    std::size_t kept = 0;
    for (const test::Input& in : batches) {
      for (const align::Alignment& a : in.alignments.alignments) {
        records += a.contig == window.place.contig && a.start < window.place.end && a.start + 50 > window.place.begin;
      }
    }
    kept = std::min<std::size_t>(records, io::WindowSample::kAlignments);
    CHECK(window.records == records);
    CHECK(window.alignments.size() == kept);
    CHECK(std::is_sorted(window.alignments.begin(), window.alignments.end(),
                         [](const auto& a, const auto& b) { return a.order() < b.order(); }));
  }

  std::shuffle(batches.begin(), batches.end(), random);
  io::WindowSample first(contigs);
  for (std::size_t rank = 0; rank < 3; ++rank) {
    io::WindowSample other(contigs);
    for (std::size_t b = rank; b < batches.size(); b += 3) {
      add_all(rank == 0 ? first : other, batches[b]);
    }
    if (rank > 0) {
      Packer packer;
      other.pack(packer);
      Unpacker unpacker(packer.bytes());
      first.add_packed(unpacker);
      CHECK(unpacker.at_end());
    }
  }
  CHECK(description(first) == description(alone));
}

TEST_CASE("regions of a reference") {
  const auto found = io::find_regions({{"b", 90, 500}}, two_contigs(100), "r.bed");
  CHECK(found == std::vector<ContigRegion>{{1, 90, 100}});
  CHECK_THROWS_AS(io::find_regions({{"b", 100, 101}}, two_contigs(100), "r.bed"), UsageError);
  CHECK_THROWS_AS(io::find_regions({{"x", 0, 1}}, two_contigs(100), "r.bed"), UsageError);
  CHECK_THROWS_WITH(io::find_regions({{"x", 0, 1, 7}}, two_contigs(100), "some.bed"),
                    "some.bed:7: x:1-1: the reference has no such contig");
}

TEST_CASE("the closest sites of a pattern, from parts in any order") {
  io::SiteSample parts[2] = {io::SiteSample(600), io::SiteSample(600)};
  for (std::uint64_t i = 0; i < 100; ++i) {
    scan::SiteRecord record;
    record.start = 1000 - 10 * i;
    record.end = record.start + 20;
    record.pattern = 3;
    record.distance = static_cast<std::uint16_t>(i < 95 ? 2 : 1);
    parts[i % 2].add(record);
    record.pattern = 599;  // not among those whose sites are kept
    parts[i % 2].add(record);
  }
  Packer packer;
  packer.add(parts[1]);
  Unpacker unpacker(packer.bytes());
  io::SiteSample other(0);
  unpacker.get(other);
  parts[0].add(other);
  const auto& closest = parts[0].closest(3);
  REQUIRE(closest.size() == io::SiteSample::kSites);
  for (std::size_t i = 0; i < closest.size(); ++i) {
    CHECK(closest[i].distance == (i < 5 ? 1 : 2));
    CHECK(closest[i].start == 10 * (i + 1));
  }
  CHECK(parts[0].patterns() == io::SiteSample::kPatterns);
  parts[0].bins().finish(std::vector<std::uint64_t>{1020});
  CHECK(sum(parts[0].bins().of(0)) == 200);
}

TEST_CASE("nothing in the data of a page can end its element") {
  const test::TempDir dir;
  io::write_report_page(R"({"name": "</script><!--&amp;{{script}}"})", dir.path("page.html"));
  const std::string page = test::file_content(dir.path("page.html"));
  CHECK(page.find(R"({"name": "\u003c/script\u003e\u003c!--\u0026amp;{{script}}"})") != std::string::npos);
  CHECK(page.find("</script><!--") == std::string::npos);
  CHECK(page.find("{{style}}") == std::string::npos);
  CHECK(page.find("https:") == std::string::npos);
  CHECK(page.ends_with("</html>\n"));
  CHECK(dir.entries() == 1);
}

TEST_CASE("a session for IGV has relative paths, and attributes that are XML") {
  const test::TempDir dir;
  io::write_igv_session({dir.path("ref \"<&>'.fa"), dir.path("out/../out/x\n\xff\xc3\xa9\x01.bam"), {{"c<1", 9, 20}}},
                        dir.path("s.xml"));
  const std::string text = test::file_content(dir.path("s.xml"));
  CHECK(text.find("genome=\"ref &#34;&#60;&#38;&#62;'.fa\" locus=\"c&#60;1:10-20\"") != std::string::npos);
  CHECK(text.find("path=\"out/x&#10;?\xc3\xa9?.bam\"") != std::string::npos);
  CHECK(text.find("<Region chromosome=\"c&#60;1\" start=\"9\" end=\"20\"/>") != std::string::npos);
  io::write_igv_session({"/elsewhere/ref.fa", dir.path("x.bed"), {}}, dir.path("s.xml"));
  CHECK(test::file_content(dir.path("s.xml")).find("/elsewhere/ref.fa\" locus=\"All\"") != std::string::npos);
}
