#include "ranks/cluster.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <thread>

#include "base/packer.hpp"
#include "ranks/transport.hpp"

namespace trawl::ranks {

namespace {

constexpr Tag kGather = 1000;
constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

std::string this_host() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

// How a rank's work ended. Status 0: well.
struct Outcome {
  int status = 0;
  std::string what;

  bool operator==(const Outcome&) const = default;
};

Outcome outcome_of(const std::function<void()>& work) {
  try {
    work();
    return {};
  } catch (const UsageError& error) {
    return {kWrongUsage, error.what()};
  } catch (const std::bad_alloc&) {
    return {kFailed, "not enough memory"};
  } catch (const std::exception& error) {
    return {kFailed, error.what()};
  }
}

}  // namespace

Cluster::Cluster() {
  place_.host = this_host();
  const std::vector<std::uint64_t> cores = allowed_cores();
  place_.cores = share_of_cores(cores, cores);
  const std::optional<unsigned> started = ranks_of_launcher();
  if (started == 1) {
    return;
  }
  transport_ = start_mpi();
  place_.rank = transport_->rank();
  place_.size = transport_->size();
  place_.local_rank = transport_->local_rank();
  place_.local_size = transport_->local_size();
  if (started && *started != place_.size) {
    throw Error("the launcher started " + std::to_string(*started) + " ranks, but " + mpi_library() +
                ", with which this program was built, sees " + std::to_string(place_.size) +
                "; use the mpirun of that library");
  }
  std::vector<std::uint64_t> ranks_of_core = cores;
  transport_->sum_in_node(ranks_of_core);
  place_.cores = share_of_cores(cores, ranks_of_core);
  std::uint64_t nodes = 0;
  for (const std::uint64_t local_rank : transport_->gather_numbers(place_.local_rank)) {
    nodes += local_rank == 0 ? 1 : 0;
  }
  place_.nodes = static_cast<unsigned>(nodes);
  if (is_alone()) {
    transport_.reset();
  }
}

Cluster::~Cluster() = default;

std::string Cluster::name() const { return "rank " + std::to_string(rank()) + " on " + host(); }

void Cluster::send(unsigned to, Tag tag, std::string_view bytes) { transport_->send(to, tag, bytes); }
Message Cluster::receive(Tag tag) { return *transport_->receive({}, tag, {}); }
Message Cluster::receive_from(unsigned from, Tag tag) { return *transport_->receive(from, tag, {}); }
std::optional<Message> Cluster::receive(Tag tag, const std::stop_token& stop) {
  return transport_->receive({}, tag, stop);
}

void Cluster::barrier() {
  if (transport_) {
    transport_->barrier();
  }
}

void Cluster::broadcast(std::span<char> bytes) {
  if (transport_) {
    transport_->broadcast(bytes);
  }
}

void Cluster::broadcast(std::string& bytes) {
  if (!transport_) {
    return;
  }
  std::uint64_t size = bytes.size();
  transport_->broadcast({reinterpret_cast<char*>(&size), sizeof size});
  bytes.resize(size);
  transport_->broadcast(bytes);
}

std::vector<std::string> Cluster::gather(std::string_view bytes) {
  if (!is_first()) {
    send(0, kGather, bytes);
    return {};
  }
  std::vector<std::string> all(size());
  all[0] = bytes;
  for (unsigned from = 1; from < size(); ++from) {
    all[from] = receive_from(from, kGather).view();
  }
  return all;
}

void Cluster::sum(std::span<std::uint64_t> numbers) {
  if (transport_) {
    transport_->sum(numbers);
  }
}

void Cluster::together(const std::function<void()>& work) {
  if (is_alone()) {
    work();
    return;
  }
  const Outcome mine = outcome_of(work);
  Packer packer;
  packer.number(mine.status).text(host()).text(mine.what);
  Packer gathered;
  for (const std::string& one : gather(packer.bytes())) {
    gathered.text(one);
  }
  std::string of_all = gathered.take();
  broadcast(of_all);
  std::vector<Outcome> all;
  std::vector<std::string> hosts;
  for (Unpacker each(of_all); !each.at_end();) {
    Unpacker unpacker(each.text());
    Outcome& outcome = all.emplace_back();
    outcome.status = unpacker.number<int>();
    hosts.emplace_back(unpacker.text());
    outcome.what = unpacker.text();
  }
  const auto failed = std::find_if(all.begin(), all.end(), [](const Outcome& outcome) { return outcome.status != 0; });
  if (failed == all.end()) {
    return;
  }
  const bool is_same = std::all_of(all.begin(), all.end(), [&](const Outcome& outcome) { return outcome == *failed; });
  const auto number = static_cast<std::size_t>(failed - all.begin());
  const std::string who =
      is_same || number == 0 ? "" : "rank " + std::to_string(number) + " on " + hosts[number] + ": ";
  throw AgreedError(who + failed->what, failed->status);
}

void Cluster::compare(std::string_view bytes, const std::string& what, const std::string& advice) {
  if (is_alone()) {
    return;
  }
  std::string first(bytes);
  broadcast(first);
  together([&] {
    if (bytes != first) {
      throw Error(what + " is not the same as on rank 0; " + advice);
    }
  });
}

void Cluster::abort(int status) {
  if (transport_) {
    transport_->abort(status);
  }
}

void Cluster::set_clean_up(std::function<void()> clean_up) {
  if (transport_) {
    transport_->set_clean_up(std::move(clean_up));
  }
}

Cluster::Traffic Cluster::sent() const { return transport_ ? transport_->sent() : Traffic{}; }

std::string RunEnd::message() const {
  try {
    throw;
  } catch (const InputError& error) {
    return error.what();  // whichever rank has found it
  } catch (const std::bad_alloc&) {
    return cluster_.name() + ": " + out_of_memory_;
  } catch (const std::exception& error) {
    return cluster_.name() + ": " + error.what();
  }
}

void RunEnd::end(const std::string& message) const {
  say_(message);
  cluster_.abort(1);
  std::_Exit(1);
}

std::vector<std::uint64_t> allowed_cores() {
  std::vector<std::uint64_t> allowed(CPU_SETSIZE, 0);
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) == 0) {
    for (std::size_t core = 0; core < allowed.size(); ++core) {
      allowed[core] = CPU_ISSET(core, &set) ? 1 : 0;
    }
  } else {  // more than CPU_SETSIZE
    std::fill_n(allowed.begin(), std::min<std::size_t>(allowed.size(), std::thread::hardware_concurrency()), 1);
  }
  return allowed;
}

unsigned share_of_cores(std::span<const std::uint64_t> mine, std::span<const std::uint64_t> ranks) {
  constexpr double kRounding = 1e-6;  // three thirds of a core are one
  double share = kRounding;
  for (std::size_t core = 0; core < mine.size(); ++core) {
    if (mine[core] != 0) {
      share += 1.0 / static_cast<double>(std::max<std::uint64_t>(1, ranks[core]));
    }
  }
  return std::max(1u, static_cast<unsigned>(share));
}

}  // namespace trawl::ranks
