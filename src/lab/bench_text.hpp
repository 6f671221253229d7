// The text of an experiment: random letters, made alike on host and device, or a file.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace trawl::lab {

/// Letters that stand in a text in place of its own.
struct Plant {
  std::uint64_t position = 0;
  std::string letters;
};

class BenchText {
 public:
  /// Random over `sigma` letters; 4 are A, C, G, T. Throws UsageError for sigma out of 1 to 256.
  BenchText(std::uint64_t size, unsigned sigma, std::uint64_t seed);
  /// The bytes of a file. Throws IoError.
  explicit BenchText(const std::string& path);

  std::uint64_t size() const { return size_; }
  bool is_made() const { return made_; }
  /// Of a made text.
  const std::string& alphabet() const { return alphabet_; }
  std::uint64_t seed() const { return seed_; }
  /// Bytes [begin, begin + count).
  std::string read(std::uint64_t begin, std::uint64_t count) const;
  /// Puts these in a made text in place of those before; of two at one place, the later one stays.
  void plant(std::vector<Plant> plants) { plants_ = std::move(plants); }
  const std::vector<Plant>& plants() const { return plants_; }

 private:
  bool made_;
  std::uint64_t size_ = 0;
  std::string alphabet_;
  std::uint64_t seed_ = 0;
  std::string bytes_;  // of a file
  std::vector<Plant> plants_;
};

}  // namespace trawl::lab
