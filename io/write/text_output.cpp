#include "io/write/text_output.hpp"

namespace trawl::io {

TextOutput::TextOutput(const std::string& path, std::optional<int> compression) {
  if (compression) {
    compressed_.emplace(path, *compression);
  } else {
    plain_.emplace(path);
  }
}

void TextOutput::write(std::string_view text, bool ends_block) {
  if (compressed_) {
    compressed_->write(text, ends_block);
  } else {
    plain_->write(text);
  }
}

void TextOutput::place(TextPart& part, std::string_view text) {
  part.text_ = text;
  if (compressed_) {
    compressed_->place_text(part.blocks_, text);
  } else {
    part.place_ = plain_->take_place(text.size());
  }
}

void TextOutput::pack(TextPart& part) const {
  if (compressed_) {
    compressed_->pack(part.blocks_);
  } else {
    // The system lets one thread at a time write to a file, and the others would wait for it with their cores busy.
    const std::lock_guard lock(writing_);
    plain_->write_at(part.place_, part.text_);
  }
}

void TextOutput::write(const TextPart& part) {
  if (compressed_) {
    compressed_->write(part.blocks_);
  }
}

void TextOutput::close() {
  if (compressed_) {
    compressed_->close();
  } else {
    plain_->commit();
  }
}

}  // namespace trawl::io
