// Letters of many short sequences, kept together: less memory than a string each, and they never move.
//
//   LetterStore store;
//   const std::string_view kept = store.keep("GATTACA");   // valid as long as the store is
//   kept == "GATTACA"
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace trawl::sequence {

class LetterStore {
 public:
  /// Room for `size` letters in one piece; it can be filled later.
  char* room(std::size_t size) {
    if (size > left_) {
      // Large sets take few blocks; a small one takes little memory.
      block_ = std::clamp(2 * block_, kLeastBlock, kMostBlock);
      left_ = std::max(block_, size);
      blocks_.push_back(std::make_unique_for_overwrite<char[]>(left_));
      next_ = blocks_.back().get();
    }
    char* const letters = next_;
    next_ += size;
    left_ -= size;
    return letters;
  }
  std::string_view keep(std::string_view letters) {
    char* const kept = room(letters.size());
    std::copy(letters.begin(), letters.end(), kept);
    return {kept, letters.size()};
  }

 private:
  static constexpr std::size_t kLeastBlock = std::size_t{1} << 12;
  static constexpr std::size_t kMostBlock = std::size_t{1} << 20;

  std::vector<std::unique_ptr<char[]>> blocks_;
  char* next_ = nullptr;
  std::size_t left_ = 0;
  std::size_t block_ = 0;
};

}  // namespace trawl::sequence
