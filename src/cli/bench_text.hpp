// The text of an experiment: random letters, made alike on host and device, or a file.
#pragma once

#include <cstdint>
#include <string>

namespace trawl::cli {

class BenchText {
 public:
  /// Random over `sigma` letters; 4 are A, C, G, T. Throws UsageError for sigma out of 1 to 256.
  BenchText(std::uint64_t size, unsigned sigma, std::uint64_t seed);
  /// The bytes of a file. Throws IoError.
  explicit BenchText(const std::string& path);

  std::uint64_t size() const { return size_; }
  bool is_made() const { return made_; }
  const std::string& alphabet() const { return alphabet_; }
  std::uint64_t seed() const { return seed_; }
  /// Bytes [begin, begin + count).
  std::string read(std::uint64_t begin, std::uint64_t count) const;

 private:
  bool made_;
  std::uint64_t size_ = 0;
  std::string alphabet_;
  std::uint64_t seed_ = 0;
  std::string bytes_;  // of a file
};

}  // namespace trawl::cli
