// Text that waits until it may be written. What does not fit in memory waits in a temporary file.
//
//   HeldText text(1 << 26);
//   text.append("chr1\t0\t20\n");
//   std::string all;
//   text.read([&](std::string_view some) { all += some; });   // in order, some at a time
//   all == "chr1\t0\t20\n"
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "io/write/nameless_file.hpp"

namespace trawl::io {

class HeldText {
 public:
  /// `most_bytes`: about how many are held in memory.
  explicit HeldText(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  /// Throws IoError if the temporary file fails, like read().
  void append(std::string_view text);
  void read(const std::function<void(std::string_view)>& take) const;
  std::uint64_t size() const { return spilled() + text_.size(); }

 private:
  std::uint64_t spilled() const { return file_ ? file_->size() : 0; }

  std::size_t most_bytes_;
  std::unique_ptr<NamelessFile> file_;  // the begin of the text
  std::string text_;
};

}  // namespace trawl::io
