// The text of an experiment: random letters, the same on host and device, or a file.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace trawl::lab {

/// Letters that replace those of the text at a place.
struct Plant {
  std::uint64_t position = 0;
  std::string letters;
};

class BenchText {
 public:
  /// A random text over `sigma` letters; with 4 they are A, C, G, T. Throws UsageError if sigma is not from 1 to 256.
  BenchText(std::uint64_t size, unsigned sigma, std::uint64_t seed);
  /// The bytes of a file. Throws IoError.
  explicit BenchText(const std::string& path);

  std::uint64_t size() const { return size_; }
  bool is_made() const { return made_; }
  /// For a random text only.
  const std::string& alphabet() const { return alphabet_; }
  std::uint64_t seed() const { return seed_; }
  /// Bytes [begin, begin + count).
  std::string read(std::uint64_t begin, std::uint64_t count) const;
  /// Replaces letters of a random text; earlier replacements are dropped. If two overlap, the later one counts.
  void plant(std::vector<Plant> plants) { plants_ = std::move(plants); }
  const std::vector<Plant>& plants() const { return plants_; }

 private:
  bool made_;
  std::uint64_t size_ = 0;
  std::string alphabet_;
  std::uint64_t seed_ = 0;
  std::string bytes_;  // if the text is a file
  std::vector<Plant> plants_;
};

}  // namespace trawl::lab
