// Compares the engines with the CPU engine: the same results for every read, so the output files have the same bytes.
#include "pipeline/engine_choice.hpp"
#include "tests/catch.hpp"
#include "tests/conformance/map_pairs.hpp"
#include "tests/conformance/map_reads.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;
using namespace trawl::tests;

namespace {

void check_same(const std::string& name, const sequence::Reference& reference, const map::MapOptions& options,
                const std::vector<Read>& reads, const align::AlignmentBatch& expected) {
  const auto found = map_with(*pipeline::make_engine(name, reference, options)->make_worker(), reads);
  for (std::size_t i = 0; i < reads.size(); ++i) {
    INFO("engine " << name << ", read " << i << ": " << reads[i].bases);
    REQUIRE(text_of(found, i) == text_of(expected, i));
  }
}

// Arrays of units with mutations, whose ends join to loci of any length; copies of earlier parts with a few edits; some
// letters that are ambiguous.
std::vector<std::string> repetitive_genome(RandomCases& random) {
  std::vector<std::string> contigs(3);
  for (std::string& contig : contigs) {
    while (contig.size() < 8000) {
      std::string piece = random.bases(random.number(100, 600));
      if (random.chance(0.4)) {
        const std::string unit = random.bases(random.number(1, random.chance(0.5) ? 8 : 60));
        const std::size_t size = random.number(100, 1500);
        for (piece.clear(); piece.size() < size;) {
          piece += random.chance(0.8) ? unit : random.mutate(unit, random.number(1, 3));
        }
        piece = random.mutate(piece, size / random.number(15, 200));
      } else if (const std::string& from = contigs[random.number(0, 2)]; random.chance(0.5) && !from.empty()) {
        piece = from.substr(random.number(0, from.size() - 1), random.number(100, 600));
        piece = random.mutate(random.chance(0.5) ? piece : sequence::reverse_complement(piece), random.number(0, 10));
      } else if (random.chance(0.1)) {
        piece += std::string(random.number(1, 3), 'N');
      }
      contig += piece;
    }
  }
  return contigs;
}

}  // namespace

TEST_CASE("a first search for few edits changes no record") {
  RandomCases random(120);
  for (std::uint32_t edits = 0; edits < 16; edits += static_cast<std::uint32_t>(kFewer)) {
    const auto contigs = repetitive_genome(random);
    const auto reference = make_reference(contigs);
    map::MapOptions options;
    options.max_edits = {edits % 4 == 3, static_cast<double>(edits), edits};  // numbers, and shares of a read
    options.report = random.chance(0.5) ? map::Report::best : map::Report::strata;
    options.strata = static_cast<std::uint32_t>(random.number(0, 3));
    options.max_hits = random.chance(0.3) ? random.number(1, 5) : 0;
    options.placements = random.chance(0.3);
    options.metric = edits % 5 == 4 ? map::Metric::hamming : map::Metric::levenshtein;
    options.ambiguous = random.chance(0.2) ? map::Ambiguous::match : map::Ambiguous::mismatch;
    options.pairs.discordant = align::Discordant(edits % 3);
    options.damage = damage_of_case(edits);
    std::vector<Read> reads;
    std::vector<Mates> pairs;
    for (int r = 0; r < 2000; ++r) {
      const std::size_t length = random.number(random.chance(0.2) ? 15 : 60, 150);
      const std::size_t most = options.max_edits.of(length);
      reads.push_back({"read" + std::to_string(r), random.read(contigs, length, random.number(0, most), 0.001), ""});
      if (r % 2 == 0) {
        pairs.push_back(random_mates(random, contigs, options, 0.001, 150));
      }
    }
    const align::InsertModel inserts{.min = 1, .max = 400};
    const auto map_all = [&](const std::string& name) {
      const auto engine = pipeline::make_engine(name, reference, options);
      engine->set_inserts(inserts);
      return std::pair(map_with(*engine->make_worker(), reads), map_with(*engine->make_worker(), pairs));
    };
    const auto expected = map_all("cpu");
    for (const auto& name : usable_engines()) {
      const auto found = name == "cpu" ? expected : map_all(name);
      INFO("engine " << name << ", edits " << edits);
      for (std::size_t r = 0; r < reads.size(); ++r) {
        INFO("read " << r << ": " << reads[r].bases);
        REQUIRE(text_of(found.first, r) == text_of(expected.first, r));
      }
      for (std::size_t p = 0; p < pairs.size(); ++p) {
        INFO("pair " << p << ": " << pairs[p].first.bases << " " << pairs[p].second.bases);
        REQUIRE(text_of_pair(found.second, p) == text_of_pair(expected.second, p));
      }
    }
  }
}

