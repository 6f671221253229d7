// The number of loci of every position, or 1 divided by it, as bedGraph or bigWig, depending on the extension of the
// path. Neighbouring positions with the same number become one line.
//
//   with: const sequence::Reference reference = reference_of("GATTACA")
//   const auto track = make_position_track({.path = "loci.bedgraph"}, reference.contigs());
//   track->add(0, 0, std::vector<std::uint64_t>{1, 1, 1, 2});       // chr1  0  3  1
//   track->add(0, 4, std::vector<std::uint64_t>{2, 2});             // chr1  3  6  2
//   track->close();                                                 // now loci.bedgraph exists
//   track->intervals() == 2
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/write/bgzf_compressor.hpp"
#include "sequence/reference.hpp"

namespace trawl::io {

enum class TrackFormat { bedgraph, bedgraph_gz, bigwig };

/// The format for the path's extension; bedGraph for streams without one. Throws UsageError for an unknown extension,
/// and for bigWig if this build cannot write it.
TrackFormat track_format(const std::string& path);

/// Whether this build can write bigWig (libBigWig).
bool has_bigwig();

/// What is written for the number n of loci: n; or 1 / n, and 0 for 0.
enum class TrackValue { count, mappability };

/// 1 / n as it is written, which is how GenMap computes it.
inline float mappability_of(std::uint64_t loci) { return loci == 0 ? 0.0F : 1.0F / static_cast<float>(loci); }

struct TrackOptions {
  std::string path = "-";
  TrackValue value = TrackValue::count;
  int compression_level = default_compression_level();  // of bedgraph.gz
};

class PositionTrack {
 public:
  virtual ~PositionTrack() = default;

  /// Adds the numbers of loci of the positions from `begin` on of a contig. Contigs and positions must come in order;
  /// positions may be left out. Throws IoError.
  void add(std::size_t contig, std::uint64_t begin, std::span<const std::uint64_t> loci);
  /// Completes the file and gives it its name. If the track is not closed, no file is left. Throws IoError.
  void close();
  /// Intervals of positions with the same number, so far.
  std::uint64_t intervals() const { return intervals_; }

 protected:
  struct Interval {
    std::size_t contig = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t loci = 0;
  };
  virtual void put(const Interval& interval) = 0;
  virtual void finish() = 0;

 private:
  void put_last();

  Interval last_;  // may become longer; none if it is empty
  std::uint64_t intervals_ = 0;
};

/// `contigs` must outlive the track. Values of bigWig are stored as 32-bit floating point: whole numbers above
/// 16,777,216 are rounded. Throws UsageError, also if bigWig would go to a stream; Error if a contig is too long for
/// it; IoError.
std::unique_ptr<PositionTrack> make_position_track(const TrackOptions& options,
                                                   const std::vector<sequence::Contig>& contigs);

}  // namespace trawl::io
