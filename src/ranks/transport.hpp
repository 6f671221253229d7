// What a cluster of several ranks needs from MPI. Implemented in mpi_transport.cpp, the only file that includes mpi.h.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "ranks/cluster.hpp"

namespace trawl::ranks {

/// How many ranks the launcher says that it has started: 1 without a launcher; nothing if it does not say a number.
std::optional<unsigned> ranks_of_launcher();

class Transport {
 public:
  virtual ~Transport() = default;

  virtual unsigned rank() const = 0;
  virtual unsigned size() const = 0;
  virtual unsigned local_rank() const = 0;
  virtual unsigned local_size() const = 0;

  virtual void send(unsigned to, Tag tag, std::string_view bytes) = 0;
  /// `from`: nothing means any rank.
  virtual std::optional<Message> receive(std::optional<unsigned> from, Tag tag, const std::stop_token& stop) = 0;
  virtual void barrier() = 0;
  virtual void broadcast(std::span<char> bytes) = 0;
  virtual void sum(std::span<std::uint64_t> numbers) = 0;
  virtual std::vector<std::uint64_t> gather_numbers(std::uint64_t number) = 0;  // on every rank
  virtual void sum_in_node(std::span<std::uint64_t> numbers) = 0;               // on every rank of the node
  [[noreturn]] virtual void abort(int status) = 0;
  /// What a rank does first when it ends because of abort(), its own or that of another rank.
  virtual void set_clean_up(std::function<void()> clean_up) = 0;
  virtual Cluster::Traffic sent() const = 0;
};

/// Starts MPI. Throws Error. In a build without MPI: an error, see Cluster.
std::unique_ptr<Transport> start_mpi();

}  // namespace trawl::ranks
