// Queries that wait. What arrives together with the same options is taken together, and a query alone does not wait
// for others.
//
//   JobQueue queue(256);
//   queue.put({.key = "map -e 2", .request = request, .done = done}) == true      // false: the queue is full
//   std::vector<Job> jobs = queue.take();         // waits for one; empty after close() when none is left
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "serve/message.hpp"

namespace trawl::serve {

struct Job {
  std::string key = {};  // jobs with the same key can be done together; "": alone
  std::shared_ptr<Request> request = {};
  std::function<void(Answer)> done = {};
  std::shared_ptr<const void> query = {};  // what the service has made of the request's options
};

class JobQueue {
 public:
  /// `most`: how many may wait.
  explicit JobQueue(std::size_t most) : most_(most) {}

  bool put(Job job) {
    {
      const std::lock_guard lock(mutex_);
      if (closed_ || jobs_.size() >= most_) {
        return false;
      }
      jobs_.push_back(std::move(job));
    }
    wake_.notify_one();
    return true;
  }

  /// The oldest job, and those that can be done with it, in their order.
  std::vector<Job> take() {
    constexpr std::size_t kMostTogether = 64;
    constexpr std::size_t kMostBytes = 1 << 20;
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [&] { return closed_ || !jobs_.empty(); });
    std::vector<Job> taken;
    std::size_t bytes = 0;
    for (auto at = jobs_.begin(); at != jobs_.end() && taken.size() < kMostTogether && bytes < kMostBytes;) {
      if (taken.empty() || (!at->key.empty() && at->key == taken.front().key)) {
        bytes += at->request->body.size();
        taken.push_back(std::move(*at));
        at = jobs_.erase(at);
      } else {
        ++at;
      }
    }
    return taken;
  }

  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return jobs_.size();
  }

  /// Takes no more jobs. Those that wait can still be taken.
  void close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    wake_.notify_all();
  }

 private:
  std::size_t most_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job> jobs_;
  bool closed_ = false;
};

}  // namespace trawl::serve
