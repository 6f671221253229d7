#include "engine/engine.hpp"

#include <algorithm>
#include <utility>

#include "align/origin.hpp"

namespace trawl::engine {

void EndRanges::put(std::span<const std::uint32_t> queries, const EndRanges& found) {
  if (queries.empty()) {
    return;
  }
  constexpr std::size_t kNone = ~std::size_t{0};
  std::vector<std::size_t> strand_in_found(first.size() - 1, kNone);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    strand_in_found[2 * std::size_t{queries[i]}] = 2 * i;
    strand_in_found[2 * std::size_t{queries[i]} + 1] = 2 * i + 1;
  }
  ranges.resize(ranges.size() + found.ranges.size());
  // From the last strand to the first, so that no range is overwritten before it is moved.
  std::size_t end = ranges.size();
  for (std::size_t s = strand_in_found.size(); s-- > 0;) {
    const std::size_t old_end = first[s + 1];
    first[s + 1] = end;
    const std::size_t from = strand_in_found[s];
    if (from != kNone) {
      end -= found.first[from + 1] - found.first[from];
      std::copy(found.ranges.begin() + static_cast<std::ptrdiff_t>(found.first[from]),
                found.ranges.begin() + static_cast<std::ptrdiff_t>(found.first[from + 1]),
                ranges.begin() + static_cast<std::ptrdiff_t>(end));
    } else if (end != old_end) {
      std::copy_backward(ranges.begin() + static_cast<std::ptrdiff_t>(first[s]),
                         ranges.begin() + static_cast<std::ptrdiff_t>(old_end),
                         ranges.begin() + static_cast<std::ptrdiff_t>(end));
      end -= old_end - first[s];
    } else {
      break;  // nothing before this strand has to move
    }
  }
}

namespace {

class CircularWorker final : public WorkerAround {
 public:
  CircularWorker(std::unique_ptr<Worker> inside, const sequence::Reference& searched, bool splits)
      : WorkerAround(std::move(inside)), searched_(searched), splits_(splits) {}

  void map(const sequence::ReadBatch& batch, align::AlignmentBatch& out) override {
    inside_->map(batch, out);
    align::lay_on_circles(searched_, out);
    if (splits_) {
      align::split_at_origins(out);
    }
  }

 private:
  const sequence::Reference& searched_;
  bool splits_;
};

class CircularEngine final : public EngineAround {
 public:
  CircularEngine(std::unique_ptr<Engine> inside, const sequence::Reference& searched)
      : EngineAround(std::move(inside)), searched_(searched) {}

  std::unique_ptr<Worker> make_worker() override {
    return std::make_unique<CircularWorker>(inside().make_worker(), searched_, true);
  }
  // Insert sizes are those of whole places.
  std::unique_ptr<Worker> make_single_worker() override {
    return std::make_unique<CircularWorker>(inside().make_single_worker(), searched_, false);
  }

 private:
  const sequence::Reference& searched_;
};

}  // namespace

std::unique_ptr<Engine> make_circular_engine(std::unique_ptr<Engine> inside, const sequence::Reference& searched) {
  return std::make_unique<CircularEngine>(std::move(inside), searched);
}

}  // namespace trawl::engine
