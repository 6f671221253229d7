// The ranks of one run. A program that mpirun or srun has started N times is a cluster of N ranks; every other program
// is a cluster of one, which makes no MPI call. Nothing outside this room includes mpi.h.
//
//   ranks::Cluster cluster;                        // once, in main(), before other threads start
//   cluster.together([&] { check(options); });     // if it fails on any rank, all end, and one message is written
//   if (cluster.is_first()) {
//     cluster.send(1, kRequest, "text");           // may be called by any thread
//   } else if (cluster.rank() == 1) {
//     ranks::Message message = cluster.receive(kRequest);   // message.from == 0, message.view() == "text"
//   }
//
// Threads. Each MPI call is short and does not block; a lock lets one thread call at a time. A thread that waits asks
// again and again, and sleeps in between: a blocking call would keep a core busy that can compute something instead. So
// MPI_THREAD_SERIALIZED is enough.
//
// Failures. There are two ways to end:
//   together(), and errors derived from AgreedError: all ranks know. One of them says the message, all finish.
//   RunEnd: the rank says the message and calls abort(), which ends all ranks wherever they are. It tells the others,
//   and all finish MPI before they exit: MPI_Abort() would make the launcher kill ranks that are ending, and some
//   launchers crash or hang then.
#pragma once

#include <tbb/concurrent_queue.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace trawl::ranks {

// How many cores a rank may use. Launchers may bind ranks to cores, each to its own or several to the same; or to none.

/// For each hardware thread of the machine: 1 if this process may run on it, otherwise 0.
std::vector<std::uint64_t> allowed_cores();

/// Adds up, over the cores that are allowed (`mine`), the share of one of the ranks that may use each (`ranks`). At
/// least 1.
///   share_of_cores({1, 1, 0, 0}, {2, 2, 1, 1}) == 1     // the first two of four cores, each for two ranks
unsigned share_of_cores(std::span<const std::uint64_t> mine, std::span<const std::uint64_t> ranks);

/// What a message is about. Each protocol has its own numbers, from 0 to 999.
using Tag = int;

struct Message {
  unsigned from = 0;
  std::shared_ptr<char[]> bytes;  // others may keep a part of them
  std::size_t size = 0;

  std::string_view view() const { return {bytes.get(), size}; }
};

/// An error that all ranks know. It is thrown on each of them; only the first rank says it.
class AgreedError : public Error {
 public:
  AgreedError(const std::string& what, int status) : Error(what), status_(status) {}
  /// The exit status of the program.
  int status() const { return status_; }

 private:
  int status_;
};

class Transport;  // how the ranks of a cluster with more than one exchange bytes

class Cluster {
 public:
  /// Starts MPI if the program runs under its launcher with more than one rank. Throws Error if the launcher started
  /// several, but this program cannot be one of them: it was built without MPI, or with that of another vendor.
  Cluster();
  /// Finishes MPI, which waits for all ranks.
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  unsigned rank() const { return place_.rank; }
  unsigned size() const { return place_.size; }
  bool is_first() const { return place_.rank == 0; }
  bool is_alone() const { return place_.size == 1; }
  const std::string& host() const { return place_.host; }
  /// Among the ranks that share a node's memory.
  unsigned local_rank() const { return place_.local_rank; }
  unsigned local_size() const { return place_.local_size; }
  /// How many cores this rank may use: those that its launcher has bound it to, or all of its node; of cores that
  /// other ranks may use, too, its share. At least 1.
  unsigned cores() const { return place_.cores; }
  /// How many nodes the ranks are on.
  unsigned nodes() const { return place_.nodes; }
  /// "rank 2 on node07"
  std::string name() const;

  /// Sends bytes, of any number. Returns when they may change. Messages of one tag to one rank arrive in order. A rank
  /// may send to itself, but then another thread must receive.
  void send(unsigned to, Tag tag, std::string_view bytes);
  /// Waits for a message, from any rank.
  Message receive(Tag tag);
  /// The same from one rank.
  Message receive_from(unsigned from, Tag tag);
  /// The same from any rank; nothing if `stop` is requested before one has come.
  std::optional<Message> receive(Tag tag, const std::stop_token& stop);

