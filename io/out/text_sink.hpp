// What the sinks that write lines of text have in common: chunks of text, and a file that is plain or BGZF.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "io/out/alignment_sink.hpp"
#include "io/out/text_output.hpp"

namespace trawl::io {

/// A derived class says which lines a batch becomes.
class TextSink : public AlignmentSink {
 public:
  /// `compression`: the level of BGZF; nothing: plain.
  TextSink(const std::string& path, std::optional<int> compression) : output_(path, compression) {}

  using AlignmentSink::format;
  void format(const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments, Chunk& chunk) const override {
    std::string& text = static_cast<TextChunk&>(chunk).text;
    text.clear();
    append(reads, alignments, text);
  }
  std::unique_ptr<Chunk> make_chunk() const override { return std::make_unique<TextChunk>(); }
  bool packs() const override { return output_.packs(); }
  void place(Chunk& chunk) override {
    if (packs()) {
      auto& lines = static_cast<TextChunk&>(chunk);
      output_.place(lines.part, lines.text);
    }
  }
  void pack(Chunk& chunk) const override {
    if (packs()) {
      output_.pack(static_cast<TextChunk&>(chunk).part);
    }
  }
  void write(Chunk& chunk) override {
    if (packs()) {
      output_.write(static_cast<TextChunk&>(chunk).part);
    } else {
      output_.write(static_cast<TextChunk&>(chunk).text);
    }
  }
  void close() override { output_.close(); }

 protected:
  /// Appends the lines of a batch. Several threads may call it at the same time.
  virtual void append(const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments,
                      std::string& text) const = 0;
  void write_header(std::string_view text) { output_.write(text); }

 private:
  struct TextChunk : Chunk {
    std::string text;
    TextPart part;
  };

  TextOutput output_;
};

}  // namespace trawl::io
