#include "io/read/circular_contigs.hpp"

#include <algorithm>
#include <utility>

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

bool CircularContigs::step(FastaHandler& handler) {
  handler_ = &handler;
  if (source_->step(*this)) {
    return true;
  }
  give_circle();
  if (!names_.empty()) {
    fail_without_contig(*names_.begin());
  }
  return false;
}

void CircularContigs::begin_contig(const std::string& name, const sequence::Topology& topology) {
  give_circle();
  ++contigs_;
  is_circle_ = names_.erase(name) > 0 || topology.circular;
  if (is_circle_) {
    name_ = name;
  } else {
    handler_->begin_contig(name, topology);
  }
}

void CircularContigs::append(const std::shared_ptr<const sequence::PackedLetters>& letters, std::uint64_t begin,
                             std::uint64_t count) {
  if (!is_circle_) {
    handler_->append(letters, begin, count);
    return;
  }
  pieces_.push_back({letters, begin, count});
  length_ += count;
}

// The last letters, all, and the first ones; more than once if the circle is shorter.
void CircularContigs::give_circle() {
  if (!is_circle_) {
    return;
  }
  circles_->add(contigs_ - 1, length_);
  const std::uint64_t repeated = circles_->repeated(length_);
  handler_->begin_contig(name_, {true, repeated});
  std::uint64_t at = (length_ - repeated % length_) % length_;
  for (std::uint64_t left = length_ + 2 * repeated; left > 0;) {
    const std::uint64_t count = std::min(left, length_ - at);
    give(at, count);
    left -= count;
    at = 0;
  }
  pieces_.clear();
  length_ = 0;
  is_circle_ = false;
}

void CircularContigs::give(std::uint64_t begin, std::uint64_t count) {
  for (const Piece& piece : pieces_) {
    if (count == 0) {
      return;
    }
    if (begin >= piece.count) {
      begin -= piece.count;
      continue;
    }
    const std::uint64_t some = std::min(count, piece.count - begin);
    handler_->append(piece.letters, piece.begin + begin, some);
    count -= some;
    begin = 0;
  }
}

}  // namespace trawl::io