  // The functions from here on are for all ranks: each of them must call them, in the same order, by one thread at a
  // time.

  void barrier();
  /// The bytes of the first rank, on every rank.
  void broadcast(std::string& bytes);
  /// The same into memory whose size all ranks know.
  void broadcast(std::span<char> bytes);
  /// The bytes of every rank, by rank. On the first rank only; empty on the others.
  std::vector<std::string> gather(std::string_view bytes);
  /// Adds up the numbers of all ranks, on the first rank. The others keep theirs.
  void sum(std::span<std::uint64_t> numbers);

  /// Runs `work` on every rank and waits for all. If it throws on any, AgreedError is thrown on all ranks, with the
  /// message of the first rank that failed: "rank 2 on node07: ...", or without the name if it is rank 0, or if all
  /// ranks have the same message.
  /// In a cluster of one, what `work` throws is thrown as it is.
  void together(const std::function<void()>& work);
  /// The same for work that only the first rank has.
  void on_first(const std::function<void()>& work) {
    together(is_first() ? work : [] {});
  }
  /// Throws AgreedError on all ranks unless all gave the same bytes. `what`: for the message, for example "the
  /// reference genome.fa". The message names the first rank whose bytes are not those of rank 0, and says what to do.
  void compare(std::string_view bytes, const std::string& what,
               const std::string& advice = "give all ranks the same file");

  // For each rank alone again.

  /// Ends all ranks at once, wherever they are, with this exit status. Returns only in a cluster of one. Any thread may
  /// call it.
  void abort(int status);
  /// What this rank does first when any rank calls abort(): deletes files that are not complete.
  void set_clean_up(std::function<void()> clean_up);

  /// Bytes and messages that this rank has sent to others so far, without those for all ranks.
  struct Traffic {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
  };
  Traffic sent() const;

 private:
  struct RankPlace {
    unsigned rank = 0;
    unsigned size = 1;
    std::string host;
    unsigned local_rank = 0;
    unsigned local_size = 1;
    unsigned cores = 1;
    unsigned nodes = 1;
  };

  RankPlace place_;
  std::unique_ptr<Transport> transport_;  // none in a cluster of one
};

/// How the work of several ranks ends if one of them fails: it says why, and all ranks end.
///
///   std::jthread helper([&] { run_end.guard(work); });
class RunEnd {
 public:
  /// `say`: writes a message of this rank to stderr. `out_of_memory`: the message if memory is not enough. `cluster`
  /// must outlive this object.
  RunEnd(Cluster& cluster, std::function<void(const std::string&)> say, std::string out_of_memory)
      : cluster_(cluster), say_(std::move(say)), out_of_memory_(std::move(out_of_memory)) {}

  /// The message about the exception that is being handled: errors of the input as they are, others with the name of
  /// the rank.
  std::string message() const;
  /// Says the message, and ends all ranks, wherever they are. Any thread may call it.
  [[noreturn]] void end(const std::string& message) const;

  /// Does the work. If it throws, ends all ranks.
  template <class Work>
  void guard(const Work& work) const {
    try {
      work();
    } catch (...) {
      end(message());
    }
  }

 private:
  Cluster& cluster_;
  std::function<void(const std::string&)> say_;
  std::string out_of_memory_;
};

/// The rank of each batch or chunk of a list that ranks work on, in order; nothing after the last one. Each rank sends
/// the results of its own ones in their order, so the first rank knows from whom the next one comes.
using Owners = tbb::concurrent_bounded_queue<std::optional<unsigned>>;
/// How many of them a rank may have whose results are not taken yet.
inline constexpr unsigned kMostUnderWay = 16;

/// The MPI library of this build, for example "Open MPI 4.1.4"; empty without MPI.
std::string mpi_library();

}  // namespace trawl::ranks
