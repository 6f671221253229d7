// An engine that does something before or after another one, and is that one in everything else.
//
//   with: Engine& inside
//   struct Plain final : EngineAround {
//     explicit Plain(Engine& engine) : EngineAround(engine) {}
//     std::unique_ptr<Worker> make_worker() override { return inside().make_worker(); }
//   };
//   Plain(inside).reads_per_batch() == inside.reads_per_batch()
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "engine/engine.hpp"

namespace trawl::engine {

class EngineAround : public Engine {
 public:
  std::unique_ptr<Worker> make_single_worker() override { return inside_.make_single_worker(); }
  std::unique_ptr<RangeFinder> make_range_finder() override { return inside_.make_range_finder(); }
  void set_inserts(const align::InsertModel& inserts) override { inside_.set_inserts(inserts); }
  std::size_t reads_per_batch() const override { return inside_.reads_per_batch(); }
  std::size_t bases_per_batch() const override { return inside_.bases_per_batch(); }
  std::size_t batches_under_way(unsigned threads) const override { return inside_.batches_under_way(threads); }
  unsigned waiting_threads() const override { return inside_.waiting_threads(); }
  std::string description() const override { return inside_.description(); }

 protected:
  /// `inside` must outlive this object.
  explicit EngineAround(Engine& inside) : inside_(inside) {}
  Engine& inside() const { return inside_; }

 private:
  Engine& inside_;
};

}  // namespace trawl::engine
