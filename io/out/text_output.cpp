#include "io/out/text_output.hpp"

namespace trawl::io {

TextOutput::TextOutput(const std::string& path, std::optional<int> compression) {
  if (compression) {
    compressed_.emplace(path, *compression);
  } else {
    plain_.emplace(path);
  }
}

void TextOutput::write(std::string_view text) {
  if (compressed_) {
    compressed_->write(text);
  } else {
    plain_->write(text);
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
