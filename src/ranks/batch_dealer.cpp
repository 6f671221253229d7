#include "ranks/batch_dealer.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/packer.hpp"

namespace trawl::ranks {

namespace {

constexpr Tag kAskBatch = 1;
constexpr Tag kBatch = 2;

enum class DealtKind : std::uint8_t { no_more, batch, failure };

// How many batches a rank has asked for besides the one that it waits for.
constexpr std::uint64_t kBatchesAhead = 2;

// One thread takes reads, another one mates. Up to kCutters others read and cut blocks of the input; each finds the
// records of 1 to 2 GB in a second.
constexpr unsigned kTakers = 2;
constexpr unsigned kCutters = 6;

}  // namespace

BatchDealer::BatchDealer(Cluster& cluster, io::ReadInput& input, Owners& owners, const RunEnd& run_end,
                         unsigned threads)
    : cluster_(cluster),
      input_(input),
      owners_(owners),
      run_end_(run_end),
      arena_(static_cast<int>(kTakers + std::min(kCutters, threads)), kTakers),
      turns_of_(cluster.size(), 0) {
  // While one copies a batch into its message, another one takes the next.
  constexpr unsigned most = 4;
  for (unsigned s = 0; s < std::min(most, cluster.size() - 1); ++s) {
    servers_.emplace_back([this, &run_end](const std::stop_token& stop) { run_end.guard([&] { serve(stop); }); });
  }
}

std::optional<BatchDealer::Dealt> BatchDealer::take_for(unsigned rank, std::size_t reads, std::size_t bases,
                                                        io::ReadInput::InputBatch& batch) {
  Dealt dealt;
  Taken& taken = dealt.taken;
  {
    const std::lock_guard lock(taking_reads_);
    if (ended_) {
      return {};
    }
    try {
      input_.set_batch(reads, bases);
      if (!arena_.execute([&] { return input_.take_reads(batch); })) {
        ended_ = true;
        owners_.push(std::nullopt);
        return {};
      }
    } catch (...) {
      dealt.failure = std::current_exception();
      ended_ = true;
    }
    taken.number = next_++;
    dealt.turn = turns_of_[rank]++;
    owners_.push(rank);
  }
  std::unique_lock lock(taking_mates_);
  mates_taken_.wait(lock, [&] { return next_mates_ == taken.number; });
  if (!dealt.failure) {
    try {
      arena_.execute([&] { input_.take_mates(batch); });
    } catch (...) {
      dealt.failure = std::current_exception();  // those who wait for their mates must not wait for ever
    }
  }
  reads_ += batch.reads.size() + batch.first.size() + batch.second.size();
  ++next_mates_;
  lock.unlock();
  mates_taken_.notify_all();
  return dealt;
}

void BatchDealer::serve(const std::stop_token& stop) {
  io::ReadInput::InputBatch batch;
  while (const auto message = cluster_.receive(kAskBatch, stop)) {
    Unpacker from(message->view());
    const auto reads = from.number<std::uint64_t>();
    const auto bases = from.number<std::uint64_t>();
    Packer answer;
    const auto dealt = take_for(message->from, reads, bases, batch);
    if (!dealt) {
      answer.number(DealtKind::no_more);
    } else {
      try {
        if (dealt->failure) {
          std::rethrow_exception(dealt->failure);
        }
        input_.finish(batch);
        answer.number(DealtKind::batch).number(dealt->turn).number(dealt->taken.number);
        batch.reads.pack(answer);
      } catch (...) {
        answer.clear();
        answer.number(DealtKind::failure).number(dealt->turn).number(dealt->taken.number).text(run_end_.message());
      }
    }
    batch.clear();
    cluster_.send(message->from, kBatch, answer.bytes());
  }
}

// The answers come from several threads of the first rank. So they may come in another order than the batches.
std::optional<pipeline::BatchSource::Taken> DealtBatches::take(std::size_t reads, std::size_t bases,
                                                               io::ReadInput::InputBatch& batch) {
  while (!ended_ && asked_ - answered_ + early_.size() <= kBatchesAhead) {
    cluster_.send(0, kAskBatch, Packer().number<std::uint64_t>(reads).number<std::uint64_t>(bases).bytes());
    ++asked_;
  }
  while (!early_.contains(next_) && answered_ < asked_) {
    Message message = cluster_.receive_from(0, kBatch);
    ++answered_;
    Unpacker from(message.view());
    const auto answer = from.number<DealtKind>();
    ended_ = ended_ || answer != DealtKind::batch;
    if (answer != DealtKind::no_more) {
      early_.emplace(from.number<std::uint64_t>(), std::move(message));
    }
  }
  const auto found = early_.find(next_);
  if (found == early_.end()) {
    return {};
  }
  const Message message = std::move(found->second);
  early_.erase(found);
  ++next_;
  Unpacker from(message.view());
  const auto answer = from.number<DealtKind>();
  from.number<std::uint64_t>();  // its turn
  const Taken taken{from.number<std::uint64_t>()};
  if (answer == DealtKind::failure) {
    throw InputError(std::string(from.text()));
  }
  batch.reads.unpack(from, message.bytes);
  return taken;
}

}  // namespace trawl::ranks
