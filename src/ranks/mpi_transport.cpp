#include <mpi.h>
#include <sys/prctl.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <type_traits>

#include "base/error.hpp"
#include "ranks/transport.hpp"

namespace trawl::ranks {

namespace {

// The largest count of bytes for one MPI call. More are sent as one value of a larger type.
constexpr std::size_t kPiece = std::size_t{1} << 30;

// Waits a little each time: at first it only lets other threads run, then it sleeps for an eighth of the time that has
// passed. So what is waited for is seen soon after it has come, and a long wait costs no share of a core that matters.
class Patience {
 public:
  using Clock = std::chrono::steady_clock;

  Patience() = default;
  /// For a message of this size. Bytes move only while both sides call MPI, in pieces of some KiB: a side that sleeps
  /// in between makes them slow.
  explicit Patience(std::size_t bytes) : awake_(kAwake + std::chrono::nanoseconds(bytes)) {}

  void wait() {
    const Clock::duration passed = Clock::now() - start_;
    if (passed < awake_) {
      std::this_thread::yield();
      return;
    }
    // The system wakes a thread up to 50 us late unless it is asked not to.
    thread_local const bool is_exact = ::prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL) == 0;
    static_cast<void>(is_exact);
    std::this_thread::sleep_for(std::clamp<Clock::duration>(passed / 8, kShortest, kLongest));
  }

 private:
  static constexpr std::chrono::microseconds kAwake{20};
  static constexpr std::chrono::microseconds kShortest{5};
  static constexpr std::chrono::microseconds kLongest{200};

  Clock::time_point start_ = Clock::now();
  Clock::duration awake_ = kAwake;
};

// A type of MPI with this number of bytes. It may be destroyed before the message is sent.
class BytesType {
 public:
  explicit BytesType(std::size_t bytes) {
    if (bytes <= kPiece) {
      count_ = static_cast<int>(bytes);
      return;
    }
    MPI_Datatype piece;
    MPI_Type_contiguous(static_cast<int>(kPiece), MPI_BYTE, &piece);
    int lengths[] = {static_cast<int>(bytes / kPiece), static_cast<int>(bytes % kPiece)};
    MPI_Aint offsets[] = {0, static_cast<MPI_Aint>(bytes / kPiece * kPiece)};
    MPI_Datatype types[] = {piece, MPI_BYTE};
    MPI_Type_create_struct(2, lengths, offsets, types, &type_);
    MPI_Type_commit(&type_);
    MPI_Type_free(&piece);
    count_ = 1;
    is_made_ = true;
  }
  ~BytesType() {
    if (is_made_) {
      MPI_Type_free(&type_);
    }
  }
  BytesType(const BytesType&) = delete;
  BytesType& operator=(const BytesType&) = delete;

  int count() const { return count_; }
  MPI_Datatype type() const { return type_; }

