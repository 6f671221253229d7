#include "lab/bench_text.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/made_text.hpp"
#include "io/read/text_blocks.hpp"

namespace trawl::lab {

BenchText::BenchText(std::uint64_t size, unsigned sigma, std::uint64_t seed) : made_(true), size_(size), seed_(seed) {
  if (size == 0) {
    throw UsageError("-n: the text must have at least one character");
  }
  if (sigma < 1 || sigma > 256) {
    throw UsageError("--sigma " + std::to_string(sigma) + ": an alphabet has 1 to 256 letters");
  }
  if (sigma == 4) {
    alphabet_ = "ACGT";
  } else {
    for (unsigned c = 0; c < sigma; ++c) {
      alphabet_ += static_cast<char>(sigma <= 94 ? '!' + c : c);
    }
  }
}

BenchText::BenchText(const std::string& path) : made_(false) {
  io::TextBlocks blocks(path, {});
  while (auto block = blocks.next()) {
    bytes_.append(block->begin(), block->size());
    blocks.give_back(std::move(block));
  }
  size_ = bytes_.size();
  if (size_ == 0) {
    throw InputError(path, 0, "the file is empty; an experiment needs a text");
  }
}

std::string BenchText::read(std::uint64_t begin, std::uint64_t count) const {
  if (!made_) {
    return bytes_.substr(begin, count);
  }
  std::string out(count, '\0');
  for (std::uint64_t i = 0; i < count; ++i) {
    out[i] =
        static_cast<char>(made_letter(alphabet_.data(), static_cast<unsigned>(alphabet_.size()), seed_, begin + i));
  }
  for (const Plant& plant : plants_) {
    const std::uint64_t first = std::max(begin, plant.position);
    const std::uint64_t last = std::min(begin + count, plant.position + plant.letters.size());
    for (std::uint64_t j = first; j < last; ++j) {
      out[j - begin] = plant.letters[j - plant.position];
    }
  }
  return out;
}

}  // namespace trawl::lab
