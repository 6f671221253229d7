#include "io/read/circular_contigs.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace trawl::io {

void fail_without_contig(const std::string& name) {
  throw UsageError("--circular " + name +
                   ": the reference has no sequence with this name; give the name up to the first blank");
}

CircularContigs::CircularContigs(std::unique_ptr<ContigSource> source, const std::vector<std::string>& names,
                                 std::function<std::uint64_t(std::uint64_t)> repeated)
    : source_(std::move(source)),
      names_(names.begin(), names.end()),
      circles_(std::make_shared<Circles>(std::move(repeated))) {}

// The next piece of the source, which is not asked again after its end.
std::optional<ContigPiece> CircularContigs::take() {
  std::optional<ContigPiece> piece = std::exchange(after_, std::nullopt);
  if (!piece && !is_at_end_) {
    piece = source_->next();
    is_at_end_ = !piece;
  }
  return piece;
}

std::optional<ContigPiece> CircularContigs::next() {
  if (circle_.empty()) {
    std::optional<ContigPiece> piece = take();
    if (!piece && !names_.empty()) {
      fail_without_contig(*names_.begin());
    }
    if (piece && piece->start) {
      ++contigs_;
    }
    if (!piece || !piece->start || !(names_.erase(piece->start->name) > 0 || piece->start->topology.circular)) {
      return piece;
    }
    read_circle(std::move(*piece));
  }
  ContigPiece piece = std::move(circle_.front());
  circle_.pop_front();
  return piece;
}

// The last letters, all, and the first ones; more than once if the circle is shorter.
void CircularContigs::read_circle(ContigPiece first) {
  ContigPiece::Start start = std::move(*first.start);
  std::vector<ContigPiece> circle;
  std::uint64_t length = 0;
  std::optional<ContigPiece> piece = std::move(first);
  for (; piece && (circle.empty() || !piece->start); piece = take()) {
    length += piece->count;
    circle.push_back(std::move(*piece));
  }
  after_ = std::move(piece);
  circles_->add(contigs_ - 1, length);
  const std::uint64_t repeated = circles_->repeated(length);
  std::uint64_t at = (length - repeated % length) % length;
  for (std::uint64_t left = length + 2 * repeated; left > 0;) {
    const std::uint64_t count = std::min(left, length - at);
    give(circle, at, count);
    left -= count;
    at = 0;
  }
  start.topology = {true, repeated};
  circle_.front().start = std::move(start);
}

void CircularContigs::give(const std::vector<ContigPiece>& circle, std::uint64_t begin, std::uint64_t count) {
  for (const ContigPiece& piece : circle) {
    if (count == 0) {
      return;
    }
    if (begin >= piece.count) {
      begin -= piece.count;
      continue;
    }
    const std::uint64_t some = std::min(count, piece.count - begin);
    circle_.push_back({{}, piece.letters, piece.begin + begin, some});
    count -= some;
    begin = 0;
  }
}

}  // namespace trawl::io
