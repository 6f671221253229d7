// Compares the engines with the oracle where reads that fit well as a whole are trimmed, and the others are clipped
// (align::ClipWhen::poor): what `trawl map --report best` does by default.
#include "tests/conformance/poor_reads.hpp"

#include "pipeline/engine_choice.hpp"
#include "tests/catch.hpp"
#include "tests/conformance/map_reads.hpp"

using namespace trawl;
using namespace trawl::tests;

namespace {

void check(const PoorCounts& seen, std::size_t least) {
  for (const std::size_t count :
       {seen.whole, seen.trimmed, seen.poor, seen.unmapped_whole, seen.trimmed_with_gap, seen.trimmed_pieces}) {
    CHECK(count > least / kFewer);
  }
  CHECK(seen.settled > 3 / kFewer);
  CHECK(seen.by_words > 5 / kFewer);
  CHECK(seen.beside_words > 2 / kFewer);
}

std::string about(const map::MapOptions& options, std::size_t length) {
  return "e " + std::to_string(options.max_edits.of(length)) + ", clip " +
         std::to_string(options.clip.most.of(length)) + ", least score " + std::to_string(options.clip.least_score) +
         ", discordant " + std::to_string(static_cast<int>(options.pairs.discordant));
}

}  // namespace

TEST_CASE("reads that fit well are trimmed, the others are clipped", "[clip]") {
  RandomCases random(1341);
  PoorCounts seen;
  for (std::size_t n = 0; n < 60 / kFewer; ++n) {
    const auto contigs = repeats(random);
    const auto reference = make_reference(contigs);
    const map::MapOptions options = poor_options(random);
    std::vector<Read> reads;
    for (int r = 0; r < 12; ++r) {
      reads.push_back({"read" + std::to_string(random.number(0, 1000)), poor_read(random, contigs), ""});
    }
    const PoorOracle oracle(contigs, options);
    std::vector<std::string> expected;
    for (const Read& read : reads) {
      expected.push_back(oracle.single(read, seen));
    }
    for (const auto& name : usable_engines()) {
      const auto found = map_with(*pipeline::make_engine(name, reference, options)->make_worker(), reads);
      for (std::size_t r = 0; r < reads.size(); ++r) {
        const std::string& bases = reads[r].bases;
        INFO("engine " << name << ", case " << n << ", read " << r << ": " << bases << ", "
                       << about(options, bases.size()));
        if (expected[r] == PoorOracle::kInArray) {
          ++seen.in_array;
          continue;
        }
        REQUIRE(text_of(found, r) == expected[r]);
      }
    }
  }
  check(seen, 15);
}

TEST_CASE("mates that fit well are trimmed, the others are clipped", "[clip][long]") {
  RandomCases random(1342);
  PoorCounts seen;
  for (std::size_t n = 0; n < 160 / kFewer; ++n) {
    const auto contigs = repeats(random);
    const auto reference = make_reference(contigs);
    const map::MapOptions options = poor_options(random);
    const align::InsertModel inserts = random_inserts(random);
    std::vector<Mates> pairs;
    for (int p = 0; p < 8; ++p) {
      pairs.push_back(poor_mates(random, contigs, options, p % 2 == 0));
    }
    std::erase_if(pairs, is_short_fragment);
    const PoorOracle oracle(contigs, options);
    std::vector<std::string> expected;
    for (const Mates& mates : pairs) {
      expected.push_back(oracle.pair(mates, inserts, seen));
    }
    for (const auto& name : usable_engines()) {
      const auto engine = pipeline::make_engine(name, reference, options);
      engine->set_inserts(inserts);
      const auto found = map_with(*engine->make_worker(), pairs);
      for (std::size_t p = 0; p < pairs.size(); ++p) {
        INFO("engine " << name << ", case " << n << ", pair " << p << " " << pairs[p].first.name << ": "
                       << pairs[p].first.bases << " " << pairs[p].second.bases << ", "
                       << about(options, pairs[p].first.bases.size()) << ", inserts " << inserts.min << "-"
                       << inserts.max);
        if (expected[p] == PoorOracle::kInArray) {
          ++seen.in_array;
          continue;
        }
        REQUIRE(text_of_pair(found, p) == expected[p]);
      }
    }
  }
  check(seen, 20);
  CHECK(seen.concordant > 100 / kFewer);
  CHECK(seen.beside_poor > 20 / kFewer);
  CHECK(seen.near_unmapped > 20 / kFewer);
  CHECK(seen.near_poor > 5 / kFewer);
  CHECK(seen.rivals > 2 / kFewer);
}
