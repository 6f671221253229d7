#include "lab/bench_points.hpp"

#include "cli/options/output_check.hpp"

namespace trawl::lab {

namespace {

// Makes every point once for each of the values.
template <class T>
void cross(std::vector<Point>& points, T Point::*member, const std::vector<T>& values) {
  std::vector<Point> crossed;
  for (const Point& point : points) {
    for (const T& value : values) {
      crossed.push_back(point);
      crossed.back().*member = value;
    }
  }
  points.swap(crossed);
}

}  // namespace

matchers::CuShiftOrSettings Point::cushiftor() const {
  using enum matchers::Segments;
  const auto how = segments == "disjoint" ? disjoint : segments == "overlapping" ? overlapping : streamed;
  return matchers::resolve({pattern, max_edits, word_bits, alpha, how, wildcards});
}

matchers::MatcherSettings Point::matcher(const matchers::MatcherFacts& facts) const {
  return matchers::resolve(facts, {pattern, max_edits, alpha});
}

matchers::PasmSettings Point::pasm() const {
  using Variant = matchers::PasmVariant;
  const auto which = variant == "pasm" ? Variant::pasm : variant == "wspasm" ? Variant::wspasm : Variant::wspasm_shared;
  // --columns is for WsPASM; PASM has its own value.
  return matchers::resolve(matchers::PasmSettings{pattern, max_edits, which, which == Variant::pasm ? 0 : columns});
}

std::vector<Point> all_points(const BenchArguments& a) {
  Point first;
  first.pattern = a.pattern;
  first.wildcards = !a.no_wildcards;
  std::vector<Point> points = {first};
  cross(points, &Point::pattern_length,
        a.pattern.empty() ? a.pattern_lengths : std::vector{static_cast<unsigned>(a.pattern.size())});
  cross(points, &Point::max_edits, a.max_edits);
  cross(points, &Point::variant, a.variants);
  cross(points, &Point::columns, a.columns);
  cross(points, &Point::word_bits, a.word_bits);
  cross(points, &Point::alpha, a.alphas);
  cross(points, &Point::segments, a.segments);
  cross(points, &Point::output, a.outputs);
  return points;
}

std::vector<BenchText> bench_texts(const BenchArguments& a) {
  if (!a.text.empty()) {
    return {BenchText(a.text)};
  }
  std::vector<BenchText> texts;
  for (const std::uint64_t length : a.lengths) {
    for (const unsigned sigma : a.sigma) {
      texts.emplace_back(length, sigma, a.seed);
    }
  }
  return texts;
}

void check_bench_output(const BenchArguments& a) {
  if (a.tsv.empty()) {
    return;
  }
  std::vector<std::string> inputs;
  for (const std::string& input : {a.text, a.fasta}) {
    if (!input.empty()) {
      inputs.push_back(input);
    }
  }
  cli::check_outputs(inputs, {{"-o", a.tsv}});
}

}  // namespace trawl::lab
