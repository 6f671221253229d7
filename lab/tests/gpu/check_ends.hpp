// Compares what a kernel finds with plain dynamic programming.
#pragma once

#include <iterator>
#include <optional>
#include <string>

#include "base/made_text.hpp"
#include "lab/kernels/device_text.hpp"
#include "lab/matchers/sequential.hpp"
#include "lab/tests/hostile_text.hpp"
#include "tests/catch.hpp"

namespace trawl::tests {

/// Those of the papers' kernels.
inline constexpr gpu::Output kOutputs[] = {gpu::Output::bytes, gpu::Output::bits, gpu::Output::list};

/// `run` fills a DeviceEnds for the case's text. The result may have any output form.
template <class Run>
void check_ends(RandomCases& random, const TextCase& c, unsigned k, Run&& run) {
  const auto output = kOutputs[random.number(0, 2)];
  CAPTURE(c.pattern.size(), c.text.size(), k, static_cast<int>(output));
  const gpu::DeviceText text(c.text);
  gpu::DeviceEnds ends(c.text.size(), output, c.text.size());
  run(text, ends);
  REQUIRE((ends.fetch(0, c.text.size()) == matchers::sequential_ends(c.text, c.pattern, k)));
}

/// A text of two letters, the same on device and host.
struct LongText {
  std::uint64_t size;
  gpu::DeviceText on_device;
  std::string letters;

  explicit LongText(std::uint64_t n) : size(n), on_device(n, "AC", 3), letters(n, '\0') {
    for (std::uint64_t j = 0; j < size; ++j) {
      letters[j] = static_cast<char>(made_letter("AC", 2, 3, j));
    }
  }
  /// `run` fills a DeviceEnds for a pattern from the text.
  template <class Run>
  void check(unsigned m, unsigned k, Run&& run) const {
    CAPTURE(m, k);
    const std::string pattern = letters.substr(size - 700, m);
    gpu::DeviceEnds ends(size, gpu::Output::bytes);
    run(pattern, ends);
    REQUIRE((ends.fetch(0, size) == matchers::sequential_ends(letters, pattern, k)));
  }
};

/// Copies of a pattern around 2^32 and at both ends of a text, each with a near miss of three edits next to it.
class PlantedText {
 public:
  const std::string pattern = "GATTACAGATTACAGATTACAGATT";

  PlantedText() : on_device_(kSize, "ACGT", 7) {
    for (const auto at : kPlanted) {
      on_device_.write(at, pattern);
    }
    for (const auto at : kMissed) {
      on_device_.write(at, "GATTACAGATCACAGACTACATATT");
    }
  }

  /// `run` fills a DeviceEnds, with each of the outputs in turn. The result must be the same in each call with the same
  /// k.
  template <class Run>
  void check(const std::vector<gpu::Output>& outputs, unsigned k, Run&& run) const {
    const std::uint64_t m = pattern.size();
    for (const auto output : outputs) {
      CAPTURE(static_cast<int>(output));
      gpu::DeviceEnds ends(kSize, output, 100'000);
      run(on_device_, ends);
      for (const auto at : kPlanted) {
        REQUIRE(ends.fetch(at + m - 1, 1).front() == 1);
        REQUIRE(ends.fetch(at + m / 2, 1).front() == 0);
      }
      for (const auto at : kMissed) {
        REQUIRE(ends.fetch(at + m - 1, 1).front() == 0);
      }
      const auto digest = ends.digest();
      REQUIRE(digest.count >= std::size(kPlanted));
      REQUIRE((digest == first_[k].value_or(digest)));
      first_[k] = digest;
    }
  }

 private:
  static constexpr std::uint64_t k32 = std::uint64_t{1} << 32;
  static constexpr std::uint64_t kSize = k32 + 12345;
  static constexpr std::uint64_t kPlanted[] = {0, 1000, k32 - 500, k32 - 13, k32 + 300, kSize - 25};
  static constexpr std::uint64_t kMissed[] = {k32 - 200, k32 + 100, kSize - 200};

  gpu::DeviceText on_device_;
  mutable std::optional<gpu::EndsDigest> first_[3];
};

}  // namespace trawl::tests
