#include "io/write/position_track.hpp"

#include <charconv>
#include <optional>

#include "base/append_number.hpp"
#include "base/error.hpp"
#include "io/format/file_format.hpp"
#include "io/write/bigwig_track.hpp"
#include "io/write/output_file.hpp"
#include "io/write/text_output.hpp"

namespace trawl::io {
namespace {

class BedGraphTrack final : public PositionTrack {
 public:
  BedGraphTrack(const TrackOptions& options, std::optional<int> compression,
                const std::vector<sequence::Contig>& contigs)
      : contigs_(contigs), value_(options.value), output_(options.path, compression) {}

 private:
  void put(const Interval& interval) override {
    text_ += contigs_[interval.contig].name;
    for (const std::uint64_t number : {interval.begin, interval.end}) {
      text_ += '\t';
      append_number(text_, number);
    }
    text_ += '\t';
    if (value_ == TrackValue::count) {
      append_number(text_, interval.loci);
    } else {
      append_mappability(interval.loci);
    }
    text_ += '\n';
    output_.write_full(text_);
  }

  void finish() override {
    output_.write(text_);
    output_.close();
  }

  // Six digits that count, as C++ streams and printf("%g") write them.
  void append_mappability(std::uint64_t loci) {
    char digits[32];
    const auto end =
        std::to_chars(digits, digits + sizeof digits, mappability_of(loci), std::chars_format::general, 6).ptr;
    text_.append(digits, end);
  }

  const std::vector<sequence::Contig>& contigs_;
  TrackValue value_;
  TextOutput output_;
  std::string text_;
};

}  // namespace

TrackFormat track_format(const std::string& path) {
  constexpr TrackFormat formats[] = {TrackFormat::bedgraph,    TrackFormat::bedgraph, TrackFormat::bedgraph_gz,
                                     TrackFormat::bedgraph_gz, TrackFormat::bigwig,   TrackFormat::bigwig};
  const auto extension =
      extension_of(path, {".bedgraph", ".bg", ".bedgraph.gz", ".bg.gz", ".bw", ".bigwig"}, "bedGraph");
  const TrackFormat format = extension ? formats[*extension] : TrackFormat::bedgraph;
  if (format == TrackFormat::bigwig && !has_bigwig()) {
    throw UsageError("the output " + path +
                     ": this build cannot write bigWig; write .bedgraph, or build Trawl with libBigWig (Debian: "
                     "libbigwig-dev)");
  }
  return format;
}

void PositionTrack::put_last() {
  if (last_.end > last_.begin) {
    ++intervals_;
    put(last_);
  }
}

void PositionTrack::add(std::size_t contig, std::uint64_t begin, std::span<const std::uint64_t> loci) {
  for (std::size_t i = 0; i < loci.size();) {
    std::size_t next = i + 1;
    while (next < loci.size() && loci[next] == loci[i]) {
      ++next;
    }
    if (last_.contig == contig && last_.end == begin + i && last_.loci == loci[i]) {
      last_.end = begin + next;
    } else {
      put_last();
      last_ = {contig, begin + i, begin + next, loci[i]};
    }
    i = next;
  }
}

void PositionTrack::close() {
  put_last();
  last_ = {};
  finish();
}

std::unique_ptr<PositionTrack> make_position_track(const TrackOptions& options,
                                                   const std::vector<sequence::Contig>& contigs) {
  const TrackFormat format = track_format(options.path);
  if (format == TrackFormat::bigwig) {
    return make_bigwig_track(options.path, options.value, contigs);
  }
  return std::make_unique<BedGraphTrack>(
      options, format == TrackFormat::bedgraph_gz ? std::optional(options.compression_level) : std::nullopt, contigs);
}

bool has_bigwig() {
#ifdef TRAWL_HAS_BIGWIG
  return true;
#else
  return false;
#endif
}

}  // namespace trawl::io
