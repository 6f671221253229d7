#include "long_call.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "trawl/error.hpp"

namespace nb = nanobind;

namespace trawl::python {

namespace {

struct Watch {
  std::mutex mutex;
  std::condition_variable changed;
  bool finished = false;
  Progress progress;
  std::atomic<bool> stop = false;
  std::exception_ptr failure;
};

constexpr auto kLook = std::chrono::milliseconds(100);

}  // namespace

void look_for_signals() {
  nb::gil_scoped_acquire locked;
  if (PyErr_CheckSignals() != 0) nb::raise_python_error();
}

void long_call(nb::handle progress, const std::function<void(const OnProgress&)>& work) {
  Watch watch;
  std::optional<nb::python_error> raised;
  const auto tell = [&](const Progress& now) {
    try {
      look_for_signals();
      if (!progress.is_none()) progress(now.done, now.total);
    } catch (nb::python_error& error) {
      raised.emplace(std::move(error));
      watch.stop = true;
    }
  };
  {
    nb::gil_scoped_release unlocked;
    std::thread worker([&] {
      const Stop stop([&] {
        if (watch.stop) throw Cancelled();
      });
      try {
        work([&](const Progress& now) {
          std::lock_guard lock(watch.mutex);
          watch.progress = now;
          return true;
        });
      } catch (...) {
        watch.failure = std::current_exception();
      }
      std::lock_guard lock(watch.mutex);
      watch.finished = true;
      watch.changed.notify_one();
    });
    std::unique_lock lock(watch.mutex);
    while (!watch.changed.wait_for(lock, kLook, [&] { return watch.finished; })) {
      if (watch.stop) continue;
      const Progress now = watch.progress;
      lock.unlock();
      {
        nb::gil_scoped_acquire locked;
        tell(now);
      }
      lock.lock();
    }
    lock.unlock();
    worker.join();
  }
  if (!raised && !watch.failure) tell(watch.progress);
  if (raised) throw std::move(*raised);
  if (watch.failure) std::rethrow_exception(watch.failure);
}

}  // namespace trawl::python
