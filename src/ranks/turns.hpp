// Numbered items that several ranks work on, and what each hands to the next one: the order of the output. There are
// chains: in each of them item n gets the bytes that item n - 1 has left there.
//
//   On the first rank                          On the rank that works on item 7
//   Turns turns(cluster, 2, on_failure);       Turns turns(cluster, 2, {});
//   turns.begin(0, "0");
//   turns.give(7, rank);                       std::string offset = turns.take(0, 7);    // waits for item 6
//                                              turns.pass(0, 7, offset + size);
//   turns.give(8, 0);
//   turns.take(0, 8);                          // what the last item has left
//
// Two messages for an item and a chain: to the first rank, and from there to the rank of the next item. The first rank
// has a thread for that.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "ranks/cluster.hpp"

namespace trawl::ranks {

class Turns {
 public:
  /// Needed on the first rank only. `take_parcel`: is given the parcels, in the order of the items. `fail`: is given
  /// the message of a failure, and must end the run.
  struct Handlers {
    std::function<void(std::string_view parcel)> take_parcel;
    std::function<void(const std::string& message)> fail;
  };
  /// For all ranks. Only one object of a cluster at a time.
  Turns(Cluster& cluster, unsigned chains, Handlers handlers);
  /// After all items have passed.
  ~Turns();
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  /// On the first rank: the bytes for item 0.
  void begin(unsigned chain, std::string bytes);
  /// On the first rank: item `number` belongs to `rank`. One item after the other, from 0.
  void give(std::uint64_t number, unsigned rank);

  /// Waits until the item before has passed, and returns its bytes. A rank must take the items of a chain in their
  /// order, by one thread at a time.
  std::string take(unsigned chain, std::uint64_t number);
  /// Hands on what the next item needs. Any thread may call it.
  void pass(unsigned chain, std::uint64_t number, std::string bytes);
  /// The same, after the first rank has taken the parcel.
  void pass_with_parcel(unsigned chain, std::uint64_t number, std::string_view parcel);
  /// The item cannot be done. Does not return: the first rank ends the run.
  [[noreturn]] void fail(const std::string& message);

 private:
  struct Chain {
    std::uint64_t number = 0;  // of the item that `bytes` is for
    std::string bytes;
    bool is_here = false;  // the bytes have come, but were not handed on
  };

  void start_server(Tag tag, std::function<void(std::string_view)> work);
  void hand_on(unsigned chain, std::uint64_t number, std::string bytes);
  void deliver(unsigned chain);
  unsigned owner_of(std::uint64_t number) const { return owners_[number - first_owner_]; }

  Cluster& cluster_;
  Handlers handlers_;
  // The rest only on the first rank.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Chain> chains_;
  std::deque<unsigned> owners_;  // of the items from first_owner_ on
  std::uint64_t first_owner_ = 0;
  std::vector<std::jthread> servers_;
};

}  // namespace trawl::ranks
