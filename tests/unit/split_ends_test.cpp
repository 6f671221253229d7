#include "clip/split_ends.hpp"

#include <string>
#include <vector>

#include "align/cigar.hpp"
#include "tests/catch.hpp"

using namespace trawl;

namespace {

constexpr std::uint32_t element(std::uint32_t length, char op) {
  return length << 4 | static_cast<std::uint32_t>(std::string_view("MIDNSHP=X").find(op));
}

// Adds an alignment with this CIGAR.
align::Alignment& put(align::AlignmentBatch& batch, bool reverse, const std::vector<std::uint32_t>& cigar,
                      const std::string& md) {
  align::Alignment alignment;
  alignment.reverse = reverse;
  alignment.cigar = batch.cigar.size();
  alignment.cigar_length = static_cast<std::uint32_t>(cigar.size());
  batch.cigar.insert(batch.cigar.end(), cigar.begin(), cigar.end());
  alignment.md = batch.md.size();
  alignment.md_length = static_cast<std::uint32_t>(md.size());
  batch.md += md;
  batch.alignments.push_back(alignment);
  return batch.alignments.back();
}

std::string cigar_text(const align::AlignmentBatch& batch, const align::Alignment& alignment) {
  std::string text;
  align::append_cigar(text, batch.cigar_of(alignment), alignment.cigar_length);
  return text;
}

// Bases and qualities that tell where they come from.
std::string bases_of(std::size_t length) {
  std::string bases;
  while (bases.size() < length) {
    bases += "ACGTTGCA"[bases.size() * bases.size() / 3 % 8];
  }
  return bases;
}
std::string qualities_of(std::size_t length) {
  std::string qualities;
  while (qualities.size() < length) {
    qualities += static_cast<char>('!' + qualities.size() % 90);
  }
  return qualities;
}

}  // namespace

TEST_CASE("the clipped ends of primary records are taken as in the file", "[clip]") {
  sequence::ReadBatch batch;
  align::AlignmentBatch results;
  const std::string bases = bases_of(150);
  const std::string qualities = qualities_of(150);
  const auto read = [&](bool reverse, const std::vector<std::uint32_t>& cigar) {
    batch.add("r", bases, qualities);
    align::ReadResult result;
    result.first = results.alignments.size();
    result.count = 1;
    put(results, reverse, cigar, "80");
    results.reads.push_back(result);
  };
  read(false, {element(40, 'S'), element(80, 'M'), element(30, 'S')});
  read(true, {element(40, 'S'), element(80, 'M'), element(30, 'S')});
  read(false, {element(29, 'S'), element(121, 'M')});  // too short
  read(false, {element(150, 'M')});
  batch.add("unmapped", bases, "");
  results.reads.emplace_back();

  clip::SplitEnds ends;
  ends.collect(batch, results);
  REQUIRE(ends.ends().size() == 4);
  CHECK(ends.ends().bases(0) == bases.substr(0, 40));
  CHECK(ends.ends().qualities(0) == qualities.substr(0, 40));
  CHECK(ends.ends().bases(1) == bases.substr(120));
  CHECK(ends.ends().bases(2) == bases.substr(0, 30));
  CHECK(ends.ends().bases(3) == bases.substr(110));
  CHECK(ends.ends().qualities(3) == qualities.substr(110));

  // The ends 0 (forward), 2 (reverse) and 3 (forward, itself clipped) are mapped.
  align::AlignmentBatch mapped;
  mapped.reads.resize(4);
  const auto map = [&](std::size_t end, bool reverse, const std::vector<std::uint32_t>& cigar) {
    mapped.reads[end].first = mapped.alignments.size();
    mapped.reads[end].count = 1;
    put(mapped, reverse, cigar, "m" + std::to_string(end)).mapq = static_cast<std::uint8_t>(10 + end);
  };
  map(0, false, {element(40, 'M')});
  map(2, true, {element(10, 'M'), element(2, 'D'), element(20, 'M')});
  map(3, false, {element(31, 'M'), element(9, 'S')});
  const std::size_t before = results.alignments.size();
  ends.add_supplementary(batch, mapped, results);

  REQUIRE(results.alignments.size() == before + 3);
  CHECK(results.reads[0].supplementary_count == 1);
  CHECK(results.reads[1].supplementary_count == 2);
  CHECK(results.reads[2].supplementary_count == 0);
  const auto& first = results.alignments[results.reads[0].supplementary];
  CHECK(cigar_text(results, first) == "40M110S");
  CHECK(results.md_of(first) == "m0");
  CHECK(first.mapq == 10);
  const auto& left = results.alignments[results.reads[1].supplementary];
  CHECK(cigar_text(results, left) == "120S10M2D20M");
  CHECK(results.md_of(left) == "m2");
  CHECK(left.reverse);
  const auto& right = results.alignments[results.reads[1].supplementary + 1];
  CHECK(cigar_text(results, right) == "110S31M9S");
  CHECK_FALSE(right.reverse);
}
