#include "cli/batch_dealer.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/packer.hpp"

namespace trawl::cli {

namespace {

constexpr cluster::Tag kAsk = 1;
constexpr cluster::Tag kBatch = 2;

enum class Answer : std::uint8_t { no_more, batch, failure };

}  // namespace

BatchDealer::BatchDealer(cluster::Cluster& cluster, io::ReadInput& input, cluster::Turns& turns,
                         std::function<void(const std::string&)> fail)
    : cluster_(cluster), input_(input), turns_(turns), fail_(std::move(fail)) {
  // While one copies a batch into its message, another one takes the next.
  constexpr unsigned most = 4;
  for (unsigned s = 0; s < std::min(most, cluster.size() - 1); ++s) {
    servers_.emplace_back([this](const std::stop_token& stop) {
      try {
        serve(stop);
      } catch (const std::exception& error) {
        fail_(error.what());
      }
    });
  }
}

std::optional<BatchSource::Taken> BatchDealer::take_for(unsigned rank, std::size_t reads, std::size_t bases,
                                                        io::ReadInput::Batch& batch) {
  Taken taken;
  {
    const std::lock_guard lock(taking_reads_);
    if (ended_) {
      return {};
    }
    try {
      input_.set_batch(reads, bases);
      if (!input_.take_reads(batch)) {
        ended_ = true;
        return {};
      }
    } catch (...) {
      taken.failure = std::current_exception();
      ended_ = true;
    }
    taken.number = next_++;
    turns_.give(taken.number, rank);
  }
  std::unique_lock lock(taking_mates_);
  mates_taken_.wait(lock, [&] { return next_mates_ == taken.number; });
  if (!taken.failure) {
    input_.take_mates(batch);
  }
  reads_ += batch.reads.size() + batch.first.size() + batch.second.size();
  ++next_mates_;
  lock.unlock();
  mates_taken_.notify_all();
  return taken;
}

void BatchDealer::serve(const std::stop_token& stop) {
  io::ReadInput::Batch batch;
  while (const auto message = cluster_.receive(kAsk, stop)) {
    Unpacker from(message->view());
    const auto reads = from.number<std::uint64_t>();
    const auto bases = from.number<std::uint64_t>();
    Packer answer;
    const auto taken = take_for(message->from, reads, bases, batch);
    if (!taken) {
      answer.number(Answer::no_more);
    } else if (taken->failure) {
      try {
        std::rethrow_exception(taken->failure);
      } catch (const std::exception& error) {
        answer.number(Answer::failure).number(taken->number).text(error.what());
      }
    } else {
      answer.number(Answer::batch).number(taken->number);
      input_.pack(batch, answer);
    }
    batch.clear();
    cluster_.send(message->from, kBatch, answer.bytes());
  }
}

std::optional<BatchSource::Taken> DealtBatches::take(std::size_t reads, std::size_t bases,
                                                     io::ReadInput::Batch& batch) {
  cluster_.send(0, kAsk, Packer().number<std::uint64_t>(reads).number<std::uint64_t>(bases).bytes());
  const cluster::Message message = cluster_.receive_from(0, kBatch);
  Unpacker from(message.view());
  const auto answer = from.number<Answer>();
  if (answer == Answer::no_more) {
    return {};
  }
  Taken taken{from.number<std::uint64_t>(), nullptr};
  if (answer == Answer::failure) {
    taken.failure = std::make_exception_ptr(InputError(std::string(from.text())));
  } else {
    input_.unpack(from, message.bytes, batch);
  }
  return taken;
}

}  // namespace trawl::cli
