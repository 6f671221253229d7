// Which loci of a read are reported, and in which order.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "map/locus.hpp"
#include "map/options.hpp"

namespace trawl::map {

struct Selection {
  std::vector<std::uint32_t> order;  // indices of the loci to report, the primary one first
  std::uint32_t best_count = 0;      // loci in the best stratum
  std::uint32_t next_count = 0;      // loci one edit worse
  std::uint32_t dropped = 0;         // loci that max_hits leaves out
};

/// A number from the read's name that is the same everywhere; it picks the primary locus among equals, so that reads
/// from a repeat spread over its copies (FNV-1a, Fowler, Noll and Vo).
std::uint64_t name_hash(std::string_view name);

/// `loci` hold the forward strand's first, each strand's in ascending order. The primary locus is one of the best
/// stratum, chosen by `hash`; the others follow by distance, then place, then strand.
void select(std::span<const Locus> loci, const Options& options, std::uint64_t hash, Selection& selection);

}  // namespace trawl::map
