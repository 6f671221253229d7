#include "serve/service.hpp"

#include <algorithm>
#include <utility>

#include "base/packer.hpp"
#include "base/version.hpp"
#include "io/format/json.hpp"

namespace trawl::serve {

namespace {

constexpr std::size_t kMostKnown = 256;

bool is_query(const std::string& path) { return path == "/map" || path == "/pairs" || path == "/scan"; }

}  // namespace

Service::Service(const HeldReference& held, QueryMaker queries, const ServiceOptions& options)
    : held_(held),
      queries_(std::move(queries)),
      options_(options),
      map_(held, options.work, options.engine, options.limits),
      scan_(held, map_.seeds(), options.engine, options.limits),
      queue_(options.queue) {
  try {
    for (unsigned i = 0; i < std::max(2u, options.work.threads); ++i) {
      threads_.emplace_back([this] { work(); });
    }
  } catch (...) {
    stop();  // those that have started
    throw;
  }
}

Service::~Service() { stop(); }

void Service::stop() {
  queue_.close();
  for (std::thread& thread : threads_) {
    thread.join();
  }
  threads_.clear();
}

void Service::take(std::shared_ptr<Request> request, std::function<void(Answer)> done) {
  const bool is_get = request->method != "POST";
  const std::string& path = request->path;
  try {
    if (path == "/health" && is_get) {
      done({.body = "{\"status\": \"ok\"}\n"});
    } else if (path == "/info" && is_get) {
      done(info());
    } else if (is_query(path) && !is_get) {
      enqueue(std::move(request), done);
    } else if (is_query(path) || path == "/info" || path == "/health") {
      done(refuse(405, is_query(path) ? "send a query to " + path + " with POST" : "ask for " + path + " with GET"));
    } else {
      done(refuse(404, "there is no " + path + "; GET /info or /health, or POST to /map, /pairs or /scan"));
    }
  } catch (...) {
    done(refuse_current_exception());
  }
}

Answer Service::info() const {
  io::JsonObject contigs(1);
  for (const sequence::Contig& contig : held_.reference().contigs()) {
    contigs.add(contig.name, contig.length);
  }
  io::JsonObject limits(1);
  limits.add("max_reads", options_.limits.reads)
      .add("max_patterns", options_.limits.patterns)
      .add("max_records", options_.limits.records)
      .add("max_seconds", options_.limits.seconds)
      .add("queue", options_.queue);
  io::JsonObject all(0);
  all.add("version", io::json_string(version()))
      .add("reference", io::json_string(held_.fasta))
      .add("bases", held_.reference().bases())
      .add("contigs", contigs.text())
      .add("engine", io::json_string(description()))
      .add("limits", limits.text())
      .add("waiting", queue_.size())
      .add("answered", answered_.load());
  return {.body = all.text() + "\n"};
}

void Service::check_reference(const Request& request) const {
  const std::string file = request.header("trawl-reference-file");
  if (const std::string difference = file.empty() ? "" : held_.difference(file); !difference.empty()) {
    throw Refusal(409, difference);
  }
}

// The query of a request. What options mean is worked out once.
std::shared_ptr<const void> Service::query_of(const Request& request, std::string& key) {
  Packer packer;  // with the lengths: a value may hold any letters
  packer.text(request.path).text(request.header("accept")).text(request.header("trawl-reference"));
  for (const auto& [name, value] : request.parameters) {
    packer.text(name).text(value);
  }
  const std::string text(packer.bytes());
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = known_.find(text); found != known_.end()) {
      key = found->second.second;
      return found->second.first;
    }
  }
  std::shared_ptr<const void> query;
  if (request.path == "/scan") {
    const auto scan = queries_.scan(request);
    key = scan->key;
    query = scan;
  } else {
    const auto map = queries_.map(request, request.path == "/pairs");
    key = map->paired ? "" : map->key;
    query = map;
  }
  const std::lock_guard lock(mutex_);
  if (known_.size() >= kMostKnown) {
    known_.clear();
  }
  known_[text] = {query, key};
  return query;
}

void Service::enqueue(std::shared_ptr<Request> request, std::function<void(Answer)> done) {
  check_reference(*request);
  Job job;
  job.query = query_of(*request, job.key);
  job.request = std::move(request);
  job.done = done;
  if (!queue_.put(std::move(job))) {
    done(refuse(503, "the server has too many requests; try again"));
  }
}

void Service::work() {
  while (true) {
    std::vector<Job> jobs = queue_.take();
    if (jobs.empty()) {
      return;
    }
    answered_ += jobs.size();
    if (jobs.front().request->path == "/scan") {
      scan_.answer(jobs);
    } else {
      map_.answer(jobs);
    }
  }
}

}  // namespace trawl::serve
