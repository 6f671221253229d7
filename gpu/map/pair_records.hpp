// Which records concordant pairs become, and in which order; and which records mates have beside them.
#pragma once

#include <cstdint>

#include "align/alignment.hpp"
#include "align/pairing.hpp"
#include "align/select.hpp"
#include "gpu/map/align.hpp"
#include "gpu/map/choose_pairs.hpp"
#include "gpu/map/pairs.hpp"

namespace trawl::gpu {

/// Item l is a locus: lists its pairs. `keys` sort them by pair, then the primary one first, then by their sum of
/// edits; the order of equal ones is canonical.
struct ListPairs {
  PairsView view;
  PairSearch search;
  const align::PairChoice* choices;
  const std::uint32_t* first_entry;  // [locus]
  std::uint64_t* entries;            // places of the two alignments
  std::uint64_t* keys;
  std::uint32_t* order;

  static constexpr unsigned kSumBits = 7;
  static_assert(2 * kMaxDeviceEdits + 2 < (1u << kSumBits));

  TRAWL_HOST_DEVICE void operator()(std::uint64_t l) const {
    std::uint32_t at = first_entry[l];
    if (at == first_entry[l + 1]) {
      return;
    }
    with_pair_of(view, l, [&](std::uint64_t p, const DevicePair& pair, std::uint32_t a) {
      const align::PairChoice& choice = choices[p];
      pair.pairing.for_each_concordant(a, reported_sums(view, search, p), [&](std::uint32_t b, std::uint64_t) {
        const bool is_primary = a == choice.first && b == choice.second;
        entries[at] = std::uint64_t{pair.first.place(a)} << 32 | pair.second.place(b);
        keys[at] = p << kSumBits | (is_primary ? 0 : pair.pairing.sum(a, b) + 1);
        order[at] = at;
        ++at;
      });
    });
  }
};

/// Item p is a pair: reports its primary pair, and no other.
struct PutPrimaryPairs {
  PairsView view;
  const align::PairResult* results;
  const align::PairChoice* choices;
  std::uint64_t* reported;  // as in PutPairs
  std::uint32_t* used;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t p) const {
    if (results[p].count > 0) {
      const std::uint32_t first = view.places[view.first_locus[2 * p] + choices[p].first];
      const std::uint32_t second = view.places[view.first_locus[2 * p + 1] + choices[p].second];
      reported[results[p].first] = std::uint64_t{first} << 32 | second;
      used[first] = 1;
      used[second] = 1;
    }
  }
};

/// Item i is a listed pair, in sorted order: reports it, unless max_hits leaves it out.
struct PutPairs {
  const std::uint64_t* entries;
  const std::uint64_t* keys;
  const std::uint32_t* order;
  PairsView view;
  const std::uint32_t* first_entry;  // [locus]
  const std::uint32_t* first_pair;   // [pair]
  std::uint64_t* reported;           // [pair reported]: places of the two alignments
  std::uint32_t* used;               // [aligned locus]: 1 if it is in a reported pair

  TRAWL_HOST_DEVICE void operator()(std::uint64_t i) const {
    const std::uint64_t p = keys[i] >> ListPairs::kSumBits;
    const std::uint64_t first = first_entry[view.first_locus[2 * p]];
    const std::uint64_t all = first_entry[view.first_locus[2 * p + 2]] - first;
    const std::uint32_t begin = first_pair[p];
    const std::uint32_t count = first_pair[p + 1] - begin;
    std::uint64_t slot = i - first;
    if (slot > 0 && all > count && count > 0) {
      const ReadEntry& read = view.reads.reads[2 * p];
      const auto sum = [&](std::uint64_t other) { return keys[first + 1 + other] & ((1u << ListPairs::kSumBits) - 1); };
      slot = 1 + align::KeptRecords(all - 1, count - 1, sum,
                                    align::name_hash(view.reads.text + read.name, read.name_length))
                     .place(slot - 1);
      slot = slot == 0 ? count : slot;
    }
    if (slot >= count) {
      return;
    }
    const std::uint64_t entry = entries[order[i]];
    reported[begin + slot] = entry;
    used[entry >> 32] = 1;
    used[entry & 0xffffffffu] = 1;
  }
};

/// Item i is an aligned locus: keeps it if it is in a reported pair.
struct KeepUsed {
  const std::uint32_t* positions;  // exclusive sum of PutPairs::used
  const std::uint64_t* records;
  const RecordPath* paths;
  std::uint64_t* kept_records;
  RecordPath* kept_paths;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t i) const {
    if (positions[i + 1] != positions[i]) {
      kept_records[positions[i]] = records[i];
      kept_paths[positions[i]] = paths[i];
    }
  }
};

/// Item i is a reported pair: its alignments are those at these positions.
struct FinishPairs {
  const std::uint64_t* reported;
  const std::uint32_t* positions;
  align::AlignmentPair* pairs;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t i) const {
    pairs[i] = {{positions[reported[i] >> 32], positions[reported[i] & 0xffffffffu]}};
  }
};

/// Item p is a pair: where its reported pairs begin.
struct PlacePairs {
  const std::uint32_t* first_pair;
  align::PairResult* results;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t p) const {
    results[p].first = results[p].count > 0 ? first_pair[p] : 0;
  }
};

/// Item i is a record of a mate alone: keeps it unless its locus is in a reported pair.
struct MarkNotInPairs {
  PairsView view;
  const std::uint32_t* positions;  // as in KeepUsed
  const std::uint64_t* records;
  std::uint32_t* kept;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t i) const {
    const std::uint64_t locus = records[i];
    const std::uint64_t r = view.format.read(locus);
    const std::uint32_t first = view.first_locus[r];
    const std::uint64_t* const own = view.loci + first;
    const LocusFormat format = view.format;
    const std::uint64_t l = first + first_where(view.first_locus[r + 1] - first, [own, format, locus](std::uint64_t k) {
                              return format.reverse(own[k]) != format.reverse(locus)
                                         ? format.reverse(own[k])
                                         : format.end(own[k]) >= format.end(locus);
                            });
    const std::uint32_t place = view.places[l];
    kept[i] = view.places[l + 1] == place || positions[place + 1] == positions[place];
  }
};

/// Item i is a record of a mate alone: moves it to its new position, if it is kept.
struct MoveKept {
  const std::uint32_t* positions;
  const std::uint64_t* records;
  std::uint64_t* kept_records;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t i) const {
    if (positions[i + 1] != positions[i]) {
      kept_records[positions[i]] = records[i];
    }
  }
};

/// Item r is a read: its records are only those that were kept.
struct PlaceKept {
  const std::uint32_t* positions;
  align::ReadResult* results;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t r) const {
    const std::uint64_t first = results[r].first;
    results[r].count = positions[first + results[r].count] - positions[first];
    results[r].first = positions[first];
  }
};

}  // namespace trawl::gpu
