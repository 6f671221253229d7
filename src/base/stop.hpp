// Ends long work early. Who starts the work says when; its loops look every few milliseconds.
//
//   bool is_wanted = true;
//   const Stop stop([&] { if (!is_wanted) throw Error("nobody waits for it"); });      // on this thread, in this scope
//   Stop::look();
//   std::thread other(Stop::carry([] { Stop::look(); }));      // looks as this thread does
//   other.join();
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <utility>

namespace trawl {

class Stop {
 public:
  /// `ask` is called now and then, on any thread, never by two at once. What it throws comes out of look(), also out of
  /// all later ones. Empty: nobody asks.
  explicit Stop(std::function<void()> ask) : ask_(std::move(ask)), outer_(here_) {
    if (ask_) {
      here_ = this;
    }
  }
  ~Stop() { here_ = outer_; }
  Stop(const Stop&) = delete;
  Stop& operator=(const Stop&) = delete;

  /// Takes 30 ns or less. Throws what `ask` throws, here or around this scope.
  static void look() {
    if (here_ != nullptr) {
      here_->look_now();
    }
  }

  /// The same function for another thread. It looks before it starts.
  template <class Work>
  static auto carry(Work work) {
    return [stop = here_, work = std::move(work)](auto&&... given) {
      struct Back {
        Stop* before;
        ~Back() { here_ = before; }
      } const back{std::exchange(here_, stop)};
      look();
      return run(work, std::forward<decltype(given)>(given)...);
    };
  }

 private:
  // Its loops are as fast as without this class.
  template <class Work, class... Given>
  [[gnu::noinline]] static auto run(const Work& work, Given&&... given) {
    return work(std::forward<Given>(given)...);
  }

  static constexpr std::chrono::milliseconds kPause{10};

  void look_now() {
    if (outer_ != nullptr) {
      outer_->look_now();
    }
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    if (!has_ended_ && now >= next_ && !is_asking_.exchange(true)) {
      next_ = now + std::chrono::steady_clock::duration(kPause).count();
      try {
        if (!has_ended_) {  // another thread may have asked since
          ask_();
        }
      } catch (...) {
        failure_ = std::current_exception();
        has_ended_ = true;
      }
      is_asking_ = false;
    }
    if (has_ended_) {
      std::rethrow_exception(failure_);
    }
  }

  inline static constinit thread_local Stop* here_ = nullptr;

  std::function<void()> ask_;
  Stop* outer_;
  std::atomic<std::chrono::steady_clock::rep> next_{0};
  std::atomic<bool> is_asking_{false};
  std::atomic<bool> has_ended_{false};
  std::exception_ptr failure_;
};

}  // namespace trawl
