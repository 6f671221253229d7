#include "io/write/held_text.hpp"

#include <algorithm>

namespace trawl::io {

namespace {

constexpr std::size_t kCopySize = std::size_t{4} << 20;

}  // namespace

void HeldText::append(std::string_view text) {
  text_ += text;
  if (text_.size() > most_bytes_) {
    if (!file_) {
      file_ = std::make_unique<NamelessFile>("lines that wait");
    }
    file_->write(text_);
    text_.clear();
  }
}

void HeldText::read(const std::function<void(std::string_view)>& take) const {
  std::string some(std::min<std::uint64_t>(spilled(), kCopySize), '\0');
  for (std::uint64_t at = 0; at < spilled();) {
    const std::size_t size = file_->read(at, some.data(), some.size());
    take({some.data(), size});
    at += size;
  }
  if (!text_.empty()) {
    take(text_);
  }
}

}  // namespace trawl::io
