// The options of `trawl map`: what is written to the records, and how the work is done.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "align/pair_rule.hpp"
#include "align/report_rule.hpp"
#include "engine/work_options.hpp"

namespace trawl::seed {
class SeedIndex;
}

namespace trawl::map {

/// The largest edit distance allowed for a read: a number, or a percentage of its length, rounded down.
struct MaxEdits {
  bool is_fraction = true;
  double percent = 5.0;     // if is_fraction
  std::uint32_t edits = 0;  // otherwise

  std::uint32_t of(std::size_t read_length) const {
    return is_fraction ? static_cast<std::uint32_t>(percent / 100.0 * static_cast<double>(read_length) + 1e-9) : edits;
  }
};

using align::kMaxEdits;
using align::Report;

enum class Ambiguous { mismatch, match };
enum class Search { automatic, seeds, scan };

struct Options : engine::WorkOptions {
  MaxEdits max_edits;
  Report report = Report::best;
  std::uint32_t strata = 0;    // with Report::strata: loci up to this many edits worse than the best
  std::uint64_t max_hits = 0;  // alignments per read; 0: no limit
  Ambiguous ambiguous = Ambiguous::mismatch;
  bool eqx = false;  // write = and X instead of M in CIGARs
  Search search = Search::automatic;
  align::PairRule pairs;
  // Of the reference, if there is one already; otherwise an engine that needs one builds it.
  std::shared_ptr<const seed::SeedIndex> seeds;

  align::ReportRule report_rule() const { return {report, strata, max_hits}; }
};

/// Seconds that a worker spent in each stage.
struct StageSeconds {
  double seed = 0;
  double verify = 0;
  double scan = 0;
  double align = 0;
  double copy = 0;  // to and from a device

  StageSeconds& operator+=(const StageSeconds& other) {
    seed += other.seed;
    verify += other.verify;
    scan += other.scan;
    align += other.align;
    copy += other.copy;
    return *this;
  }
};

}  // namespace trawl::map
