// Which engine --engine chooses, and what happens if it cannot be used.
#include "pipeline/engine_choice.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "scan/find/search_plan.hpp"
#include "tests/catch.hpp"
#include "tests/random_cases.hpp"
#include "tests/unit/io/files.hpp"

using namespace trawl;
using pipeline::EngineChoice;
using pipeline::MapChoice;
using pipeline::ScanChoice;
using test::message_of;

namespace {

class NoEngine final : public engine::Engine {
 public:
  std::unique_ptr<engine::Worker> make_worker() override { return nullptr; }
  std::unique_ptr<engine::Worker> make_single_worker() override { return nullptr; }
  std::unique_ptr<engine::RangeFinder> make_range_finder() override { return nullptr; }
  void set_inserts(const align::InsertModel&) override {}
  std::size_t reads_per_batch() const override { return 1; }
  std::size_t batches_under_way(unsigned) const override { return 1; }
  std::string description() const override { return "frail"; }
};

class NoFinder final : public scan::Finder {
 public:
  void load(const sequence::Reference&) override {}
  std::uint64_t find(const scan::Region& region, std::size_t, std::vector<scan::Hit>&) override { return region.end; }
  std::string description() const override { return "frail"; }
};

// The step at which this program's engine "frail" fails.
enum class Failing { never, unsuited, look, number, warm_up, make };
Failing failing = Failing::never;
bool warmed = false;
bool is_expected = true;

constexpr const char* kReason = "it is broken";

void fail_where(Failing here) {
  if (failing == here) {
    throw Error(kReason);
  }
}

std::string reason_where(Failing here) { return failing == here ? kReason : ""; }

void add_frail_engine() {
  static const bool added = [] {
    pipeline::EngineEntry entry{"frail", [] { return std::string("fails as told"); }};
    entry.make = [](const sequence::Reference&, const map::MapOptions&) -> std::unique_ptr<engine::Engine> {
      fail_where(Failing::make);
      return std::make_unique<NoEngine>();
    };
    entry.unsuited = [](const map::MapOptions&) { return reason_where(Failing::unsuited); };
    entry.make_finder = [](const std::vector<scan::Query>&, const scan::ScanOptions&) -> std::unique_ptr<scan::Finder> {
      fail_where(Failing::make);
      return std::make_unique<NoFinder>();
    };
    entry.unsuited_to_scan = [](const std::vector<scan::Query>& queries, const scan::ScanOptions&,
                                std::optional<std::uint64_t> reference_bytes) {
      CHECK(queries.size() == 2);
      CHECK(reference_bytes == 17);
      return reason_where(Failing::unsuited);
    };
    entry.look = [](const WorkOptions&) {
      fail_where(Failing::look);
      if (failing == Failing::number) {
        throw UsageError("no such device");
      }
    };
    entry.warm_up = [](const WorkOptions&) {
      fail_where(Failing::warm_up);
      warmed = true;
    };
    entry.is_expected = [](const WorkOptions&) { return is_expected; };
    pipeline::add_engine(entry);
    entry = {"absent", [] { return std::string("is not in this build"); }};
    entry.missing = "this build lacks it";
    entry.is_expected = [](const WorkOptions&) { return is_expected; };
    pipeline::add_engine(entry);
    return true;
  }();
  REQUIRE(added);
}

constexpr const char* kAbsent = "this build lacks it";

std::string first_word(const std::string& text) { return text.substr(0, text.find(' ')); }

// Gives the engine's description and the reason for the choice, for a value of --engine.
std::string taken_to_map(const std::string& name, const map::MapOptions& options) {
  const auto reference = tests::make_reference({"ACGTACGT"});
  MapChoice choice(name, options);
  choice.warm_up();
  const auto description = first_word(choice.make(reference)->description());
  CHECK(description == choice.name());
  return description + ": " + choice.why();
}

std::string taken_to_scan(const std::string& name, const scan::ScanOptions& options) {
  const auto queries = scan::make_queries({{"p", "ACGT"}, {"q", "TTGCA"}}, options);
  ScanChoice choice(name, options);
  const auto description = first_word(choice.make(queries, 17)->description());
  CHECK(description == choice.name());
  return description + ": " + choice.why();
}

}  // namespace

TEST_CASE("auto takes the preferred engine that serves, and says why not another") {
  add_frail_engine();
  const std::string absent(kAbsent);
  map::MapOptions to_map;
  scan::ScanOptions to_scan;
  to_scan.strands = scan::Strands::forward;
  failing = Failing::never;
  CHECK(taken_to_map("auto", to_map) == "frail: " + absent);
  CHECK(taken_to_scan("auto", to_scan) == "frail: " + absent);
  const std::string fallen_back = "cpu: " + absent + "; " + kReason;
  for (const Failing where : {Failing::unsuited, Failing::make}) {
    failing = where;
    CHECK(taken_to_map("auto", to_map) == fallen_back);
    CHECK(taken_to_scan("auto", to_scan) == fallen_back);
    CHECK(pipeline::make_engine("auto", tests::make_reference({"ACGT"}), to_map) != nullptr);
  }
  failing = Failing::warm_up;
  CHECK(taken_to_map("auto", to_map) == fallen_back);
  to_map.devices = to_scan.devices = {7};
  failing = Failing::look;
  CHECK(taken_to_map("auto", to_map) == fallen_back);
  CHECK(taken_to_scan("auto", to_scan) == fallen_back);
  // A wrong command line is reported for every engine.
  failing = Failing::number;
  CHECK_THROWS_AS(MapChoice("auto", to_map), UsageError);
  CHECK_THROWS_AS(ScanChoice("auto", to_scan), UsageError);
}

