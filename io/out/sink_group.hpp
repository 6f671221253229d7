// Several outputs of one run, which are written together.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/out/alignment_sink.hpp"

namespace trawl::io {

/// Gives each batch to each of its sinks. They are written and closed in their order.
class SinkGroup : public AlignmentSink {
 public:
  explicit SinkGroup(std::vector<std::unique_ptr<AlignmentSink>> sinks) : sinks_(std::move(sinks)) {}

  using AlignmentSink::format;
  void format(const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments, Chunk& chunk) const override {
    for (std::size_t i = 0; i < sinks_.size(); ++i) {
      sinks_[i]->format(reads, alignments, *parts(chunk)[i]);
    }
  }
  std::unique_ptr<Chunk> make_chunk() const override {
    auto chunk = std::make_unique<GroupChunk>();
    for (const auto& sink : sinks_) {
      chunk->parts.push_back(sink->make_chunk());
    }
    return chunk;
  }
  bool packs() const override {
    return std::any_of(sinks_.begin(), sinks_.end(), [](const auto& sink) { return sink->packs(); });
  }
  void place(Chunk& chunk) override {
    for (std::size_t i = 0; i < sinks_.size(); ++i) {
      sinks_[i]->place(*parts(chunk)[i]);
    }
  }
  void pack(Chunk& chunk) const override {
    for (std::size_t i = 0; i < sinks_.size(); ++i) {
      sinks_[i]->pack(*parts(chunk)[i]);
    }
  }
  void write(Chunk& chunk) override {
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
  void take_room(Chunk& chunk) override {
    for (std::size_t i = 0; i < sinks_.size(); ++i) {
      sinks_[i]->take_room(*parts(chunk)[i]);
    }
  }
  void write_to_room(Chunk& chunk) const override {
    for (std::size_t i = 0; i < sinks_.size(); ++i) {
      sinks_[i]->write_to_room(*parts(chunk)[i]);
    }
  }
  void check_written() const override {
    for (const auto& sink : sinks_) {
      sink->check_written();
    }
  }
  void keep(Chunk& chunk) override {
    for (std::size_t i = 0; i < sinks_.size(); ++i) {
      sinks_[i]->keep(*parts(chunk)[i]);
    }
  }
  SortedRanges* sort_by_ranges() override {
    for (const auto& sink : sinks_) {
      if (SortedRanges* const ranges = sink->sort_by_ranges()) {
        return ranges;
      }
    }
    return nullptr;
  }
  void append_parcel(Chunk& chunk, std::string& parcel) const override {
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
  using Parts = std::vector<std::unique_ptr<Chunk>>;
  struct GroupChunk : Chunk {
    Parts parts;
  };
  static Parts& parts(Chunk& chunk) { return static_cast<GroupChunk&>(chunk).parts; }

  std::vector<std::unique_ptr<AlignmentSink>> sinks_;
};

}  // namespace trawl::io
