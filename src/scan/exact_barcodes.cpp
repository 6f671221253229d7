#include "scan/exact_barcodes.hpp"

#include <tbb/parallel_sort.h>

#include <algorithm>

#include "sequence/alphabet.hpp"

namespace trawl::scan {

namespace {

constexpr std::size_t kMostLetters = 32;  // of two bits
constexpr unsigned kGroupBits = 16;

}  // namespace

ExactBarcodes::ExactBarcodes(const sequence::PatternList& patterns, std::uint32_t first, std::uint32_t last) {
  const std::size_t length = first < last ? patterns[first].bases.size() : 0;
  if (length == 0 || length > kMostLetters) {
    return;
  }
  all_.reserve(last - first);
  for (std::uint32_t p = first; p < last; ++p) {
    const auto key = patterns[p].bases.size() == length ? key_of(patterns[p].bases) : std::nullopt;
    if (!key) {
      all_.clear();
      return;
    }
    all_.emplace_back(*key, p);
  }
  tbb::parallel_sort(all_.begin(), all_.end());
  length_ = length;
  const auto bits = static_cast<unsigned>(2 * length);
  shift_ = bits > kGroupBits ? bits - kGroupBits : 0;
  groups_.assign(group_of(bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1) + 2, 0);
  for (const auto& [key, pattern] : all_) {
    ++groups_[group_of(key) + 1];
  }
  for (std::size_t g = 1; g < groups_.size(); ++g) {
    groups_[g] += groups_[g - 1];
  }
}

std::optional<std::uint64_t> ExactBarcodes::key_of(std::string_view letters) const {
  std::uint64_t key = 0;
  for (const char letter : letters) {
    const std::uint8_t code = sequence::base_code(letter);
    if (code == sequence::kAmbiguous) {
      return std::nullopt;
    }
    key = key << 2 | code;
  }
  return key;
}

std::optional<std::uint32_t> ExactBarcodes::find(std::string_view letters) const {
  const auto key = key_of(letters);
  if (length_ == 0 || !key) {
    return std::nullopt;
  }
  const auto begin = all_.begin() + groups_[group_of(*key)], end = all_.begin() + groups_[group_of(*key) + 1];
  const auto found = std::lower_bound(begin, end, std::pair(*key, std::uint32_t{0}));
  const bool is_only = found != end && found->first == *key && (found + 1 == end || found[1].first != *key);
  return is_only ? std::optional(found->second) : std::nullopt;
}

}  // namespace trawl::scan
