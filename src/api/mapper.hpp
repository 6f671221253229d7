// What a trawl::Mapper holds.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "align/records.hpp"
#include "cli/options/map_options.hpp"
#include "engine/engine.hpp"
#include "map/options.hpp"
#include "run/insert_estimate.hpp"
#include "trawl/mapper.hpp"

namespace trawl::inline v0 {

struct Mapper::Impl {
  Impl(Reference of, const Options& given);

  Reference reference;
  cli::MapArguments arguments;
  map::Options options;
  std::optional<run::InsertRange> inserts;  // --insert
  align::RecordRule rule;
  std::string why;
  std::string engine_name;
  std::unique_ptr<engine::Engine> engine;

  std::unique_ptr<engine::Worker> take_worker() const;
  void give_back(std::unique_ptr<engine::Worker> worker) const;

  // Calls with pairs set the insert sizes of the engine.
  mutable std::mutex pairs;

 private:
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<engine::Worker>> idle_;  // workers that wait for the next call
};

}  // namespace trawl::inline v0
