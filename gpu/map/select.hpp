// Which loci of a read become records, as align/select.hpp has it.
#pragma once

#include <cstdint>

#include "align/alignment.hpp"
#include "align/select.hpp"
#include "gpu/map/loci.hpp"
#include "gpu/map/reads.hpp"
#include "map/options.hpp"

namespace trawl::gpu {

/// Item r is a read: its counts and its primary locus. `loci` as BuildLoci left them: forward strand first, ascending.
struct SelectPrimaries {
  ReadsView reads;
  const std::uint64_t* loci;
  const std::uint32_t* first_locus;
  LocusFormat format;
  align::ReportRule rule;
  align::ReadResult* results;   // `first` is not known yet
  std::uint64_t* primaries;     // where count > 0
  std::uint32_t* record_count;  // records of the read

  TRAWL_HOST_DEVICE void operator()(std::uint64_t r) const {
    const std::uint32_t begin = first_locus[r];
    const std::uint32_t end = first_locus[r + 1];
    align::ReadResult result;
    result.unmapped = reads.reads[r].too_short ? align::Unmapped::too_short : align::Unmapped::no_locus;
    if (begin < end) {
      unsigned best = ~0u;
      for (std::uint32_t l = begin; l < end; ++l) {
        const unsigned distance = format.distance(loci[l]);
        best = distance < best ? distance : best;
      }
      std::uint64_t reported = 0;
      for (std::uint32_t l = begin; l < end; ++l) {
        const unsigned distance = format.distance(loci[l]);
        result.best_count += distance == best;
        result.next_count += distance == best + 1;
        reported += rule.report == align::Report::all || distance <= best + rule.strata;
      }
      result.next_known = best < reads.reads[r].max_edits;
      primaries[r] = pick(r, begin, best, result.best_count);
      if (rule.report == align::Report::best) {
        reported = 1;
      } else if (rule.max_hits > 0 && reported > rule.max_hits) {
        result.dropped = static_cast<std::uint32_t>(reported - rule.max_hits);
        reported = rule.max_hits;
      }
      result.count = static_cast<std::uint32_t>(reported);
    }
    results[r] = result;
    record_count[r] = result.count;
  }

 private:
  TRAWL_HOST_DEVICE std::uint64_t pick(std::uint64_t r, std::uint32_t l, unsigned best,
                                       std::uint32_t best_count) const {
    const ReadEntry& read = reads.reads[r];
    std::uint64_t skip = align::name_hash(reads.text + read.name, read.name_length) % best_count;
    while (format.distance(loci[l]) != best || skip-- > 0) {
      ++l;
    }
    return loci[l];
  }
};

/// Item r is a read: its records begin behind those of the reads before.
struct PlaceRecords {
  const std::uint32_t* first_record;
  align::ReadResult* results;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t r) const { results[r].first = first_record[r]; }
};

/// Item r is a read: its primary record.
struct PutPrimaries {
  const align::ReadResult* results;
  const std::uint64_t* primaries;
  std::uint64_t* records;  // a locus each

  TRAWL_HOST_DEVICE void operator()(std::uint64_t r) const {
    if (results[r].count > 0) {
      records[results[r].first] = primaries[r];
    }
  }
};

/// Item l is a locus, sorted now: its secondary record, if it has one.
struct PutSecondaries {
  const std::uint64_t* loci;
  const std::uint32_t* first_locus;
  LocusFormat format;
  const align::ReadResult* results;
  const std::uint64_t* primaries;
  std::uint64_t* records;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t l) const {
    const std::uint64_t r = format.read(loci[l]);
    if (loci[l] == primaries[r]) {
      return;
    }
    const std::uint64_t rank = l - first_locus[r];
    const std::uint64_t slot = loci[l] < primaries[r] ? rank + 1 : rank;
    if (slot < results[r].count) {
      records[results[r].first + slot] = loci[l];
    }
  }
};

}  // namespace trawl::gpu
