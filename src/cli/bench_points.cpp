#include "cli/bench_points.hpp"

namespace trawl::cli {

namespace {

// Every point once with each of the values.
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

match::CuShiftOrSettings Point::cushiftor() const {
  using enum match::Segments;
  const auto how = segments == "disjoint" ? disjoint : segments == "overlapping" ? overlapping : streamed;
  return match::resolve({pattern, max_edits, word_bits, alpha, how, wildcards});
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
  cross(points, &Point::word_bits, a.word_bits);
  cross(points, &Point::alpha, a.alphas);
  cross(points, &Point::segments, a.segments);
  cross(points, &Point::output, a.outputs);
  return points;
}

}  // namespace trawl::cli
