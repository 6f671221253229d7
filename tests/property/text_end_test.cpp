// Nothing is read before the arrays of a reference or after them: each lies beside memory that cannot be read, first at
// its begin, then at its end.
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/engine_choice.hpp"
#include "scan/find/cpu_finder.hpp"
#include "tests/catch.hpp"
#include "tests/conformance/map_reads.hpp"
#include "tests/finder_ends.hpp"
#include "tests/guarded_text.hpp"
#include "tests/random_cases.hpp"
#include "tests/scan_cases.hpp"

using namespace trawl;
using namespace trawl::tests;

namespace {

template <class T>
sequence::HugeArray<T> guarded(std::span<const T> array, GuardedText::At at) {
  const std::string_view bytes(reinterpret_cast<const char*>(array.data()), array.size_bytes());
  const auto text = std::make_shared<GuardedText>(bytes, at);
  return sequence::HugeArray<T>::view(text, reinterpret_cast<const T*>(text->view().data()), array.size());
}

sequence::Reference guarded(const sequence::Reference& reference, GuardedText::At at) {
  sequence::Reference::Parts parts;
  parts.contigs = reference.contigs();
  parts.runs = reference.ambiguous_runs();
  parts.planes = guarded(reference.planes(), at);
  parts.ambiguous = guarded(reference.ambiguous(), at);
  const auto summary = sequence::summarise(reference.ambiguous());
  parts.summary = guarded(std::span<const std::uint64_t>(summary.data(), summary.size()), at);
  return sequence::Reference(std::move(parts));
}

constexpr GuardedText::At kBoth[] = {GuardedText::At::begin, GuardedText::At::end};

// The same ends beside memory that cannot be read.
void check(const scan::PatternList& patterns, const scan::ScanOptions& options,
           const std::vector<std::string>& contigs) {
  const auto queries = scan::make_queries(patterns, options);
  const auto reference = make_reference(contigs);
  const auto finder = scan::make_cpu_finder(queries, options);
  const auto expected = ends_of(*finder, reference);
  for (const auto at : kBoth) {
    REQUIRE(ends_of(*finder, guarded(reference, at)) == expected);
  }
}

}  // namespace

TEST_CASE("patterns are searched without reading beyond the reference") {
  RandomCases random(201);
  for (int n = 0; n < 300; ++n) {
    auto c = make_piece_case(random, 700);
    c.patterns.add("a", std::string(random.number(c.options.max_edits + 4, 70), 'A'));  // letters in gaps look like A
    c.options.max_edits = random.chance(0.4) ? 0 : c.options.max_edits;
    c.options.search = static_cast<scan::ScanMethod>(random.number(0, 2));
    c.options.ambiguous_matches = random.chance(0.3);
    CAPTURE(n, c.options.max_edits, static_cast<int>(c.options.search));
    check(c.patterns, c.options, c.contigs);
  }
}

TEST_CASE("guides are searched without reading beyond the reference") {
  RandomCases random(202);
  for (int n = 0; n < 60; ++n) {
    auto c = make_guide_case(random, 700, 8);
    c.patterns.add("a", std::string(random.number(20, 24), 'A'));
    c.options.search = random.chance(0.7) ? scan::ScanMethod::pieces : scan::ScanMethod::automatic;
    CAPTURE(n, c.options.max_edits, c.options.pam.bases);
    check(c.patterns, c.options, c.contigs);
  }
}

TEST_CASE("reads are mapped without reading beyond the reference") {
  RandomCases random(203);
  for (int n = 0; n < 100; ++n) {
    map::MapOptions options;
    options.max_edits = random_max_edits(random);
    options.report = random.chance(0.5) ? map::Report::all : map::Report::best;
    options.ambiguous = random.chance(0.3) ? map::Ambiguous::match : map::Ambiguous::mismatch;
    options.search = random.chance(0.5) ? map::SearchMethod::automatic : map::SearchMethod::seeds;
    if (random.chance(0.5)) {
      options.clip.most = {true, 45, 0};
      options.clip.split = random.chance(0.5);
    }
    const auto contigs = random.contigs(0.01);
    auto reads = random_reads(random, contigs, options.max_edits, 0.001, 150);
    for (const std::string& contig : contigs) {
      reads.push_back({"first", contig.substr(0, random.number(20, 100)), ""});
      reads.push_back(
          {"last", contig.substr(contig.size() - std::min<std::size_t>(contig.size(), random.number(20, 100))), ""});
    }
    const auto reference = make_reference(contigs);
    const auto texts = [&](const sequence::Reference& of) {
      std::vector<std::string> found;
      const auto batch = map_with(*pipeline::make_engine("cpu", of, options)->make_worker(), reads);
      for (std::size_t r = 0; r < reads.size(); ++r) {
        found.push_back(text_of(batch, r));
      }
      return found;
    };
    CAPTURE(n);
    const auto expected = texts(reference);
    for (const auto at : kBoth) {
      REQUIRE(texts(guarded(reference, at)) == expected);
    }
  }
}
