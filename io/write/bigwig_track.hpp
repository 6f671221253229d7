// A position track as bigWig, written by libBigWig.
//
//   with: const std::vector<sequence::Contig>& contigs, std::span<const std::uint64_t> loci
//   const auto track = make_bigwig_track("loci.bw", TrackValue::count, contigs);
//   track->add(0, 0, loci);        // of contig 0, from its begin on
//   track->close();                // now loci.bw exists
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/write/position_track.hpp"

namespace trawl::io {

/// Values are stored as 32-bit floating point: whole numbers above 16,777,216 are rounded. `contigs` must outlive the
/// track. Throws UsageError if `path` is a stream, Error if a contig is too long or this build has no libBigWig,
/// IoError.
std::unique_ptr<PositionTrack> make_bigwig_track(const std::string& path, TrackValue value,
                                                 const std::vector<sequence::Contig>& contigs);

}  // namespace trawl::io
