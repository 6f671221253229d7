// What the sinks that write lines of text have in common: chunks of text, and a file that is plain or BGZF.
//
//   struct NameSink : TextSink {
//     using TextSink::TextSink;
//     void append(const sequence::ReadBatch& reads, const align::AlignmentBatch&, std::string& text) const override {
//       text.append(reads.name(0)) += '\n';
//     }
//   };
//   NameSink sink("names.txt", std::nullopt);
//   sink.close();
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "io/write/alignment_sink.hpp"
#include "io/write/text_output.hpp"

namespace trawl::io {

/// A derived class says which lines a batch becomes.
class TextSink : public AlignmentSink {
 public:
  /// `compression`: the level of BGZF; nothing: plain.
  TextSink(const OutputName& name, std::optional<int> compression) : output_(name, compression) {}

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

  std::string path_for_others() const override { return output_.file().path_for_others(); }
  void write_in_order_only() override { output_.write_in_order_only(); }
  void get_place(Packer& to) const override { output_.get_place(to); }
  void set_place(Unpacker& from) override { output_.set_place(from); }
  bool has_end() const override { return output_.has_end(); }
  void get_end(Packer& to) const override { output_.get_end(to); }
  void set_end(Unpacker& from) override { output_.set_end(from); }
  void take_room(Chunk& chunk) override { output_.take_room(static_cast<TextChunk&>(chunk).part); }
  void write_to_room(Chunk& chunk) const override { output_.write_to_room(static_cast<TextChunk&>(chunk).part); }
  void check_written() const override { output_.file().check_written(); }
  void append_parcel(Chunk& chunk, std::string& parcel) const override {
    const auto& lines = static_cast<TextChunk&>(chunk);
    output_.append_parcel(lines.part, lines.text, parcel);
  }
  void write_parcel(std::string_view parcel) override { output_.write_parcel(parcel); }

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
