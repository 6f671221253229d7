#include "engine/circular_engine.hpp"

#include <utility>

#include "align/origin.hpp"

namespace trawl::engine {

namespace {

class CircularWorker final : public Worker {
 public:
  CircularWorker(std::unique_ptr<Worker> inside, const sequence::Reference& searched, bool splits)
      : inside_(std::move(inside)), searched_(searched), splits_(splits) {}

  void map(const sequence::ReadBatch& batch, align::AlignmentBatch& out) override {
    inside_->map(batch, out);
    align::lay_on_circles(searched_, out);
    if (splits_) {
      align::split_at_origins(out);
    }
  }
  StageSeconds seconds() const override { return inside_->seconds(); }

 private:
  std::unique_ptr<Worker> inside_;
  const sequence::Reference& searched_;
  bool splits_;
};

class CircularEngine final : public Engine {
 public:
  CircularEngine(std::unique_ptr<Engine> inside, const sequence::Reference& searched)
      : inside_(std::move(inside)), searched_(searched) {}

  std::unique_ptr<Worker> make_worker() override {
    return std::make_unique<CircularWorker>(inside_->make_worker(), searched_, true);
  }
  // Insert sizes are those of whole places.
  std::unique_ptr<Worker> make_single_worker() override {
    return std::make_unique<CircularWorker>(inside_->make_single_worker(), searched_, false);
  }
  std::unique_ptr<RangeFinder> make_range_finder() override { return inside_->make_range_finder(); }
  void set_inserts(const align::InsertModel& inserts) override { inside_->set_inserts(inserts); }
  std::size_t reads_per_batch() const override { return inside_->reads_per_batch(); }
  std::size_t bases_per_batch() const override { return inside_->bases_per_batch(); }
  std::size_t batches_under_way(unsigned threads) const override { return inside_->batches_under_way(threads); }
  unsigned waiting_threads() const override { return inside_->waiting_threads(); }
  std::string description() const override { return inside_->description(); }

 private:
  std::unique_ptr<Engine> inside_;
  const sequence::Reference& searched_;
};

}  // namespace

std::unique_ptr<Engine> make_circular_engine(std::unique_ptr<Engine> inside, const sequence::Reference& searched) {
  return std::make_unique<CircularEngine>(std::move(inside), searched);
}

}  // namespace trawl::engine
