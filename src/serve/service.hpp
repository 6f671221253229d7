// Answers the requests of a server: each is put into the queue, and threads take them from there.
//
//   GET /health, /info           at once
//   POST /map, /pairs, /scan     through the queue; those with the same options that wait are done together
//
//   with: const HeldReference& held, const QueryMaker& queries, const HttpServer::Handle& handle
//   Service service(held, queries, {.work = {.threads = 8}});
//   service.take(std::make_shared<Request>(Request{.method = "GET", .path = "/health"}), [](Answer answer) { ... });
//   service.stop();                      // answers what waits
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/work_options.hpp"
#include "serve/held_reference.hpp"
#include "serve/job_queue.hpp"
#include "serve/map_service.hpp"
#include "serve/queries.hpp"
#include "serve/scan_service.hpp"

namespace trawl::serve {

struct ServiceOptions {
  WorkOptions work = {};
  std::string engine = "auto";  // the value of --engine
  Limits limits = {};
  std::size_t queue = 256;  // requests that may wait; then the answer is 503
};

class Service {
 public:
  /// `held` must outlive this object. Throws Error, UsageError.
  Service(const HeldReference& held, QueryMaker queries, const ServiceOptions& options);
  ~Service();

  /// Takes little time, so that the thread of the connections can call it. Calls `done` once.
  void take(std::shared_ptr<Request> request, std::function<void(Answer)> done);
  /// Takes nothing more, and answers what waits.
  void stop();

  const std::string& description() const { return map_.description(); }

 private:
  Answer info() const;
  void enqueue(std::shared_ptr<Request> request, std::function<void(Answer)> done);
  std::shared_ptr<const void> query_of(const Request& request, std::string& key);
  void check_reference(const Request& request) const;
  void work();

  const HeldReference& held_;
  QueryMaker queries_;
  ServiceOptions options_;
  MapService map_;
  ScanService scan_;
  JobQueue queue_;
  std::mutex mutex_;
  // Made from options that came before, by the text of the request; with the key of their jobs.
  std::unordered_map<std::string, std::pair<std::shared_ptr<const void>, std::string>> known_;
  std::atomic<std::uint64_t> answered_{0};
  std::vector<std::thread> threads_;
};

}  // namespace trawl::serve
