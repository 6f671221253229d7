// Work that several threads do in stages on one item after the other, and that ends in the order in which it began.
//
//   const auto next = [&] { return number < 10 ? std::make_shared<int>(number++) : nullptr; };
//   const auto twice = [](int& value) { value *= 2; };
//   run_in_order<int>(4, next, {{Stage::parallel, twice}}, [&](std::shared_ptr<int> value) { all.push_back(*value); });
//   all == {0, 2, 4, 6, 8, 10, 12, 14, 16, 18}
#pragma once

#include <tbb/parallel_pipeline.h>

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/stop.hpp"

namespace trawl {

/// Whether a stage works on several items at the same time, or on one after the other in their order.
enum class Stage { in_order, parallel };

template <class Item>
struct StageOf {
  Stage stage;
  std::function<void(Item&)> work;
};

/// `take` returns the next item, null at the end; `write` gets each when all before it are written. Both are called by
/// one thread at a time. At most `under_way` items are in work. Runs in the calling thread's arena of TBB.
/// If something throws, the failure of the first item in their order is thrown, after all items before it are written.
template <class Item>
void run_in_order(std::size_t under_way, const std::function<std::shared_ptr<Item>()>& take,
                  const std::vector<StageOf<Item>>& stages, const std::function<void(std::shared_ptr<Item>)>& write) {
  // An exception that crosses parallel_pipeline() would leak the items that wait in it. So it stays beside its item.
  struct Token {
    std::shared_ptr<Item> item;
    std::exception_ptr failure;
  };
  using TokenPointer = std::shared_ptr<Token>;
  bool has_ended = false;
  std::exception_ptr failure;
  const auto take_one = Stop::carry(take);
  const auto write_one = Stop::carry(write);
  std::atomic<bool> has_failed{false};

  tbb::filter<void, TokenPointer> all =
      tbb::make_filter<void, TokenPointer>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) {
        auto token = std::make_shared<Token>();
        if (!has_ended && !has_failed) {
          try {
            token->item = take_one();
          } catch (...) {
            token->failure = std::current_exception();
          }
        }
        has_ended = !token->item;
        if (has_ended && !token->failure) {
          control.stop();
        }
        return token;
      });
  for (const StageOf<Item>& one : stages) {
    const auto mode = one.stage == Stage::parallel ? tbb::filter_mode::parallel : tbb::filter_mode::serial_in_order;
    all =
        all & tbb::make_filter<TokenPointer, TokenPointer>(mode, [&, work = Stop::carry(one.work)](TokenPointer token) {
          if (!token->failure && !has_failed) {
            try {
              work(*token->item);
            } catch (...) {
              token->failure = std::current_exception();
            }
          }
          return token;
        });
  }
  tbb::parallel_pipeline(
      under_way, all & tbb::make_filter<TokenPointer, void>(tbb::filter_mode::serial_in_order, [&](TokenPointer token) {
                   if (has_failed) {
                     return;
                   }
                   try {
                     if (token->failure) {
                       std::rethrow_exception(token->failure);
                     }
                     write_one(std::move(token->item));
                   } catch (...) {
                     failure = std::current_exception();
                     has_failed = true;
                   }
                 }));
  if (failure) {
    std::rethrow_exception(failure);
  }
}

}  // namespace trawl