TEST_CASE("every engine says the same of every read") {
  RandomCases random(108);
  for (std::size_t n = 0; n < 200 / kFewer; ++n) {
    const double ambiguity = random.chance(0.5) ? 0 : 0.005;
    const auto contigs = random.contigs(ambiguity);
    const auto reference = make_reference(contigs);
    map::MapOptions options;
    options.max_edits = random_max_edits(random);
    options.eqx = random.chance(0.3);
    options.report = random.chance(0.5) ? map::Report::best : map::Report::all;
    options.search = random.chance(0.8) ? map::SearchMethod::automatic : map::SearchMethod::scan;
    options.metric = random.chance(0.3) ? map::Metric::hamming : map::Metric::levenshtein;
    options.ambiguous = random.chance(0.4) ? map::Ambiguous::match : map::Ambiguous::mismatch;
    options.strands = random_strands(random);
    options.damage = damage_of_case(n);
    auto reads = random_reads(random, contigs, options.max_edits, ambiguity, 300);
    for (int more = 0; more < 10; ++more) {
      const auto others = random_reads(random, contigs, options.max_edits, ambiguity, 300);
      reads.insert(reads.end(), others.begin(), others.end());
    }
    const auto expected = map_with(*pipeline::make_engine("cpu", reference, options)->make_worker(), reads);
    for (const auto& name : usable_engines()) {
      INFO("case " << n);
      check_same(name, reference, options, reads, expected);
    }
  }
}

TEST_CASE("half of a chimera has the same counts on every engine, however many places it has") {
  RandomCases random(117);
  const std::string repeat = random.bases(100);
  std::string contig = random.bases(300);
  for (int copy = 0; copy < 60; ++copy) {
    std::string other = repeat;
    other[30] = copy % 4 == 0 ? sequence::complement_base(other[30]) : other[30];
    contig += other + random.bases(50);
  }
  std::vector<Read> reads;
  for (std::size_t n = 0; n < 20; ++n) {
    std::string unique = contig.substr(10 * n, 100);
    unique[30] = sequence::complement_base(unique[30]);
    reads.push_back({"read" + std::to_string(n), unique + repeat, ""});
  }
  const auto reference = make_reference({contig});
  map::MapOptions options;
  options.max_edits = {false, 0, 2};
  options.clip.most = {true, 45, 0};
  options.clip.split = true;
  const auto expected = map_with(*pipeline::make_engine("cpu", reference, options)->make_worker(), reads);
  REQUIRE(std::ranges::any_of(expected.reads, [](const align::ReadResult& read) { return read.best_count > 30; }));
  for (const auto& name : usable_engines()) {
    check_same(name, reference, options, reads, expected);
  }
}

TEST_CASE("mapping with every metric and every rule of ambiguous letters, small cases", "[sanitize]") {
  RandomCases random(109);
  const auto contigs = random.contigs(0.01);
  const auto reference = make_reference(contigs);
  map::MapOptions options;
  options.max_edits = {true, 6, 0};
  options.report = map::Report::all;
  const auto reads = random_reads(random, contigs, options.max_edits, 0.01, 300);
  for (const auto metric : {map::Metric::levenshtein, map::Metric::hamming}) {
    for (const auto ambiguous : {map::Ambiguous::mismatch, map::Ambiguous::match}) {
      for (const auto search : {map::SearchMethod::seeds, map::SearchMethod::scan}) {
        options.metric = metric;
        options.ambiguous = ambiguous;
        options.search = search;
        const auto expected = map_with(*pipeline::make_engine("cpu", reference, options)->make_worker(), reads);
        for (const auto& name : usable_engines()) {
          check_same(name, reference, options, reads, expected);
        }
      }
    }
  }
}

