// Compares what a kernel finds with dynamic programming.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lab/bench_check.hpp"
#include "lab/kernels/device_text.hpp"
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
  REQUIRE((ends.digest() == lab::digest_of(lab::ends_of(c.text, c.pattern, k))));
}

/// A text of two letters, the same on device and host.
struct LongText {
  std::string letters;
  gpu::DeviceText on_device;

  explicit LongText(std::uint64_t size) : letters(lab::BenchText(size, 2, 3).characters()), on_device(letters) {}
  /// `run` fills a DeviceEnds for a pattern from the text.
  template <class Run>
  void check(unsigned m, unsigned k, Run&& run) const {
    CAPTURE(m, k);
    const std::string pattern = letters.substr(letters.size() - 700, m);
    gpu::DeviceEnds ends(letters.size(), gpu::Output::bytes);
    run(pattern, ends);
    REQUIRE((ends.digest() == lab::digest_of_ends(letters, pattern, k)));
  }
};

/// Copies of a pattern around 2^32 and at both ends of a text, each with a near miss of three edits next to it.
class PlantedText {
 public:
  const std::string pattern = "GATTACAGATTACAGATTACAGATT";

  PlantedText() {
    lab::BenchText text(kSize, 4, 7);
    for (const auto at : {std::uint64_t{0}, std::uint64_t{1000}, k32 - 500, k32 - 13, k32 + 300, kSize - 25}) {
      text.plant({{at, pattern}});
    }
    for (const auto at : {k32 - 200, k32 + 100, kSize - 200}) {
      text.plant({{at, "GATTACAGATCACAGACTACATATT"}});
    }
    on_device_ = std::make_unique<gpu::DeviceText>(text.characters());
    for (unsigned k = 0; k < 3; ++k) {
      expected_.push_back(lab::digest_of_ends(text.characters(), pattern, k));
      REQUIRE(expected_[k].count >= 6);
    }
  }

  /// `run` fills a DeviceEnds, with each of the outputs in turn.
  template <class Run>
  void check(const std::vector<gpu::Output>& outputs, unsigned k, Run&& run) const {
    for (const auto output : outputs) {
      CAPTURE(static_cast<int>(output));
      gpu::DeviceEnds ends(kSize, output, expected_[k].count);
      run(*on_device_, ends);
      REQUIRE((ends.digest() == expected_[k]));
    }
  }

 private:
  static constexpr std::uint64_t k32 = std::uint64_t{1} << 32;
  static constexpr std::uint64_t kSize = k32 + 12345;

  std::unique_ptr<gpu::DeviceText> on_device_;
  std::vector<gpu::EndsDigest> expected_;  // by k
};

}  // namespace trawl::tests
