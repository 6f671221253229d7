// Several outputs of one run, which are written together.
#pragma once

#include <algorithm>
#include <memory>
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

 private:
  using Parts = std::vector<std::unique_ptr<Chunk>>;
  struct GroupChunk : Chunk {
    Parts parts;
  };
  static Parts& parts(Chunk& chunk) { return static_cast<GroupChunk&>(chunk).parts; }

  std::vector<std::unique_ptr<AlignmentSink>> sinks_;
};

}  // namespace trawl::io
