#include "engine/circular_engine.hpp"

#include <utility>

#include "align/origin.hpp"
#include "engine/engine_around.hpp"

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

class CircularEngine final : public EngineAround {
 public:
  CircularEngine(std::unique_ptr<Engine> inside, const sequence::Reference& searched)
      : EngineAround(*inside), owned_(std::move(inside)), searched_(searched) {}

  std::unique_ptr<Worker> make_worker() override {
    return std::make_unique<CircularWorker>(inside().make_worker(), searched_, true);
  }
  // Insert sizes are those of whole places.
  std::unique_ptr<Worker> make_single_worker() override {
    return std::make_unique<CircularWorker>(inside().make_single_worker(), searched_, false);
  }

 private:
  std::unique_ptr<Engine> owned_;
  const sequence::Reference& searched_;
};

}  // namespace

std::unique_ptr<Engine> make_circular_engine(std::unique_ptr<Engine> inside, const sequence::Reference& searched) {
  return std::make_unique<CircularEngine>(std::move(inside), searched);
}

}  // namespace trawl::engine
