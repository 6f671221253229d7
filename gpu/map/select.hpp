// Chooses which loci of a read become records, by the rules of align/select.hpp.
#pragma once

#include <cstdint>

#include "align/alignment.hpp"
#include "align/select.hpp"
#include "gpu/map/loci.hpp"
#include "gpu/map/reads.hpp"
#include "map/options.hpp"

namespace trawl::gpu {

/// Item r is a read: finds its counts and its primary locus. `loci`: as BuildLoci wrote them, forward strand first,
/// ascending.
struct SelectPrimaries {
  ReadsView reads;
  const std::uint64_t* loci;
  const std::uint32_t* first_locus;
  LocusFormat format;
  align::ReportRule rule;
  align::ReadResult* results;   // `first` is not set yet
  std::uint64_t* primaries;     // set if count > 0
  std::uint32_t* record_count;  // number of records of each read

  TRAWL_HOST_DEVICE void operator()(std::uint64_t r) const {
    const std::uint32_t begin = first_locus[r];
    const std::uint32_t end = first_locus[r + 1];
    align::ReadResult result;
    result.unmapped = reads.reads[r].too_short ? align::Unmapped::too_short : align::Unmapped::no_locus;
    if (begin < end) {
      const ReadEntry& read = reads.reads[r];
      const align::Strata strata = align::find_strata(
          end - begin, [this, begin](std::uint32_t l) { return format.distance(loci[begin + l]); }, rule,
          align::name_hash(reads.text + read.name, read.name_length));
      result.best_count = strata.best_count;
      result.next_count = strata.next_count;
      result.next_known = align::is_next_known(strata.best, read.max_edits);
      result.dropped = strata.dropped(rule);
      result.count = static_cast<std::uint32_t>(strata.reported - result.dropped);
      primaries[r] = loci[begin + strata.primary];
    }
    results[r] = result;
    record_count[r] = result.count;
  }
};

/// Item r is a read: its records begin after those of the reads before it.
struct PlaceRecords {
  const std::uint32_t* first_record;
  align::ReadResult* results;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t r) const { results[r].first = first_record[r]; }
};

/// Item r is a read: writes its primary record.
struct PutPrimaries {
  const align::ReadResult* results;
  const std::uint64_t* primaries;
  std::uint64_t* records;  // one locus per record

  TRAWL_HOST_DEVICE void operator()(std::uint64_t r) const {
    if (results[r].count > 0) {
      records[results[r].first] = primaries[r];
    }
  }
};

/// Item l is a locus, in sorted order: writes its secondary record, if it has one.
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
