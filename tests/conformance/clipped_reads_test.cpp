// Compares the engines with the oracle, for single reads whose ends do not belong.
#include <string>
#include <vector>

#include "pipeline/engine_choice.hpp"
#include "tests/catch.hpp"
#include "tests/conformance/map_pairs.hpp"
#include "tests/conformance/map_reads.hpp"
#include "tests/random_cases.hpp"
#include "tests/read_oracle.hpp"

using namespace trawl;
using namespace trawl::tests;

namespace {

struct Seen {
  std::size_t clipped = 0;
  std::size_t several = 0;
  std::size_t whole = 0;
  std::size_t unmapped = 0;
  std::size_t with_edits = 0;
  std::size_t both_ends = 0;
  std::size_t sure = 0;  // clipped, MAPQ above 0

  void add(const ReadLoci& read, const align::ReportRule& rule) {
    const SingleSelection selection = select_single(read, rule);
    unmapped += read.loci.empty();
    if (read.loci.empty()) {
      return;
    }
    const bool is_clipped = selection.reported.front()->piece.length() < read.strands.length();
    whole += !is_clipped;
    clipped += is_clipped;
    several += is_clipped && read.loci.size() > 1;
    sure += is_clipped && selection.mapq > 0;
    for (const AlignedLocus* locus : selection.reported) {
      with_edits += is_clipped && locus->distance > 0;
      both_ends += locus->piece.begin > 0 && locus->piece.end < read.strands.length();
    }
  }
};

// A read with foreign bases at its ends, or made of two places, or any read.
std::string hostile_read(RandomCases& random, const std::vector<std::string>& contigs, std::size_t edits,
                         double ambiguity) {
  const std::size_t length = random.chance(0.8) ? random.number(8, 60) : random.number(1, 120);
  std::string read = random.read(contigs, length, random.number(0, edits), ambiguity);
  if (random.chance(0.5)) {
    read += random.bases(random.number(0, read.size() / 2));
  }
  if (random.chance(0.3)) {
    read.insert(0, random.chance(0.5) ? random.bases(random.number(0, read.size() / 3))
                                      : std::string(random.number(0, read.size() / 3), random.base()));
  }
  if (random.chance(0.2)) {
    read += random.read(contigs, random.number(1, 1 + read.size() / 2), 1, ambiguity);
  }
  return read.empty() ? "A" : read;
}

map::MapOptions random_options(RandomCases& random) {
  map::MapOptions options;
  options.max_edits = random.chance(0.5)
                          ? map::NumberOrShare{true, static_cast<double>(random.number(0, 120)) / 10, 0}
                          : map::NumberOrShare{false, 0, static_cast<std::uint32_t>(random.number(0, 4))};
  options.clip.most = random.chance(0.6)
                          ? map::NumberOrShare{true, static_cast<double>(random.number(10, 490)) / 10, 0}
                          : map::NumberOrShare{false, 0, static_cast<std::uint32_t>(random.number(1, 40))};
  options.clip.when = random.chance(0.5) ? align::ClipWhen::always : align::ClipWhen::unmapped;
  options.report = random.chance(0.4) ? map::Report::all : random.chance(0.5) ? map::Report::best : map::Report::strata;
  options.strata = options.report == map::Report::strata ? static_cast<std::uint32_t>(random.number(0, 3)) : 0;
  options.eqx = random.chance(0.3);
  options.search = random.chance(0.8) ? map::SearchMethod::automatic : map::SearchMethod::scan;
  options.strands = random_strands(random);
  return options;
}

}  // namespace

TEST_CASE("every engine finds the clipped loci of the oracle", "[clip]") {
  RandomCases random(1311);
  Seen seen;
  for (std::size_t n = 0; n < 420 / kFewer; ++n) {
    const double ambiguity = random.chance(0.6) ? 0 : 0.01;
    std::vector<std::string> contigs;
    for (std::size_t c = random.number(1, 3); c > 0; --c) {
      contigs.push_back(random.contig(random.number(1, 300), ambiguity));
    }
    const auto reference = make_reference(contigs);
    map::MapOptions options = random_options(random);
    options.ambiguous = ambiguity > 0 && random.chance(0.3) ? map::Ambiguous::match : map::Ambiguous::mismatch;
    std::vector<Read> reads;
    for (int r = 0; r < 12; ++r) {
      const std::string bases = hostile_read(random, contigs, 3, ambiguity);
      reads.push_back(
          {"read" + std::to_string(random.number(0, 1000)), bases,
           random.chance(0.5) ? std::string(bases.size(), static_cast<char>(random.number('#', 'I'))) : ""});
    }
    const ReadOracle oracle(contigs, options);
    std::vector<std::string> expected;
    for (const Read& read : reads) {
      const ReadLoci loci = oracle.find(read);
      seen.add(loci, options.report_rule());
      expected.push_back(text_of_single(loci, options.report_rule()));
    }
    for (const auto& name : usable_engines()) {
      const auto found = map_with(*pipeline::make_engine(name, reference, options)->make_worker(), reads);
      for (std::size_t r = 0; r < reads.size(); ++r) {
        const std::string& bases = reads[r].bases;
        INFO("engine " << name << ", case " << n << ", read " << r << ": " << bases << ", clip "
                       << options.clip.most.of(bases.size()) << ", e " << options.max_edits.of(bases.size())
                       << ", always " << (options.clip.when == align::ClipWhen::always) << ", report "
                       << static_cast<int>(options.report));
        REQUIRE(text_of(found, r) == expected[r]);
      }
    }
  }
  CHECK(seen.clipped > 500 / kFewer);
  CHECK(seen.several > 150 / kFewer);
  CHECK(seen.whole > 200 / kFewer);
  CHECK(seen.unmapped > 50 / kFewer);
  CHECK(seen.with_edits > 200 / kFewer);
  CHECK(seen.both_ends > 100 / kFewer);
  CHECK(seen.sure > 100 / kFewer);
}