TEST_CASE("a reference that is larger than the device's memory") {
  RandomCases random(110);
  std::vector<std::string> contigs;
  for (int c = 0; c < 3; ++c) {
    contigs.push_back(random.bases(random.number(8'000'000, 9'000'000)));
    std::fill_n(contigs.back().begin() + 3'000'000, 5000, 'N');
  }
  const auto reference = make_reference(contigs);
  map::MapOptions options;
  options.max_edits = {false, 0, 4};
  options.report = map::Report::all;
  options.device_memory = std::uint64_t{11} << 20;  // the reference takes 12 MiB, and 6 while it is sent
  std::vector<Read> reads;
  for (int r = 0; r < 300; ++r) {
    reads.push_back({"read", random.read(contigs, random.number(40, 120), 4, 0.001), ""});
  }
  const auto expected = map_with(*pipeline::make_engine("cpu", reference, options)->make_worker(), reads);
  CHECK(expected.alignments.size() > 200);
  for (const auto& name : device_engines("")) {
    CHECK(pipeline::make_engine(name, reference, options)->description().find("the host's memory") !=
          std::string::npos);
    check_same(name, reference, options, reads, expected);
  }
}

TEST_CASE("an index that is built when the reads are worth it") {
  RandomCases random(112);
  const std::vector<std::string> contigs{random.bases(1'200'000)};
  const auto reference = make_reference(contigs);
  map::MapOptions options;
  options.max_edits = {false, 0, 2};
  std::vector<Read> reads;
  for (int r = 0; r < 100; ++r) {
    reads.push_back({"read", random.read(contigs, random.number(30, 60), 2, 0), ""});
  }
  const auto expected = map_with(*pipeline::make_engine("cpu", reference, options)->make_worker(), reads);
  const auto check_counts = [&](const std::string& name, bool few_are_scanned) {
    const auto engine = pipeline::make_engine(name, reference, options);
    const auto worker = engine->make_worker();
    bool seeded = false;
    for (const std::size_t count : {3, 4, 100, 3}) {
      const std::vector<Read> some(reads.begin(), reads.begin() + count);
      const auto found = map_with(*worker, some);
      for (std::size_t i = 0; i < some.size(); ++i) {
        INFO(name << ", " << count << " reads, read " << i << ": " << some[i].bases);
        REQUIRE(text_of(found, i) == text_of(expected, i));
      }
      seeded = seeded || count == 100;
      if (few_are_scanned) {
        CHECK((worker->seconds().seed > 0) == seeded);
      }
    }
  };
  for (const auto& name : device_engines("")) {
    check_counts(name, true);
  }
  for (const auto& name : device_engines("-small")) {
    check_counts(name, false);  // the CPU finds the reads left to it with seeds
  }
}

TEST_CASE("reads at every place where two parts of the index meet") {
  RandomCases random(111);
  // Parts of 2,176 positions that overlap by 1,088. Copies with edits have other, earlier seeds, which match in only
  // one of the parts.
  const std::string unit = random.bases(150);
  std::string contig;
  while (contig.size() < 4000) {
    contig += random.chance(0.5) ? random.mutate(unit, random.number(0, 6)) : random.bases(100);
  }
  const std::vector<std::string> contigs{contig};
  const auto reference = make_reference(contigs);
  map::MapOptions options;
  options.report = map::Report::all;
  options.search = map::SearchMethod::seeds;
  for (const std::uint32_t edits : {1u, 4u, 9u}) {
    options.max_edits = {false, 0, edits};
    options.metric = edits == 4 ? map::Metric::hamming : map::Metric::levenshtein;
    std::vector<Read> reads;
    for (std::size_t begin = 900; begin < 2400; ++begin) {
      reads.push_back(
          {"read", random.mutate(contig.substr(begin, random.number(40, 140)), random.number(0, edits)), ""});
    }
    INFO("edits " << edits);
    const auto expected = map_with(*pipeline::make_engine("cpu", reference, options)->make_worker(), reads);
    for (const auto& name : device_engines("-small")) {
      check_same(name, reference, options, reads, expected);
    }
  }
}
