// Devices that fail, for tests: small inputs for all kinds of work, and a loop that lets the first call fail, then the
// second one, and so on.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "pipeline/engine_choice.hpp"
#include "tests/catch.hpp"
#include "tests/conformance/map_pairs.hpp"
#include "tests/conformance/map_reads.hpp"
#include "tests/random_cases.hpp"

namespace trawl::tests {

/// Runs `work` again and again: the device fails at the first call, then at the second, and so on, until `work` makes
/// fewer calls. arm(n) lets the call after n calls fail; arm(-1): none. is_reached(n): that call was made. Each time
/// check_message() gets the message of the Error, or "" if there was none, and `after` is called. Returns how often the
/// device failed.
template <class Arm, class IsReached, class CheckMessage, class Work, class After>
int fail_at_every_call(const Arm& arm, const IsReached& is_reached, const CheckMessage& check_message, const Work& work,
                       const After& after) {
  for (int calls = 0;; ++calls) {
    INFO("after " << calls << " calls");
    arm(calls);
    std::string message;
    try {
      work();
    } catch (const Error& error) {
      message = error.what();
    }
    const bool failed = is_reached(calls);
    arm(-1);
    after();
    if (!failed) {
      REQUIRE(message == "");
      return calls;
    }
    check_message(message);
  }
}

/// Reads and pairs of a small reference with copies of itself, and the same for every kind of work.
struct DeviceInput {
  std::vector<std::string> contigs;
  sequence::Reference reference;
  map::MapOptions options;
  align::InsertModel inserts{.min = 1, .max = 400};
  std::vector<Read> reads;
  std::vector<Mates> pairs;

  explicit DeviceInput(map::Report report, double ambiguity = 0) {
    RandomCases random(109);
    contigs = {random.contig(4000, ambiguity)};
    contigs.push_back(random.contig(500, ambiguity) + contigs[0].substr(1000, 700));
    reference = make_reference(contigs);
    options.max_edits = {false, 0, 3};
    options.report = report;
    for (int r = 0; r < 20; ++r) {
      reads.push_back({"read", random.read(contigs, 60, 3, 0), ""});
    }
    reads.push_back({"long", random.read(contigs, 1100, 3, 0), ""});  // the device leaves it to the CPU
    for (int p = 0; p < 10; ++p) {
      pairs.push_back(random_mates(random, contigs, options, 0, 80));
    }
  }

  std::vector<std::string> records_of_reads(engine::Worker& worker) const {
    std::vector<std::string> texts;
    const auto singles = map_with(worker, reads);
    for (std::size_t r = 0; r < reads.size(); ++r) {
      texts.push_back(text_of(singles, r));
    }
    return texts;
  }
  // Those of the pairs, too.
  std::vector<std::string> records(engine::Worker& worker) const {
    auto texts = records_of_reads(worker);
    const auto mates = map_with(worker, pairs);
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      texts.push_back(text_of_pair(mates, p));
    }
    return texts;
  }
  // The same, of the CPU's engine.
  std::vector<std::string> expected() const {
    const auto made = pipeline::make_engine("cpu", reference, options);
    made->set_inserts(inserts);
    return records(*made->make_worker());
  }
};

}  // namespace trawl::tests
