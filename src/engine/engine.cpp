#include "engine/engine.hpp"

#include "align/origin.hpp"
#include "align/records.hpp"

namespace trawl::engine {

void EndRanges::put(std::span<const std::uint32_t> queries, const EndRanges& found) {
  if (queries.empty()) {
    return;
  }
  constexpr std::size_t kNone = ~std::size_t{0};
  std::vector<std::size_t> place(first.size() / 2, kNone);  // of each query, in `found`
  for (std::size_t i = 0; i < queries.size(); ++i) {
    place[queries[i]] = i;
  }
  EndRanges all;
  all.ranges.reserve(ranges.size() + found.ranges.size());
  all.first.assign(1, 0);
  for (std::size_t q = 0; q < place.size(); ++q) {
    for (const bool reverse : {false, true}) {
      const auto own = place[q] == kNone ? of(q, reverse) : found.of(place[q], reverse);
      all.ranges.insert(all.ranges.end(), own.begin(), own.end());
      all.first.push_back(all.ranges.size());
    }
  }
  *this = std::move(all);
}

namespace {

void map_mixed(Worker& worker, const sequence::ReadBatch& batch, align::AlignmentBatch& out) {
  std::vector<std::uint32_t> pairs;
  std::vector<std::uint32_t> singles;
  for (std::uint32_t r = 0; r < batch.size(); r += 2) {
    if (batch.is_absent(r + 1)) {
      singles.push_back(r);
    } else {
      pairs.insert(pairs.end(), {r, r + 1});
    }
  }
  out.clear();
  out.reads.resize(batch.size());
  out.pairs.resize(batch.size() / 2);
  sequence::ReadBatch part;
  align::AlignmentBatch found;
  for (const auto* reads : {&pairs, &singles}) {
    part.take_some(batch, *reads);
    part.paired = reads == &pairs;
    worker.map(part, found);
    align::put_results(found, *reads, out);
  }
  for (const std::uint32_t r : singles) {
    out.pairs[r / 2].kind = align::PairKind::single;
  }
}

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

void map_batch(Worker& worker, const sequence::ReadBatch& batch, align::AlignmentBatch& out) {
  if (batch.mixed) {
    map_mixed(worker, batch, out);
  } else {
    worker.map(batch, out);
  }
  out.read_flags.clear();
  for (std::size_t r = 0; r < batch.size(); ++r) {
    if (batch.has_failed(r)) {
      out.read_flags.resize(batch.size());
      out.read_flags[r] = align::kFlagFailed;
    }
  }
}

std::unique_ptr<Engine> make_circular_engine(std::unique_ptr<Engine> inside, const sequence::Reference& searched) {
  return std::make_unique<CircularEngine>(std::move(inside), searched);
}

}  // namespace trawl::engine
