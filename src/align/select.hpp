// Which loci of a read are reported, and in which order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "align/locus.hpp"
#include "align/report_rule.hpp"
#include "base/host_device.hpp"

namespace trawl::align {

struct Selection {
  std::vector<std::uint32_t> order;  // indices of the loci to report, the primary one first
  std::uint32_t best_count = 0;      // loci in the best stratum
  std::uint32_t next_count = 0;      // loci one edit worse
  std::uint32_t dropped = 0;         // loci that max_hits leaves out
};

/// A number from the read's name that is the same everywhere; it picks the primary locus among equals, so that reads
/// from a repeat spread over its copies (FNV-1a, Fowler, Noll and Vo).
TRAWL_HOST_DEVICE inline std::uint64_t name_hash(const char* name, std::size_t length) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (std::size_t i = 0; i < length; ++i) {
    hash = (hash ^ static_cast<unsigned char>(name[i])) * 0x100000001b3u;
  }
  return hash ^ (hash >> 32);
}
inline std::uint64_t name_hash(std::string_view name) { return name_hash(name.data(), name.size()); }

/// `loci` hold the forward strand's first, each strand's in ascending order. The primary locus is one of the best
/// stratum, chosen by `hash`; the others follow by distance, then place, then strand.
void select(std::span<const Locus> loci, const ReportRule& rule, std::uint64_t hash, Selection& selection);

}  // namespace trawl::align
