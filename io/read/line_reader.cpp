#include "io/read/line_reader.hpp"

#include <cstring>
#include <utility>

#include "io/format/letters.hpp"

namespace trawl::io {

namespace {

// Without white space at its end.
std::string_view without_end(std::string_view text) {
  while (!text.empty() && is_space(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

}  // namespace

bool LineReader::next(std::string_view& line) {
  broken_.clear();
  for (bool is_whole = false; !is_whole;) {
    if (!block_ || at_ == block_->end()) {
      text_.give_back(std::move(block_));
      block_ = text_.next();
      if (!block_) {
        if (broken_.empty()) {
          return false;
        }
        line = broken_;
        break;
      }
      at_ = block_->begin();
    }
    const auto left = static_cast<std::size_t>(block_->end() - at_);
    const auto* const end = static_cast<const char*>(std::memchr(at_, '\n', left));
    is_whole = end != nullptr;
    line = {at_, is_whole ? static_cast<std::size_t>(end - at_) : left};
    at_ += line.size() + (is_whole ? 1 : 0);
    if (!is_whole || !broken_.empty()) {
      line = broken_.append(line);
    }
  }
  line = without_end(line);
  ++number_;
  return true;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) {
    text.remove_prefix(1);
  }
  return without_end(text);
}

}  // namespace trawl::io