 private:
  int count_ = 0;
  MPI_Datatype type_ = MPI_BYTE;
  bool is_made_ = false;
};

class MpiTransport final : public Transport {
 public:
  MpiTransport() {
    int given = MPI_THREAD_SINGLE;
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &given) != MPI_SUCCESS) {
      throw Error("MPI cannot be started");
    }
    if (given < MPI_THREAD_SERIALIZED) {
      MPI_Finalize();
      throw Error(mpi_library() + " cannot be used by programs with threads (MPI_THREAD_SERIALIZED); use another one");
    }
    // Messages of all ranks' work, apart from those of a library that may use MPI, too.
    MPI_Comm_dup(MPI_COMM_WORLD, &all_);
    MPI_Comm_split_type(all_, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node_);
    const auto ask = [](auto function, MPI_Comm ranks) {
      int value = 0;
      function(ranks, &value);
      return static_cast<unsigned>(value);
    };
    rank_ = ask(MPI_Comm_rank, all_);
    size_ = ask(MPI_Comm_size, all_);
    local_rank_ = ask(MPI_Comm_rank, node_);
    local_size_ = ask(MPI_Comm_size, node_);
    MPI_Comm_dup(all_, &ends_);
    watcher_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
  }
  ~MpiTransport() override {
    barrier();  // while other ranks work, one of them may fail
    watcher_.request_stop();
    watcher_.join();
    MPI_Comm_free(&ends_);
    MPI_Comm_free(&node_);
    MPI_Comm_free(&all_);
    MPI_Finalize();
  }

  unsigned rank() const override { return rank_; }
  unsigned size() const override { return size_; }
  unsigned local_rank() const override { return local_rank_; }
  unsigned local_size() const override { return local_size_; }

  void send(unsigned to, Tag tag, std::string_view bytes) override {
    finish(
        [&](MPI_Request* request) {
          const BytesType type(bytes.size());
          MPI_Isend(bytes.data(), type.count(), type.type(), static_cast<int>(to), tag, all_, request);
        },
        bytes.size());
    count(to, bytes.size());
  }

  std::optional<Message> receive(std::optional<unsigned> from, Tag tag, const std::stop_token& stop) override {
    const int source = from ? static_cast<int>(*from) : MPI_ANY_SOURCE;
    MPI_Message handle;
    MPI_Status status;
    for (Patience patience; !found(source, tag, handle, status); patience.wait()) {
      if (stop.stop_requested()) {
        return {};
      }
    }
    MPI_Count size = 0;
    locked([&] { MPI_Get_elements_x(&status, MPI_BYTE, &size); });
    Message message;
    message.from = static_cast<unsigned>(status.MPI_SOURCE);
    message.size = static_cast<std::size_t>(size);
    message.bytes = std::make_shared_for_overwrite<char[]>(message.size);
    finish(
        [&](MPI_Request* request) {
          const BytesType type(message.size);
          MPI_Imrecv(message.bytes.get(), type.count(), type.type(), &handle, request);
        },
        message.size);
    return message;
  }

  void barrier() override {
    finish([&](MPI_Request* request) { MPI_Ibarrier(all_, request); });
  }

  void sum(std::span<std::uint64_t> numbers) override {
    finish([&](MPI_Request* request) {
      MPI_Ireduce(rank_ == 0 ? MPI_IN_PLACE : numbers.data(), rank_ == 0 ? numbers.data() : nullptr,
                  static_cast<int>(numbers.size()), MPI_UINT64_T, MPI_SUM, 0, all_, request);
    });
  }

  std::vector<std::uint64_t> gather_numbers(std::uint64_t number) override {
    std::vector<std::uint64_t> all(size_);
    finish([&](MPI_Request* request) {
      MPI_Iallgather(&number, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, all_, request);
    });
    return all;
  }

  void sum_in_node(std::span<std::uint64_t> numbers) override {
    finish([&](MPI_Request* request) {
      MPI_Iallreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_UINT64_T, MPI_SUM, node_,
                     request);
    });
  }

  void abort(int status) override {
    end(status, [&] {
      std::vector<MPI_Request> requests(size_, MPI_REQUEST_NULL);
      for (unsigned to = 0; to < size_; ++to) {
        if (to != rank_) {
          MPI_Isend(&status, 1, MPI_INT, static_cast<int>(to), 0, ends_, &requests[to]);
        }
      }
      // A rank that is gone takes no message. Then the launcher ends the run.
      int done = 0;
      const auto limit = std::chrono::steady_clock::now() + kToTell;
      for (Patience patience; done == 0 && std::chrono::steady_clock::now() < limit; patience.wait()) {
        MPI_Testall(static_cast<int>(size_), requests.data(), &done, MPI_STATUSES_IGNORE);
      }
    });
  }

  void set_clean_up(std::function<void()> clean_up) override {
    const std::lock_guard lock(clean_up_mutex_);
    clean_up_ = std::move(clean_up);
  }

  Cluster::Traffic sent() const override { return {messages_.load(), bytes_.load()}; }

 private:
  template <class Call>
  auto locked(const Call& call) -> decltype(call()) {
    const std::lock_guard lock(mutex_);
    return call();
  }

  // Waits for the message that another rank has called abort(), and ends this rank, too.
  void watch(const std::stop_token& stop) {
    for (; !stop.stop_requested(); std::this_thread::sleep_for(kLook)) {
      int status = 0;
      const bool ends = locked([&] {
        int flag = 0;
        MPI_Status from;
        MPI_Iprobe(MPI_ANY_SOURCE, 0, ends_, &flag, &from);
        if (flag != 0) {
          MPI_Recv(&status, 1, MPI_INT, from.MPI_SOURCE, 0, ends_, MPI_STATUS_IGNORE);
        }
        return flag != 0;
      });
      if (ends) {
        end(status, [] {});
      }
    }
  }

  // Ends this rank, whatever its other threads do: nothing is destroyed. The first thread that calls it does it.
  template <class Tell>
  [[noreturn]] void end(int status, const Tell& tell) {
    if (is_ending_.exchange(true)) {
      for (;;) {
        std::this_thread::sleep_for(std::chrono::hours(1));
      }
    }
    // If a call of MPI blocks, or some rank does not come, the launcher sees this status and ends the others.
    std::thread([status] {
      std::this_thread::sleep_for(kToFinish);
      std::_Exit(status);
    }).detach();
    {
      const std::lock_guard lock(clean_up_mutex_);
      if (clean_up_) {
        clean_up_();
      }
    }
    // Keeps the lock: no other thread may be in MPI, and none shall begin.
    mutex_.lock();
    tell();
    // MPI asks that the thread which called MPI_Init does this. That one may be anywhere; Open MPI and MPICH take any,
    // and with others the limit above ends the process.
    MPI_Finalize();
    std::_Exit(status);
  }

  // Starts what does not block, and waits until it is done. `bytes`: of one message.
  template <class Start>
  void finish(const Start& start, std::size_t bytes = 0) {
    MPI_Request request = MPI_REQUEST_NULL;
    locked([&] { start(&request); });
    const auto done = [&] {
      int flag = 0;
      MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
      return flag != 0;
    };
    for (Patience patience(bytes); !locked(done);) {
      patience.wait();
    }
  }

  void count(unsigned to, std::size_t bytes) {
    if (to == rank_) {
      return;
    }
    messages_.fetch_add(1, std::memory_order_relaxed);
    bytes_.fetch_add(bytes, std::memory_order_relaxed);
  }

  bool found(int source, Tag tag, MPI_Message& handle, MPI_Status& status) {
    return locked([&] {
      int flag = 0;
      MPI_Improbe(source, tag, all_, &flag, &handle, &status);
      return flag != 0;
    });
  }

  void broadcast(std::span<char> bytes) override {
    while (!bytes.empty()) {
      const auto piece = bytes.first(std::min(bytes.size(), kPiece));
      finish(
          [&](MPI_Request* request) {
            MPI_Ibcast(piece.data(), static_cast<int>(piece.size()), MPI_BYTE, 0, all_, request);
          },
          piece.size());
      bytes = bytes.subspan(piece.size());
    }
  }

  static constexpr std::chrono::milliseconds kLook{20};  // how often a rank looks whether another one has failed
  static constexpr std::chrono::milliseconds kToTell{2000};
  static constexpr std::chrono::seconds kToFinish{10};

  std::mutex mutex_;
  std::mutex clean_up_mutex_;
  std::function<void()> clean_up_;
  std::atomic<bool> is_ending_{false};
  MPI_Comm all_ = MPI_COMM_NULL;
  MPI_Comm node_ = MPI_COMM_NULL;
  MPI_Comm ends_ = MPI_COMM_NULL;  // for the messages of abort()
  unsigned rank_ = 0;
  unsigned size_ = 1;
  unsigned local_rank_ = 0;
  unsigned local_size_ = 1;
  std::atomic<std::uint64_t> messages_{0};
  std::atomic<std::uint64_t> bytes_{0};
  std::jthread watcher_;
};

}  // namespace

std::string mpi_library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  // Open MPI: "Open MPI v4.1.4, package: ..."; MPICH: "MPICH Version:<TAB>4.0.2<LF>..."
  std::string name(text, static_cast<std::size_t>(length));
  name = name.substr(0, name.find_first_of(",\n"));
  for (const std::string_view mark : {" Version:", "\t"}) {
    if (const std::size_t at = name.find(mark); at != name.npos) {
      name.replace(at, mark.size(), mark == "\t" ? " " : "");
    }
  }
  return name;
}

std::unique_ptr<Transport> start_mpi() { return std::make_unique<MpiTransport>(); }

}  // namespace trawl::ranks
