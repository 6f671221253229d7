// Mapping qualities of concordant pairs, by the rules of align/pair_mapq.hpp.
#pragma once

#include <cstdint>

#include "align/alignment.hpp"
#include "align/pair_mapq.hpp"
#include "gpu/map/mapping_quality.hpp"
#include "gpu/map/pairs.hpp"

namespace trawl::gpu {

/// Item l is a locus: adds the weights of its pairs to the sums of its pair of mates.
struct WeighPairs {
  PairsView view;
  PairSearch search;
  const align::PairResult* results;
  const align::PairChoice* choices;
  const align::MapqModel* model;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t l) const {
    with_pair_of(view, l, [&](std::uint64_t p, const DevicePair& pair, std::uint32_t a) {
      if (results[p].count == 0) {
        return;
      }
      const align::PairSums sums = align::weigh_pairs(pair.pairing, a, view.rule, choices[p], *model);
      if (sums.first > 0) {
        add_to(&search.sums[p].first, sums.first);
      }
      if (sums.second > 0) {
        add_to(&search.sums[p].second, sums.second);
      }
    });
  }
};

/// Item p is a pair: computes the start values of its mates' mapping quality.
struct StartPairQualities {
  PairsView view;
  const align::PairResult* results;
  const align::PairChoice* choices;
  const align::MapqModel* model;
  align::QualitySum* sums;  // [read]

  TRAWL_HOST_DEVICE void operator()(std::uint64_t p) const {
    if (results[p].count > 0) {
      const DevicePair pair(view, p);
      sums[2 * p] = start_quality(view.reads, 2 * p, *model, pair.first.cost(choices[p].first),
                                  pair.first.distance(choices[p].first));
      sums[2 * p + 1] = start_quality(view.reads, 2 * p + 1, *model, pair.second.cost(choices[p].second),
                                      pair.second.distance(choices[p].second));
    }
  }
};

/// Item p is a pair: computes the mapping qualities of its primary pair.
struct PutPairQualities {
  const align::PairResult* results;
  const align::PairChoice* choices;
  const align::QualitySum* sums;
  const align::PairSums* pair_sums;
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
    alignments[primary.mates[0]].mapq = static_cast<std::uint8_t>(
        align::mate_quality(*model, pair_sums[p].first, first, second, inserts.cost(choices[p].insert)));
    alignments[primary.mates[1]].mapq = static_cast<std::uint8_t>(
        align::mate_quality(*model, pair_sums[p].second, second, first, inserts.cost(choices[p].insert)));
  }
};

}  // namespace trawl::gpu
