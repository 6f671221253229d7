// Makes contigs, reads and options from bytes, and compares the engines' results with the oracle.
#include <fuzzer/FuzzedDataProvider.h>

#include <cstdio>

#include "align/cigar.hpp"
#include "base/error.hpp"
#include "run/engine_choice.hpp"
#include "tests/conformance/read_check.hpp"
#include "tests/fuzz/letters.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;

namespace {

std::string read_of(FuzzedDataProvider& bytes, const std::vector<std::string>& contigs) {
  if (bytes.ConsumeIntegralInRange(0, 3) == 0) {
    return fuzz::letters(bytes, 200);
  }
  const std::string& contig = contigs[bytes.ConsumeIntegralInRange<std::size_t>(0, contigs.size() - 1)];
  std::string read = contig.substr(bytes.ConsumeIntegralInRange<std::size_t>(0, contig.size() - 1),
                                   bytes.ConsumeIntegralInRange<std::size_t>(1, 300));
  for (unsigned edits = bytes.ConsumeIntegralInRange(0u, 8u); edits > 0; --edits) {
    const std::size_t at = bytes.ConsumeIntegralInRange<std::size_t>(0, read.size() - 1);
    const unsigned what = bytes.ConsumeIntegralInRange(0u, 14u);
    if (what < 5) {
      read[at] = "ACGTN"[what];
    } else if (what < 9) {
      read.insert(at, 1, "ACGT"[what - 5]);
    } else if (read.size() > 1) {
      read.erase(at, what - 8);
      read += read.empty() ? "A" : "";
    }
  }
  return bytes.ConsumeBool() ? read : sequence::reverse_complement(read);
}

map::Options options_of(FuzzedDataProvider& bytes) {
  map::Options options;
  options.max_edits.is_share = bytes.ConsumeBool();
  options.max_edits.percent = bytes.ConsumeIntegralInRange(0, 500) / 10.0;
  options.max_edits.number = bytes.ConsumeIntegralInRange(0u, bytes.ConsumeBool() ? 5u : 80u);
  options.report = bytes.PickValueInArray({map::Report::all, map::Report::best, map::Report::strata});
  options.strata = options.report == map::Report::strata ? bytes.ConsumeIntegralInRange(0u, 3u) : 0;
  options.max_hits = bytes.ConsumeIntegralInRange(0u, 4u);
  options.ambiguous = bytes.PickValueInArray({map::Ambiguous::mismatch, map::Ambiguous::match});
  options.eqx = bytes.ConsumeBool();
  options.search = bytes.PickValueInArray({map::Search::automatic, map::Search::seeds, map::Search::scan});
  return options;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider bytes(data, size);
  const map::Options options = options_of(bytes);
  std::vector<std::string> contigs;
  for (unsigned n = bytes.ConsumeIntegralInRange(1u, 6u); n > 0; --n) {
    contigs.push_back(fuzz::letters(bytes, 700));
  }
  std::vector<std::string> reads;
  sequence::ReadBatch batch;
  for (unsigned n = bytes.ConsumeIntegralInRange(1u, 12u); n > 0; --n) {
    reads.push_back(read_of(bytes, contigs));
    batch.add("r" + std::to_string(n), reads.back(),
              bytes.ConsumeBool() ? std::string(reads.back().size(), static_cast<char>('!' + 7 * n)) : "");
  }
  const auto reference = tests::make_reference(contigs);
  const tests::ReadCheck check(contigs, options);
  std::vector<std::vector<tests::Place>> expected;
  for (const std::string& read : reads) {
    expected.push_back(check.loci(read));
  }
  for (const auto& info : run::available_engines()) {
    if (!info.usable) {
      continue;
    }
    const auto engine = run::make_engine(info.name, reference, options);
    align::AlignmentBatch alignments;
    try {
      engine->make_worker()->map(batch, alignments);
    } catch (const Error&) {
      continue;
    }
    fuzz::check(alignments.reads.size() == reads.size());
    for (std::size_t r = 0; r < reads.size(); ++r) {
      const std::string wrong = check.all(reads[r], expected[r], alignments, r);
      if (!wrong.empty()) {
        std::fprintf(stderr, "%s: read %s: %s\ne %u, ambiguous %d, report %d, strata %u, max_hits %zu, search %d\n",
                     std::string(info.name).c_str(), reads[r].c_str(), wrong.c_str(),
                     options.allowed_edits(reads[r].size()), static_cast<int>(options.ambiguous),
                     static_cast<int>(options.report), options.strata, static_cast<std::size_t>(options.max_hits),
                     static_cast<int>(options.search));
        for (std::uint32_t k = 0; k < alignments.reads[r].count; ++k) {
          const align::Alignment& a = alignments.alignments[alignments.reads[r].first + k];
          std::string cigar;
          align::append_cigar(cigar, alignments.cigar_of(a), a.cigar_length);
          std::fprintf(stderr, "record %u: contig %u, %zu%c, %s\n", k, a.contig, static_cast<std::size_t>(a.start),
                       a.reverse ? '-' : '+', cigar.c_str());
        }
        for (const std::string& contig : contigs) {
          std::fprintf(stderr, "%s\n", contig.c_str());
        }
        std::abort();
      }
    }
  }
  return 0;
}
