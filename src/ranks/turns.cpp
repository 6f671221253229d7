#include "ranks/turns.hpp"

#include <algorithm>
#include <utility>

#include "base/packer.hpp"

namespace trawl::ranks {

namespace {

constexpr Tag kPass = 900;
constexpr Tag kParcel = 901;
constexpr Tag kFail = 902;
constexpr Tag kChainTurn = 910;  // and the chain

}  // namespace

Turns::Turns(Cluster& cluster, unsigned chains, Handlers handlers)
    : cluster_(cluster), handlers_(std::move(handlers)), chains_(chains) {
  if (!cluster_.is_first()) {
    return;
  }
  start_server(kPass, [this](std::string_view message) {
    Unpacker from(message);
    const auto chain = from.number<unsigned>();
    const auto number = from.number<std::uint64_t>();
    hand_on(chain, number + 1, std::string(from.rest()));
  });
  start_server(kParcel, [this](std::string_view message) {
    Unpacker from(message);
    const auto chain = from.number<unsigned>();
    const auto number = from.number<std::uint64_t>();
    handlers_.take_parcel(from.rest());
    hand_on(chain, number + 1, {});
  });
  start_server(kFail, [this](std::string_view message) { handlers_.fail(std::string(message)); });
}

void Turns::start_server(Tag tag, std::function<void(std::string_view)> work) {
  servers_.emplace_back([this, tag, work = std::move(work)](const std::stop_token& stop) {
    try {
      while (const auto message = cluster_.receive(tag, stop)) {
        work(message->view());
      }
    } catch (const std::exception& error) {
      handlers_.fail(error.what());
    }
  });
}

Turns::~Turns() = default;

void Turns::begin(unsigned chain, std::string bytes) { hand_on(chain, 0, std::move(bytes)); }

void Turns::give(std::uint64_t, unsigned rank) {
  const std::lock_guard lock(mutex_);
  owners_.push_back(rank);
  for (unsigned c = 0; c < chains_.size(); ++c) {
    deliver(c);
  }
}

void Turns::hand_on(unsigned chain, std::uint64_t number, std::string bytes) {
  const std::lock_guard lock(mutex_);
  chains_[chain] = {number, std::move(bytes), true};
  deliver(chain);
}

// Sends the bytes of a chain to the rank of their item, if both are known. Under the lock.
void Turns::deliver(unsigned chain) {
  Chain& last = chains_[chain];
  if (!last.is_here || last.number >= first_owner_ + owners_.size()) {
    return;
  }
  const unsigned owner = owner_of(last.number);
  if (owner == 0) {
    changed_.notify_all();
    return;
  }
  last.is_here = false;
  cluster_.post(owner, kChainTurn + static_cast<Tag>(chain), Packer().number(last.number).bytes(last.bytes).take());
  // All chains have passed the items before.
  const auto first = std::min_element(chains_.begin(), chains_.end(), [](const Chain& a, const Chain& b) {
                       return a.number < b.number;
                     })->number;
  for (; first_owner_ < first; ++first_owner_) {
    owners_.pop_front();
  }
}

std::string Turns::take(unsigned chain, std::uint64_t number) {
  if (!cluster_.is_first()) {
    const Message message = cluster_.receive_from(0, kChainTurn + static_cast<Tag>(chain));
    Unpacker from(message.view());
    if (from.number<std::uint64_t>() != number) {
      throw Error("the ranks have lost the order of the output; please report this");
    }
    return std::string(from.rest());
  }
  std::unique_lock lock(mutex_);
  Chain& last = chains_[chain];
  changed_.wait(lock, [&] { return last.is_here && last.number == number; });
  last.is_here = false;
  return std::move(last.bytes);
}

void Turns::pass(unsigned chain, std::uint64_t number, std::string bytes) {
  if (cluster_.is_first()) {
    hand_on(chain, number + 1, std::move(bytes));
  } else {
    cluster_.post(0, kPass, Packer().number(chain).number(number).bytes(bytes).take());
  }
}

void Turns::pass_with_parcel(unsigned chain, std::uint64_t number, std::string_view parcel) {
  if (cluster_.is_first()) {
    handlers_.take_parcel(parcel);
    hand_on(chain, number + 1, {});
    return;
  }
  Packer packer;
  packer.reserve(parcel.size() + 16);
  cluster_.send(0, kParcel, packer.number(chain).number(number).bytes(parcel).bytes());
}

void Turns::fail(const std::string& message) {
  if (cluster_.is_first()) {
    handlers_.fail(message);
  }
  cluster_.post(0, kFail, message);
  // The first rank ends all. If it cannot, this one does.
  std::this_thread::sleep_for(std::chrono::seconds(20));
  cluster_.abort(1);
  std::abort();
}

}  // namespace trawl::ranks
