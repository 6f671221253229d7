// Mapping quality on the device: the sums of align/mapq.hpp and align/pairing.hpp. The order of the terms does not
// matter.
#pragma once

#include <cstdint>

#include "align/alignment.hpp"
#include "align/mapq.hpp"
#include "align/pairing.hpp"
#include "gpu/map/align.hpp"
#include "gpu/map/chosen_reads.hpp"
#include "gpu/map/loci.hpp"
#include "gpu/map/pairs.hpp"

namespace trawl::gpu {

/// The start values for the mapping quality of a read whose chosen alignment costs `cost`.
TRAWL_HOST_DEVICE inline align::QualitySum start_quality(const BatchView& view, std::uint64_t locus,
                                                         std::uint64_t cost) {
  const ReadEntry& read = view.read_of(locus);
  align::QualitySum sum;
  sum.start(*view.model, cost, view.format.distance(locus),
            align::average_cost(*view.model, view.qualities(locus).qualities, read.length), read.allowed_edits);
  return sum;
}

/// Item r is a read: computes the start values of its mapping quality.
struct StartQualities {
  BatchView view;
  ChosenReads chosen;
  PathsView paths;
  align::QualitySum* sums;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t r) const {
    if (chosen.weighed[r] == WeighedLocus::of_read) {
      const std::uint64_t cost = path_cost(view, paths, chosen.primaries[r], chosen.results[r].first).cost;
      sums[r] = start_quality(view, chosen.primaries[r], cost);
    }
  }
};

/// Item l is a locus: adds its weight to the sum of its read, if it competes with the locus weighed there.
struct WeighLoci {
  BatchView view;
  ChosenReads chosen;
  align::QualitySum* sums;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t l) const {
    const std::uint64_t locus = view.loci.loci[l];
    const std::uint64_t r = view.format.read(locus);
    const unsigned distance = view.format.distance(locus);
    if (chosen.weighed[r] == WeighedLocus::none || locus == chosen.primaries[r] ||
        !align::QualitySum::counts(distance, chosen.best[r], strata(r))) {
      return;
    }
    const std::uint64_t weight = sums[r].weight(*view.model, view.cost_beside(sums[r], l));
    if (weight > 0) {
      add_to(&sums[r].others, weight);
    }
  }

 private:
  TRAWL_HOST_DEVICE std::uint32_t strata(std::uint64_t r) const {
    return chosen.weighed[r] == WeighedLocus::of_pair                   ? align::kPairStrata
           : align::are_enough(view.rule, chosen.results[r].best_count) ? 0
                                                                        : align::MapqModel::kStrata;
  }
};

/// Item r is a read: computes the mapping quality of its primary record.
struct PutQualities {
  ChosenReads chosen;
  const align::QualitySum* sums;
  const align::MapqModel* model;
  align::Alignment* alignments;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t r) const {
    if (chosen.weighed[r] == WeighedLocus::of_read) {
      alignments[chosen.results[r].first].mapq = static_cast<std::uint8_t>(sums[r].quality(*model));
    }
  }
};

/// Item l is a locus: adds the weights of its pairs to the sums of its pair of mates.
struct WeighPairs {
  PairsView view;
  PairSearch* search;
  const align::PairResult* results;
  const align::PairChoice* choices;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t l) const {
    with_pair_of(view, l, [&](std::uint64_t p, const DevicePair& pair, std::uint32_t a) {
      if (results[p].count == 0) {
        return;
      }
      const align::PairSums sums = align::weigh_pairs(pair.pairing, a, view.rule, choices[p], *view.model);
      if (sums.first > 0) {
        add_to(&search[p].sums.first, sums.first);
      }
      if (sums.second > 0) {
        add_to(&search[p].sums.second, sums.second);
      }
    });
  }
};

/// Item p is a pair: computes the start values of its mates' mapping quality.
struct StartPairQualities {
  PairsView view;
  const align::PairResult* results;
  const align::PairChoice* choices;
  align::QualitySum* sums;  // [read]

  TRAWL_HOST_DEVICE void operator()(std::uint64_t p) const {
    if (results[p].count > 0) {
      const DevicePair pair(view, p);
      const auto start = [this](const DeviceMate& mate, std::uint32_t i) {
        return start_quality(view, view.loci.loci[mate.index(i)], mate.cost(i));
      };
      sums[2 * p] = start(pair.first, choices[p].first);
      sums[2 * p + 1] = start(pair.second, choices[p].second);
    }
  }
};

/// Item p is a pair: computes the mapping qualities of its primary pair.
struct PutPairQualities {
  const align::PairResult* results;
  const align::PairChoice* choices;
  const align::QualitySum* sums;
  const PairSearch* search;
  const align::AlignmentPair* pairs;
  align::InsertModel inserts;
  const align::MapqModel* model;
  align::Alignment* alignments;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t p) const {
    if (results[p].count == 0) {
      return;
    }
    const align::AlignmentPair& primary = pairs[results[p].first];
    const align::QualitySum& first = sums[2 * p];
    const align::QualitySum& second = sums[2 * p + 1];
    const std::uint32_t insert_cost = inserts.cost(choices[p].insert);
    alignments[primary.mates[0]].mapq =
        static_cast<std::uint8_t>(align::mate_quality(*model, search[p].sums.first, first, second, insert_cost));
    alignments[primary.mates[1]].mapq =
        static_cast<std::uint8_t>(align::mate_quality(*model, search[p].sums.second, second, first, insert_cost));
  }
};

}  // namespace trawl::gpu
