// What a trawl::Mapper holds.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "base/pool.hpp"
#include "cli/options/map_options.hpp"
#include "engine/engine.hpp"
#include "map/options.hpp"
#include "trawl/mapper.hpp"

namespace trawl::inline v0 {

struct Mapper::Impl {
  Impl(Reference of, const Options& given);
  virtual ~Impl() = default;

  Reference reference;
  cli::MapArguments arguments;
  map::MapOptions options;
  std::string why;
  std::string engine_name;
  std::unique_ptr<engine::Engine> engine;

  mutable Pool<std::unique_ptr<engine::Worker>> workers;  // of `engine`
  // Virtual, so that the component io, which does not see what the library hides, can call them.
  virtual void use_threads() const;  // api::use_threads()
  // For one call with pairs; null: there is `engine` only, on a device.
  virtual std::unique_ptr<engine::Engine> make_engine_of_pairs() const;

  // Held by a call with pairs that uses `engine`, whose insert sizes it sets.
  mutable std::mutex pairs;
};

}  // namespace trawl::inline v0

namespace trawl::api {

/// The engine of a call with pairs, which has the insert sizes of this call. On a CPU it is one of its own, which costs
/// next to nothing, because the seeds are shared: so a caller may map other pairs while a stream of pairs is open.
class PairEngine {
 public:
  explicit PairEngine(const Mapper::Impl& mapper) : own_(mapper.make_engine_of_pairs()), shared_(mapper.engine.get()) {
    if (!own_) {
      lock_ = std::unique_lock(mapper.pairs);
    }
  }
  engine::Engine& operator*() const { return own_ ? *own_ : *shared_; }
  engine::Engine* operator->() const { return &**this; }

 private:
  std::unique_ptr<engine::Engine> own_;
  engine::Engine* shared_;
  std::unique_lock<std::mutex> lock_;
};

}  // namespace trawl::api
