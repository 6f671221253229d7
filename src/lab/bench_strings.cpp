// cushiftor, gbpr, wspasm: what bench_experiment.hpp needs to know of them.
#include "lab/bench_experiment.hpp"
#include "matchers/cushiftor_host_variants.hpp"
#include "matchers/gbpr_on_host.hpp"
#include "matchers/paper_settings.hpp"
#include "matchers/pasm_on_host.hpp"
#include "matchers/wspasm_on_host.hpp"
#ifdef TRAWL_WITH_CUDA
#include "gpu/matchers/cushiftor.hpp"
#include "gpu/matchers/gbpr.hpp"
#include "gpu/matchers/wspasm.hpp"
#endif

namespace trawl::lab {

namespace {

// Segments that a warp of WsPASM's twin takes.
constexpr std::size_t kTwinStretch = 16;

}  // namespace

void bench_cushiftor(const BenchArguments& arguments) {
  Algorithm algorithm;
  algorithm.parameters = [](Point& point) -> BenchTable::Row {
    const auto s = point.cushiftor();
    return {{"word", std::to_string(s.word_bits)},
            {"alpha", std::to_string(s.alpha)},
            {"segments", point.segments},
            {"wildcards", s.wildcards ? "yes" : "no"},
            {"output", point.output}};
  };
  algorithm.twin = [](const std::string& text, const Point& point) {
    const auto s = point.cushiftor();
    return matchers::cushiftor_on_host(text, s.pattern, s.word_bits, s.alpha, s.max_edits, s.wildcards, s.segments);
  };
#ifdef TRAWL_WITH_CUDA
  algorithm.device = [](const auto& text, const Point& point, auto& ends, unsigned repeats) {
    return gpu::run_cushiftor(text, point.cushiftor(), ends, repeats);
  };
  algorithm.other = [](const auto& text, const Point& point, auto& ends, unsigned repeats) {
    return gpu::run_gbpr(text, {point.pattern, point.max_edits}, ends, repeats);
  };
#endif
  run_experiment(algorithm, arguments);
}

void bench_gbpr(const BenchArguments& arguments) {
  Algorithm algorithm;
  algorithm.parameters = [](Point& point) -> BenchTable::Row {
    return {{"alpha", std::to_string(point.gbpr().alpha)}, {"output", point.output}};
  };
  algorithm.twin = [](const std::string& text, const Point& point) {
    return matchers::gbpr_on_host(text, point.gbpr());
  };
#ifdef TRAWL_WITH_CUDA
  algorithm.device = [](const auto& text, const Point& point, auto& ends, unsigned repeats) {
    return gpu::run_gbpr(text, point.gbpr(), ends, repeats);
  };
  algorithm.other = [](const auto& text, const Point& point, auto& ends, unsigned repeats) {
    return gpu::run_cushiftor(text, {.pattern = point.pattern, .max_edits = point.max_edits}, ends, repeats);
  };
#endif
  run_experiment(algorithm, arguments);
}

void bench_wspasm(const BenchArguments& arguments) {
  Algorithm algorithm;
  algorithm.parameters = [](Point& point) -> BenchTable::Row {
    return {{"variant", point.variant}, {"columns", std::to_string(point.pasm().columns)}, {"output", point.output}};
  };
  algorithm.twin = [](const std::string& text, const Point& point) {
    const auto s = point.pasm();
    return s.variant == matchers::PasmVariant::pasm ? matchers::pasm_on_host(text, s.pattern, s.max_edits)
           : s.columns == 1
               ? matchers::wspasm_on_host<1>(text, s.pattern, s.max_edits, kTwinStretch)
               : matchers::wspasm_on_host<matchers::kRowColumns>(text, s.pattern, s.max_edits, kTwinStretch);
  };
#ifdef TRAWL_WITH_CUDA
  algorithm.device = [](const auto& text, const Point& point, auto& ends, unsigned repeats) {
    return gpu::run_pasm(text, point.pasm(), ends, repeats);
  };
  // GBPR where it can be; otherwise PASM beside WsPASM.
  algorithm.other = [](const auto& text, const Point& point, auto& ends, unsigned repeats) {
    using enum matchers::PasmVariant;
    const auto s = point.pasm();
    return s.pattern.size() <= 64 && s.max_edits <= 8
               ? gpu::run_gbpr(text, {s.pattern, s.max_edits}, ends, repeats)
               : gpu::run_pasm(text, {s.pattern, s.max_edits, s.variant == pasm ? wspasm_shared : pasm}, ends, repeats);
  };
#endif
  run_experiment(algorithm, arguments);
}

}  // namespace trawl::lab