TEST_CASE("auto says nothing about an engine that nobody expects") {
  add_frail_engine();
  scan::ScanOptions to_scan;
  to_scan.strands = scan::Strands::forward;
  is_expected = false;
  for (const Failing where : {Failing::unsuited, Failing::make}) {
    failing = where;
    CHECK(taken_to_map("auto", {}) == "cpu: ");
    CHECK(taken_to_scan("auto", to_scan) == "cpu: ");
  }
  // It is taken if it can be, and what is asked for by name is still an error.
  failing = Failing::never;
  CHECK(taken_to_map("auto", {}) == "frail: ");
  CHECK(message_of([&] { EngineChoice("absent", {}); }).find(kAbsent) != std::string::npos);
  is_expected = true;
}

TEST_CASE("an engine asked for by its name is taken, or it is an error") {
  add_frail_engine();
  const map::MapOptions to_map;
  scan::ScanOptions to_scan;
  to_scan.strands = scan::Strands::forward;
  // It is used, suited or not, because the user asked for it.
  for (const Failing where : {Failing::never, Failing::unsuited}) {
    failing = where;
    CHECK(taken_to_map("frail", to_map) == "frail: ");
    CHECK(taken_to_scan("frail", to_scan) == "frail: ");
  }
  failing = Failing::make;
  CHECK(taken_to_map("cpu", to_map) == "cpu: ");
  CHECK(taken_to_scan("cpu", to_scan) == "cpu: ");
  const std::string message = "--engine frail cannot be used here: it is broken; use --engine cpu";
  for (const Failing where : {Failing::look, Failing::make}) {
    failing = where;
    CHECK(message_of([&] { taken_to_map("frail", to_map); }) == message);
    CHECK(message_of([&] { taken_to_scan("frail", to_scan); }) == message);
  }
  failing = Failing::warm_up;
  CHECK(message_of([&] { taken_to_map("frail", to_map); }) == message);
  // Before there is a reference.
  failing = Failing::look;
  CHECK(message_of([&] { EngineChoice("frail", {}); }) == message);
  failing = Failing::number;
  CHECK_THROWS_AS(EngineChoice("frail", {}), UsageError);
  failing = Failing::never;
  CHECK(message_of([&] { EngineChoice("abacus", {}); }) == "--engine abacus: this build has: frail cpu");
  CHECK_THROWS_AS(EngineChoice("abacus", {}), UsageError);
}

TEST_CASE("an engine that is unsuited to the search, but asked for, is not warmed up") {
  add_frail_engine();
  failing = Failing::unsuited;
  warmed = false;
  MapChoice("frail", map::MapOptions()).warm_up();
  CHECK(!warmed);
  failing = Failing::never;
  MapChoice("frail", map::MapOptions()).warm_up();
  CHECK(warmed);
}

TEST_CASE("an engine that the build lacks is known by its name") {
  add_frail_engine();
  const std::string message = std::string("--engine absent cannot be used here: ") + kAbsent + "; use --engine cpu";
  CHECK(message_of([] { EngineChoice("absent", {}); }) == message);
  CHECK(message_of([] { MapChoice("absent", {}); }) == message);
  CHECK(message_of([] { ScanChoice("absent", {}); }) == message);
  failing = Failing::never;
  WorkOptions options;
  options.devices = {0};
  CHECK(EngineChoice("auto", options).why() == kAbsent);
}

TEST_CASE("an engine that fails its trial is known, but not usable") {
  add_frail_engine();
  for (const bool broken : {false, true}) {
    failing = broken ? Failing::warm_up : Failing::never;
    const auto engines = pipeline::available_engines();
    const auto named = [&](std::string_view name) {
      return *std::find_if(engines.begin(), engines.end(), [&](const auto& engine) { return engine.name == name; });
    };
    REQUIRE(engines.size() >= 3);
    CHECK(named("frail").usable == !broken);
    CHECK(named("frail").reason == (broken ? kReason : ""));
    CHECK(!named("absent").usable);
    CHECK(named("absent").reason == kAbsent);
    CHECK(engines.back().name == "cpu");
    CHECK(engines.back().usable);
  }
}

namespace {

// The estimated cost of a search, by which --engine auto decides.
double cost(std::size_t count, std::uint32_t k, const std::string& pam = "",
            scan::ScanMethod search = scan::ScanMethod::automatic) {
  tests::RandomCases random(192);
  scan::ScanOptions options;
  options.max_edits = options.max_mismatches = options.max_bulges = k;
  options.pam.bases = pam;
  options.search = search;
  scan::PatternList patterns;
  for (std::size_t n = 0; n < count; ++n) {
    patterns.add("p", random.bases(24));
  }
  return scan::estimated_cost(scan::make_queries(patterns, options), options);
}

}  // namespace

TEST_CASE("the estimated cost of a search: rows grow with the patterns, look-ups hardly, sites with the pairs") {
  REQUIRE(scan::estimated_cost({}, {}) == 0);
  const auto rows = scan::ScanMethod::rows;
  REQUIRE(cost(20000, 0, "", rows) == Approx(20 * cost(1000, 0, "", rows)).epsilon(0.05));
  REQUIRE(cost(20000, 0) < 3 * cost(1000, 0));
  REQUIRE(cost(20000, 0) < cost(20000, 0, "", rows) / 20);
  REQUIRE(cost(1, 0) == Approx(cost(1, 0, "", rows)));
  REQUIRE(cost(1000, 2) < cost(1000, 2, "", rows) / 5);
  REQUIRE(cost(1000, 3, "NGG") < cost(1000, 3, "NGG", rows) / 10);
  REQUIRE(cost(10, 3, "NGG") < cost(1000, 3, "NGG"));
}
