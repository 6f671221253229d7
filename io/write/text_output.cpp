#include "io/write/text_output.hpp"

namespace trawl::io {

TextOutput::TextOutput(const OutputName& name, std::optional<int> compression) {
  if (compression) {
    compressed_.emplace(name, *compression);
  } else {
    plain_.emplace(name);
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

void TextOutput::get_place(Packer& to) const {
  if (compressed_) {
    compressed_->get_place(to);
  } else if (packs()) {
    to.number(plain_->position());
  }
}

void TextOutput::set_place(Unpacker& from) {
  if (compressed_) {
    compressed_->set_place(from);
  } else if (packs()) {
    plain_->set_position(from.number<std::uint64_t>());
  }
}

void TextOutput::get_end(Packer& to) const {
  if (compressed_) {
    compressed_->get_end(to);
  }
}

void TextOutput::set_end(Unpacker& from) {
  if (compressed_) {
    compressed_->set_end(from);
  }
}

void TextOutput::take_room(TextPart& part) {
  if (compressed_) {
    compressed_->take_room(part.blocks_);
  }
}

void TextOutput::write_to_room(const TextPart& part) const {
  if (compressed_) {
    compressed_->write_to_room(part.blocks_);
  }
}

void TextOutput::append_parcel(const TextPart& part, std::string_view text, std::string& parcel) const {
  if (compressed_) {
    compressed_->append_parcel(part.blocks_, parcel);
  } else {
    parcel += text;
  }
}

void TextOutput::write_parcel(std::string_view parcel) {
  if (compressed_) {
    compressed_->write_parcel(parcel);
  } else {
    plain_->write(parcel);
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
