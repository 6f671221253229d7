#include "run/make_sink.hpp"

#include <htslib/hts_log.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/packer.hpp"
#include "io/write/bam_sink.hpp"
#include "io/write/bed_sink.hpp"
#include "io/write/cram_sink.hpp"
#include "io/write/divet_sink.hpp"
#include "io/write/oea_sink.hpp"
#include "io/write/sam_sink.hpp"
#include "io/write/sort/sorted_sink.hpp"

namespace trawl::run {

namespace {

// Gives each batch to each of its sinks. They are written and closed in their order.
class SinkGroup : public io::AlignmentSink {
 public:
  explicit SinkGroup(std::vector<std::unique_ptr<io::AlignmentSink>> sinks) : sinks_(std::move(sinks)) {}

  using AlignmentSink::format;
  void format(const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments,
              io::Chunk& chunk) const override {
    for (std::size_t i = 0; i < sinks_.size(); ++i) {
      sinks_[i]->format(reads, alignments, *parts(chunk)[i]);
    }
  }
  std::unique_ptr<io::Chunk> make_chunk() const override {
    auto chunk = std::make_unique<GroupChunk>();
    for (const auto& sink : sinks_) {
      chunk->parts.push_back(sink->make_chunk());
    }
    return chunk;
  }
  bool packs() const override {
    return std::any_of(sinks_.begin(), sinks_.end(), [](const auto& sink) { return sink->packs(); });
  }
  void place(io::Chunk& chunk) override {
    for (std::size_t i = 0; i < sinks_.size(); ++i) {
      sinks_[i]->place(*parts(chunk)[i]);
    }
  }
  void pack(io::Chunk& chunk) const override {
    for (std::size_t i = 0; i < sinks_.size(); ++i) {
      sinks_[i]->pack(*parts(chunk)[i]);
    }
  }
  void write(io::Chunk& chunk) override {
    for (std::size_t i = 0; i < sinks_.size(); ++i) {
      sinks_[i]->write(*parts(chunk)[i]);
    }
  }
  void close() override {
    for (const auto& sink : sinks_) {
      sink->close();
    }
  }

  std::vector<std::string> paths_for_others() const override {
    std::vector<std::string> paths;
    for (const auto& sink : sinks_) {
      const auto of_sink = sink->paths_for_others();
      if (of_sink.empty()) {
        return {};
      }
      paths.insert(paths.end(), of_sink.begin(), of_sink.end());
    }
    return paths;
  }
  void write_in_order_only() override {
    for (const auto& sink : sinks_) {
      sink->write_in_order_only();
    }
  }
  void get_place(Packer& to) const override {
    for (const auto& sink : sinks_) {
      sink->get_place(to);
    }
  }
  void set_place(Unpacker& from) override {
    for (const auto& sink : sinks_) {
      sink->set_place(from);
    }
  }
  bool has_end() const override {
    return std::any_of(sinks_.begin(), sinks_.end(), [](const auto& sink) { return sink->has_end(); });
  }
  void get_end(Packer& to) const override {
    for (const auto& sink : sinks_) {
      sink->get_end(to);
    }
  }
  void set_end(Unpacker& from) override {
    for (const auto& sink : sinks_) {
      sink->set_end(from);
    }
  }
  void take_room(io::Chunk& chunk) override {
    for (std::size_t i = 0; i < sinks_.size(); ++i) {
      sinks_[i]->take_room(*parts(chunk)[i]);
    }
  }
  void write_to_room(io::Chunk& chunk) const override {
    for (std::size_t i = 0; i < sinks_.size(); ++i) {
      sinks_[i]->write_to_room(*parts(chunk)[i]);
    }
  }
  void check_written() const override {
    for (const auto& sink : sinks_) {
      sink->check_written();
    }
  }
  void keep(io::Chunk& chunk) override {
    for (std::size_t i = 0; i < sinks_.size(); ++i) {
      sinks_[i]->keep(*parts(chunk)[i]);
    }
  }
  io::SortedRanges* sort_by_ranges() override {
    for (const auto& sink : sinks_) {
      if (io::SortedRanges* const ranges = sink->sort_by_ranges()) {
        return ranges;
      }
    }
    return nullptr;
  }
  void append_parcel(io::Chunk& chunk, std::string& parcel) const override {
    for (std::size_t i = 0; i < sinks_.size(); ++i) {
      std::string part;
      sinks_[i]->append_parcel(*parts(chunk)[i], part);
      parcel += Packer().text(part).bytes();
    }
  }
  void write_parcel(std::string_view parcel) override {
    Unpacker from(parcel);
    for (const auto& sink : sinks_) {
      sink->write_parcel(from.text());
    }
  }

 private:
  using Parts = std::vector<std::unique_ptr<io::Chunk>>;
  struct GroupChunk : io::Chunk {
    Parts parts;
  };
  static Parts& parts(io::Chunk& chunk) { return static_cast<GroupChunk&>(chunk).parts; }

  std::vector<std::unique_ptr<io::AlignmentSink>> sinks_;
};

}  // namespace

std::unique_ptr<io::AlignmentSink> make_sink(const io::SinkOptions& options, const sequence::Reference& reference,
                                             const std::vector<std::string>& md5s) {
  // Errors are thrown with the file's name. htslib's own messages would report them a second time.
  hts_set_log_level(HTS_LOG_OFF);
  const io::OutputFormat format = io::output_format(options.path, options.format);
  if (options.is_owner() && io::needs_md5s(options) && md5s.size() != reference.contigs().size()) {
    throw Error("the checksums of the contigs are missing; please report this");
  }
  const bool is_bed = format == io::OutputFormat::bed || format == io::OutputFormat::bed_gz;
  // The main output is closed first: compressed ones still write then, which may fail. The others are only renamed.
  std::vector<std::unique_ptr<io::AlignmentSink>> sinks;
  if (is_bed) {
    sinks.push_back(std::make_unique<io::BedSink>(options, format, reference));
  } else if (options.sort) {
    sinks.push_back(std::make_unique<io::SortedSink>(options, format, reference, md5s));
  } else if (format == io::OutputFormat::bam) {
    sinks.push_back(std::make_unique<io::BamSink>(options, reference, md5s));
  } else if (format == io::OutputFormat::cram) {
    sinks.push_back(std::make_unique<io::CramSink>(options, reference, md5s));
  } else {
    sinks.push_back(std::make_unique<io::SamSink>(options, reference, md5s));
  }
  if (!options.divet_path.empty()) {
    sinks.push_back(std::make_unique<io::DivetSink>(options, reference));
  }
  if (!options.oea_path.empty()) {
    sinks.push_back(std::make_unique<io::OeaSink>(options, reference, md5s));
  }
  if (sinks.size() == 1) {
    return std::move(sinks.front());
  }
  return std::make_unique<SinkGroup>(std::move(sinks));
}

}  // namespace trawl::run
