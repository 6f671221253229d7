// The number of loci of every read of a reference: the same as if the reads were mapped, with every engine.
#include "mappability/position_loci.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pipeline/engine_choice.hpp"
#include "tests/catch.hpp"
#include "tests/conformance/map_reads.hpp"
#include "tests/conformance/position_counts.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;
using namespace trawl::tests;

namespace {

std::vector<Read> reads_of(const std::vector<std::string>& contigs, std::uint32_t length) {
  std::vector<Read> reads;
  for (const std::string& contig : contigs) {
    for (std::size_t i = 0; i + length <= contig.size(); ++i) {
      reads.push_back({"read", contig.substr(i, length), ""});
    }
  }
  return reads;
}

}  // namespace

TEST_CASE("the loci of every position are those of its read, mapped", "[long]") {
  RandomCases random(1701);
  std::uint64_t several = 0;
  for (std::size_t n = 0; n < 12 / kFewer; ++n) {
    const double ambiguity = random.chance(0.5) ? 0 : 0.01;
    const auto contigs = repetitive_contigs(random, ambiguity);
    const auto reference = make_reference(contigs);
    mappability::ReferenceReads reads;
    // Shorter reads with more edits match nearly everywhere, which takes long.
    reads.length = static_cast<std::uint32_t>(random.number(10, random.chance(0.7) ? 130 : 300));
    reads.max_edits = static_cast<std::uint32_t>(random.number(0, std::min<std::size_t>(reads.length / 8, 7)));
    map::MapOptions options;
    options.max_edits = {false, 0, reads.max_edits};
    options.report = map::Report::all;
    reads.gaps = n % 2 == 0;
    options.metric = reads.gaps ? map::Metric::levenshtein : map::Metric::hamming;
    const auto all_reads = reads_of(contigs, reads.length);
    const auto mapped = map_with(*pipeline::make_engine("cpu", reference, options)->make_worker(), all_reads);
    const std::size_t at_once = random.chance(0.5) ? 2048 : random.number(1, 100);
    for (const auto& name : usable_engines()) {
      INFO("case " << n << ", engine " << name << ", -l " << reads.length << " -e " << reads.max_edits << ", gaps "
                   << reads.gaps);
      const auto counts = counts_of(*pipeline::make_engine(name, reference, options), reference, reads, at_once);
      REQUIRE(counts.size() == all_reads.size());
      // Not a check for each read: that would take most of the time.
      std::size_t wrong = 0;
      while (wrong < counts.size() && counts[wrong] == mapped.reads[wrong].count) {
        several += counts[wrong++] > 1 ? 1 : 0;
      }
      if (wrong < counts.size()) {
        CAPTURE(wrong, all_reads[wrong].bases, counts[wrong]);
        REQUIRE(counts[wrong] == mapped.reads[wrong].count);
      }
    }
  }
  CHECK(several > 1000 / kFewer);
}

TEST_CASE("the loci of every position are those of the oracle") {
  RandomCases random(1702);
  for (std::size_t n = 0; n < 12 / kFewer; ++n) {
    std::vector<std::string> contigs = repetitive_contigs(random, 0.003);
    contigs.resize(1);
    contigs.front().resize(std::min<std::size_t>(contigs.front().size(), 700));
    const auto reference = make_reference(contigs);
    const bool gaps = n % 3 == 0;  // the oracle is slower with gaps
    const mappability::ReferenceReads reads{static_cast<std::uint32_t>(random.number(gaps ? 20 : 8, 110)),
                                            static_cast<std::uint32_t>(random.number(0, gaps ? 4 : 7)), gaps};
    map::MapOptions options;
    options.max_edits = {false, 0, reads.max_edits};
    options.metric = gaps ? map::Metric::levenshtein : map::Metric::hamming;
    const auto counts = counts_of(*pipeline::make_engine("cpu", reference, options), reference, reads, 64);
    for (std::size_t r = 0; r < counts.size(); ++r) {
      const std::string read = contigs.front().substr(r, reads.length);
      const std::size_t expected = oracle_count(contigs, read, reads.max_edits, gaps);
      INFO("case " << n << ", -l " << reads.length << " -e " << reads.max_edits << ", gaps " << gaps << ", read "
                   << read);
      REQUIRE(counts[r] == expected);
    }
  }
}

TEST_CASE("a known read is found by its bases, on either strand, and no other is") {
  RandomCases random(1703);
  std::size_t found = 0;
  for (int n = 0; n < 300; ++n) {
    const auto length = static_cast<std::uint32_t>(random.number(1, 200));
    const std::string read = random.bases(length);
    const std::string other = random.mutate(read, 1);
    const std::string text =
        read + random.bases(9) + sequence::reverse_complement(read) + random.bases(7) + other + read;
    const auto reference = make_reference({text});
    mappability::KnownReads known(reference, length, text.size());
    mappability::ReadHash hash(length);
    std::vector<std::uint64_t> hashes;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (i >= length) {
        hash.remove(sequence::base_code(text[i - length]));
      }
      hash.add(sequence::base_code(text[i]));
      if (i + 1 >= length) {
        hashes.push_back(hash.value());
      }
    }
    const std::uint64_t offset = reference.contigs()[0].offset;
    known.add(hashes[0], offset, 5);
    for (std::size_t i = 0; i + length <= text.size(); ++i) {
      const std::string here = text.substr(i, length);
      const bool same = here == read || here == sequence::reverse_complement(read);
      // Even a wrong hash must not lead to a wrong count.
      for (const std::uint64_t asked : {hashes[i], hashes[0]}) {
        const auto count = known.find(asked, offset + i);
        INFO("case " << n << ", -l " << length << ", at " << i << " of " << text);
        REQUIRE(count.value_or(0) == (same ? 5 : 0));
        found += same ? 1 : 0;
      }
    }
  }
  CHECK(found > 1000);
}
