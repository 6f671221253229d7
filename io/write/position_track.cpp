#include "io/write/position_track.hpp"

#include <charconv>
#include <optional>
#ifdef TRAWL_HAS_BIGWIG
extern "C" {
#include <bigWig.h>
#include <bwCommon.h>
}

#include <cstdio>
#include <limits>
#endif

#include "base/error.hpp"
#include "io/format/file_format.hpp"
#include "io/write/output_file.hpp"
#include "io/write/table_file.hpp"

namespace trawl::io {
namespace {

class BedGraphTrack final : public PositionTrack {
 public:
  BedGraphTrack(const TrackOptions& options, std::optional<int> compression,
                const std::vector<sequence::Contig>& contigs)
      : contigs_(contigs), value_(options.value), table_(options.path, compression, '\t') {}

 private:
  void put(const Interval& interval) override {
    table_.cell(contigs_[interval.contig].name).number(interval.begin).number(interval.end);
    if (value_ == TrackValue::count) {
      table_.number(interval.loci);
    } else {
      // Six digits that count, as C++ streams and printf("%g") write them.
      char digits[32];
      const char* const end =
          std::to_chars(digits, digits + sizeof digits, mappability_of(interval.loci), std::chars_format::general, 6)
              .ptr;
      table_.cell({digits, end});
    }
    table_.end_line();
  }
  void finish() override { table_.close(); }

  const std::vector<sequence::Contig>& contigs_;
  TrackValue value_;
  TableFile table_;
};

#ifdef TRAWL_HAS_BIGWIG

constexpr std::int32_t kZoomLevels = 10;

class BigWigTrack final : public PositionTrack {
 public:
  BigWigTrack(const std::string& path, TrackValue value, const std::vector<sequence::Contig>& contigs)
      : contigs_(contigs), value_(value), file_(path) {
    if (!file_.has_places()) {
      throw UsageError("the output " + path + ": bigWig is not written to a stream; give a file, or .bedgraph");
    }
    std::vector<const char*> names;
    std::vector<std::uint32_t> lengths;
    for (const sequence::Contig& contig : contigs_) {
      if (contig.length > std::numeric_limits<std::uint32_t>::max()) {
        throw Error("contig " + contig.name + " is too long for bigWig (2^32 bases); write .bedgraph");
      }
      names.push_back(contig.name.c_str());
      lengths.push_back(static_cast<std::uint32_t>(contig.length));
    }
    track_ = bwOpen(file_.write_path().c_str(), nullptr, "w");
    if (track_ == nullptr || bwCreateHdr(track_, kZoomLevels) != 0) {
      fail();
    }
    constexpr std::size_t kHeader = 24, kInterval = 12;
    intervals_at_once_ = (track_->hdr->bufSize - kHeader) / kInterval;
    track_->cl = bwCreateChromList(names.data(), lengths.data(), static_cast<std::int64_t>(names.size()));
    if (track_->cl == nullptr || bwWriteHdr(track_) != 0) {
      fail();
    }
  }

 private:
  void put(const Interval& interval) override {
    if (interval.contig != contig_ || begins_.size() == intervals_at_once_) {
      flush();
      contig_ = interval.contig;
    }
    begins_.push_back(static_cast<std::uint32_t>(interval.begin));
    ends_.push_back(static_cast<std::uint32_t>(interval.end));
    values_.push_back(value_ == TrackValue::count ? static_cast<float>(interval.loci) : mappability_of(interval.loci));
  }

  // bwClose() would write the rest, too, but does not say whether it could.
  void finish() override {
    flush();
    if (bwFinalize(track_) != 0 || std::fflush(track_->URL->x.fp) != 0 || std::ferror(track_->URL->x.fp) != 0) {
      fail();
    }
    track_->isWrite = 0;
    bwClose(track_);
    track_ = nullptr;
    file_.commit();
  }

  void flush() {
    if (begins_.empty()) {
      return;
    }
    const std::vector<const char*> names(begins_.size(), contigs_[contig_].name.c_str());
    if (bwAddIntervals(track_, names.data(), begins_.data(), ends_.data(), values_.data(),
                       static_cast<std::uint32_t>(begins_.size())) != 0) {
      fail();
    }
    begins_.clear();
    ends_.clear();
    values_.clear();
  }

  [[noreturn]] void fail() const { throw IoError(file_.name(), "cannot be written as bigWig; is the disk full?"); }

  const std::vector<sequence::Contig>& contigs_;
  TrackValue value_;
  OutputFile file_;
  bigWigFile_t* track_ = nullptr;  // after an error it stays open, for libBigWig frees some of it twice then
  // As many as a block of libBigWig holds. With more, it writes a block on the way, does not see if that fails, and
  // puts the next intervals after the end of its buffer.
  std::size_t intervals_at_once_ = 0;
  // Intervals of one contig that are written together.
  std::size_t contig_ = 0;
  std::vector<std::uint32_t> begins_;
  std::vector<std::uint32_t> ends_;
  std::vector<float> values_;
};

#endif

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
#ifdef TRAWL_HAS_BIGWIG
  if (format == TrackFormat::bigwig) {
    return std::make_unique<BigWigTrack>(options.path, options.value, contigs);
  }
#endif
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
