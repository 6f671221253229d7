#include "rescue/split_ends.hpp"

#include <string>
#include <string_view>

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

// Has the alignments of all parts before it gets them.
class KnownEnds final : public engine::Worker {
 public:
  KnownEnds(const align::AlignmentBatch& mapped, sequence::ReadBatch& ends) : mapped_(mapped), ends_(ends) {}

  void map(const sequence::ReadBatch& batch, align::AlignmentBatch& out) override {
    for (std::size_t e = 0; e < batch.size(); ++e) {
      ends_.add(batch.name(e), batch.bases(e), batch.qualities(e));
    }
    REQUIRE(batch.size() == mapped_.reads.size());
    out = mapped_;
  }
  engine::StageSeconds seconds() const override { return {}; }

 private:
  const align::AlignmentBatch& mapped_;
  sequence::ReadBatch& ends_;
};

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
  sequence::ReadBatch ends;
  rescue::SplitEnds(std::make_unique<KnownEnds>(mapped, ends), 0).map_ends(batch, results);

  CHECK(ends.bases(0) == bases.substr(0, 40));
  CHECK(ends.qualities(0) == qualities.substr(0, 40));
  CHECK(ends.bases(1) == bases.substr(120));
  CHECK(ends.bases(2) == bases.substr(0, 30));
  CHECK(ends.bases(3) == bases.substr(110));
  CHECK(ends.qualities(3) == qualities.substr(110));

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

TEST_CASE("the better half of a read without a locus becomes its alignment", "[clip]") {
  sequence::ReadBatch batch;
  align::AlignmentBatch results;
  const std::string bases = bases_of(151);
  const std::string qualities = qualities_of(151);
  for (const std::size_t length : {151, 151, 151, 151, 59, 151, 151}) {
    batch.add("r", bases.substr(0, length), qualities.substr(0, length));
    results.reads.emplace_back();
  }
  results.reads[1].unmapped = align::Unmapped::too_short;
  results.reads[2].best_count = 1;  // it has loci, but they are not reported
  results.reads[3].count = 1;
  put(results, false, {element(151, 'M')}, "151");

  align::AlignmentBatch mapped;
  mapped.reads.resize(7);  // of read 4 one half is too short
  const auto map = [&](std::size_t half, bool reverse, int score, const std::vector<std::uint32_t>& cigar) {
    mapped.reads[half].first = mapped.alignments.size();
    mapped.reads[half].count = 1;
    mapped.reads[half].best_count = static_cast<std::uint32_t>(10 + half);
    put(mapped, reverse, cigar, "m" + std::to_string(half)).score = score;
  };
  map(0, false, 70, {element(75, 'M')});
  map(1, true, 71, {element(71, 'M'), element(5, 'S')});
  map(2, false, 30, {element(30, 'M')});
  map(3, false, 75, {element(75, 'M')});  // as good as the other half
  map(4, false, 75, {element(75, 'M'), element(1, 'S')});
  sequence::ReadBatch halves;
  const std::vector<std::uint32_t> reads =
      rescue::SplitEnds(std::make_unique<KnownEnds>(mapped, halves), 0).map_halves(batch, results);

  CHECK(halves.bases(0) == bases.substr(0, 75));
  CHECK(halves.qualities(0) == qualities.substr(0, 75));
  CHECK(halves.bases(1) == bases.substr(75));
  CHECK(halves.bases(2) == bases.substr(29, 30));
  CHECK(reads == std::vector<std::uint32_t>{0, 4, 5});
  CHECK(results.reads[6].count == 0);
  const auto primary = [&](std::size_t r) {
    REQUIRE(results.reads[r].count == 1);
    return cigar_text(results, *align::primary_of(results, r));
  };
  CHECK(primary(0) == "71M80S");
  CHECK(align::primary_of(results, 0)->reverse);
  CHECK(results.md_of(*align::primary_of(results, 0)) == "m1");
  CHECK(results.reads[0].best_count == 11);
  CHECK(primary(4) == "29S30M");
  CHECK(primary(5) == "75M76S");
  CHECK(results.reads[5].best_count == 13);
}

TEST_CASE("pairs with halves of mates", "[clip]") {
  sequence::ReadBatch batch;
  align::AlignmentBatch results;
  for (int r = 0; r < 6; ++r) {
    batch.add("r", bases_of(100), "");
    results.reads.emplace_back();
  }
  batch.paired = true;
  results.pairs.resize(3);
  results.pairs[0].kind = align::PairKind::one_end;
  results.reads[0].count = 1;
  put(results, false, {element(100, 'M')}, "100");

  align::AlignmentBatch mapped;
  mapped.reads.resize(10);
  // Halves of read 1, of read 2, and of reads 4 and 5.
  for (const std::size_t half : {0, 3, 6, 9}) {
    mapped.reads[half].first = mapped.alignments.size();
    mapped.reads[half].count = 1;
    put(mapped, false, {element(50, 'M')}, "50");
  }
  sequence::ReadBatch halves;
  rescue::SplitEnds(std::make_unique<KnownEnds>(mapped, halves), 0).map_halves(batch, results);
  CHECK(results.pairs[0].kind == align::PairKind::discordant);
  CHECK(results.pairs[1].kind == align::PairKind::one_end);
  CHECK(results.pairs[2].kind == align::PairKind::discordant);
  CHECK(results.reads[3].count == 0);
  for (const std::size_t r : {0, 1, 2, 4, 5}) {
    CHECK(results.reads[r].count == 1);
  }
}
