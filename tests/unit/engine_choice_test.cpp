// Which engine --engine takes, and what happens where it cannot serve.
#include "base/error.hpp"
#include "engine/engine.hpp"
#include "tests/catch.hpp"
#include "tests/random_cases.hpp"
#include "tests/unit/io_files.hpp"

using namespace trawl;
using engine::EngineChoice;
using test::message_of;

namespace {

class NoEngine final : public engine::Engine {
 public:
  std::unique_ptr<engine::Worker> make_worker() override { return nullptr; }
  std::size_t reads_per_batch() const override { return 1; }
  std::size_t batches_under_way(unsigned) const override { return 1; }
  std::string description() const override { return "frail"; }
};

// Where the engine "frail" of this program fails.
enum class Failing { never, unsuited, look, number, warm_up, make };
Failing failing = Failing::never;

void fail_where(Failing here) {
  if (failing == here) {
    throw Error("it is broken");
  }
}

void add_frail_engine() {
  static const bool added = [] {
    engine::EngineEntry entry{"frail", [] { return std::string("fails as told"); },
                              [](const sequence::Reference&, const map::Options&) -> std::unique_ptr<engine::Engine> {
                                fail_where(Failing::make);
                                return std::make_unique<NoEngine>();
                              }};
    entry.unsuited = [](const map::Options&) {
      return std::string(failing == Failing::unsuited ? "it is broken" : "");
    };
    entry.look = [](const map::Options&) {
      fail_where(Failing::look);
      if (failing == Failing::number) {
        throw UsageError("no such device");
      }
    };
    entry.warm_up = [](const map::Options&) { fail_where(Failing::warm_up); };
    engine::add_engine(entry);
    return true;
  }();
  REQUIRE(added);
}

// From the name to the engine's description and why it is that one.
std::string taken(const std::string& name, const map::Options& options) {
  const auto reference = tests::make_reference({"ACGTACGT"});
  EngineChoice choice(name, options);
  choice.warm_up();
  const auto description = choice.make(reference)->description();
  return description.substr(0, description.find(' ')) + ": " + choice.why();
}

}  // namespace

TEST_CASE("auto takes the preferred engine that serves, and says why not another") {
  add_frail_engine();
  map::Options options;
  failing = Failing::never;
  CHECK(taken("auto", options) == "frail: ");
  for (const Failing where : {Failing::unsuited, Failing::warm_up, Failing::make}) {
    failing = where;
    CHECK(taken("auto", options) == "cpu: it is broken");
    CHECK(engine::make_engine("auto", tests::make_reference({"ACGT"}), options) != nullptr);
  }
  options.devices = {7};
  failing = Failing::look;
  CHECK(taken("auto", options) == "cpu: it is broken");
  // What is wrong with the command line is wrong whatever engine is taken.
  failing = Failing::number;
  CHECK_THROWS_AS(EngineChoice("auto", options), UsageError);
}

TEST_CASE("an engine asked for by its name is taken, or it is an error") {
  add_frail_engine();
  const map::Options options;
  // Fit or not: it was asked for.
  for (const Failing where : {Failing::never, Failing::unsuited}) {
    failing = where;
    CHECK(taken("frail", options) == "frail: ");
  }
  failing = Failing::make;
  CHECK(taken("cpu", options) == "cpu: ");
  const std::string message = "--engine frail cannot be used here: it is broken; use --engine cpu";
  for (const Failing where : {Failing::look, Failing::warm_up, Failing::make}) {
    failing = where;
    CHECK(message_of([&] { taken("frail", options); }) == message);
  }
  // Before there is a reference.
  failing = Failing::look;
  CHECK(message_of([&] { EngineChoice("frail", options); }) == message);
  failing = Failing::number;
  CHECK_THROWS_AS(EngineChoice("frail", options), UsageError);
  failing = Failing::never;
  CHECK(message_of([&] { EngineChoice("abacus", options); }) == "--engine abacus: this build has: frail cpu");
  CHECK_THROWS_AS(EngineChoice("abacus", options), UsageError);
}

TEST_CASE("an engine that fails its trial is known, but not usable") {
  add_frail_engine();
  for (const bool broken : {false, true}) {
    failing = broken ? Failing::warm_up : Failing::never;
    const auto engines = engine::available_engines();
    REQUIRE(engines.size() == 2);
    CHECK(engines[0].name == "frail");
    CHECK(engines[0].usable == !broken);
    CHECK(engines[0].reason == (broken ? "it is broken" : ""));
    CHECK(engines[1].name == "cpu");
    CHECK(engines[1].usable);
  }
}
