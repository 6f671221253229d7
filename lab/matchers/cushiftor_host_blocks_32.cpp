#include "lab/matchers/cushiftor_host_variants.hpp"
#include "lab/matchers/cushiftor_on_host.hpp"
#include "lab/matchers/cushiftor_variants.hpp"

namespace trawl::matchers::internal {

std::vector<std::uint8_t> cushiftor_blocks_32(std::string_view text, const CuShiftOrSettings& settings,
                                              unsigned warps) {
  std::vector<std::uint8_t> ends;
  const auto run = [&](auto alpha, auto edits, auto wildcards) {
    ends = cushiftor_on_host<std::uint32_t, decltype(alpha)::value, decltype(edits)::value, decltype(wildcards)::value>(
        text, settings.pattern, settings.segments, warps);
  };
  settings.segments == Segments::disjoint ? with_cushiftor_variant<32, Segments::disjoint>(settings, run)
                                          : with_cushiftor_variant<32, Segments::overlapping>(settings, run);
  return ends;
}

}  // namespace trawl::matchers::internal
