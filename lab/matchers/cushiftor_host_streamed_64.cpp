#include "lab/matchers/cushiftor_host_variants.hpp"
#include "lab/matchers/cushiftor_streamed_on_host.hpp"
#include "lab/matchers/cushiftor_variants.hpp"

namespace trawl::matchers::internal {

std::vector<std::uint8_t> cushiftor_streamed_64(std::string_view text, const CuShiftOrSettings& settings,
                                                unsigned warps) {
  std::vector<std::uint8_t> ends;
  with_cushiftor_variant<64, Segments::streamed>(settings, [&](auto alpha, auto edits, auto wildcards) {
    ends = cushiftor_streamed_on_host<std::uint64_t, decltype(alpha)::value, decltype(edits)::value,
                                      decltype(wildcards)::value>(text, settings.pattern, warps);
  });
  return ends;
}

}  // namespace trawl::matchers::internal
