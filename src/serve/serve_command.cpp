#include <pthread.h>
#include <tbb/global_control.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <future>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/counted.hpp"
#include "base/error.hpp"
#include "base/stop.hpp"
#include "cli/options/shared_options.hpp"
#include "serve/commands.hpp"
#include "serve/held_reference.hpp"
#include "serve/http_server.hpp"
#include "serve/query_options.hpp"
#include "serve/service.hpp"

namespace trawl::serve {

namespace {

struct ServeArguments : cli::WorkArguments {
  std::string reference;
  std::string socket;
  std::optional<std::uint32_t> port;
  std::optional<std::uint64_t> max_body = std::uint64_t{64} << 20;
  std::uint64_t max_reads = Limits{}.reads;
  std::uint64_t max_patterns = Limits{}.patterns;
  std::uint64_t max_records = Limits{}.records;
  std::uint32_t max_seconds = Limits{}.seconds;
  std::uint32_t queue = 256;
  std::uint32_t connections = 256;
  std::uint32_t timeout = 30;
};

constexpr const char* kLimitsGroup = "Limits";

std::vector<cli::Option> serve_table(ServeArguments& a) {
  std::vector<cli::Option> table = {
      cli::reference_argument(a.reference),
      {.names = "--socket",
       .value = "PATH",
       .to = &a.socket,
       .help = "Answer on this Unix socket, which only the user who starts the server can open",
       .is_path = true},
      {.names = "--port",
       .to = &a.port,
       .help = "Answer HTTP on this port of 127.0.0.1, never on another address; 0: a free port, which a message "
               "names. Every user of this machine can send queries there",
       .default_text = "none",
       .most = 65535}};
  std::vector<cli::Option> limits = {
      {.names = "--max-body",
       .value = "SIZE",
       .to = cli::bytes_target("--max-body", a.max_body),
       .help = "Largest body of a request",
       .default_text = "64M"},
      {.names = "--max-reads", .to = &a.max_reads, .help = "Most reads of a query", .least = 1},
      {.names = "--max-patterns", .to = &a.max_patterns, .help = "Most patterns of a query", .least = 1},
      {.names = "--max-records", .to = &a.max_records, .help = "Most records of an answer", .least = 1},
      {.names = "--max-seconds", .to = &a.max_seconds, .help = "Longest work for a query, in seconds", .least = 1},
      {.names = "--queue",
       .to = &a.queue,
       .help = "Most requests that wait; further ones are refused, and may be sent again",
       .least = 1},
      {.names = "--connections",
       .to = &a.connections,
       .help = "Most connections; if there are more, the one whose request takes longest to arrive is closed",
       .least = 1,
       .most = 10'000},
      {.names = "--timeout",
       .to = &a.timeout,
       .help = "Seconds in which a request must arrive, and its answer be taken",
       .least = 1,
       .most = 86'400}};
  cli::append(table, cli::in_group(kLimitsGroup, std::move(limits)));
  for (cli::Option& option : cli::work_options_table(a)) {
    if (option.name() != "--stats" && option.name() != "--progress") {
      table.push_back(std::move(option));
    }
  }
  return table;
}

constexpr const char* kServeExamples = R"(
Examples:
  trawl serve genome.fa.trawl --socket /tmp/genome.sock
      holds the reference and its index, answers until SIGTERM or Ctrl-C; SIGHUP reads both again
  trawl map --server /tmp/genome.sock genome.fa.trawl small.fq.gz -o small.sam
      the same file as without --server, but nothing is loaded
  trawl serve genome.fa --port 8080 --max-seconds 10
  curl --data-binary @reads.fq "http://127.0.0.1:8080/map?max-edits=2&format=json"
  curl -d AAGCCAGTTTCATCCGACAG "http://127.0.0.1:8080/scan?pam=NGG&max-mismatches=3"
)";

// The signals that end the server, and SIGHUP, come to this thread alone.
class Signals {
 public:
  Signals() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGHUP);
    for (const int signal : {SIGINT, SIGTERM}) {
      struct sigaction before;
      if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) {  // of a script, in the background
        sigaddset(&signals_, signal);
      }
    }
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    std::signal(SIGHUP, SIG_DFL);  // also after nohup: the reference is read again
    std::signal(SIGPIPE, SIG_IGN);
  }

  int next() const {
    int signal = 0;
    sigwait(&signals_, &signal);
    return signal;
  }
  /// Whether the server shall end.
  static bool want_end() {
    sigset_t pending;
    sigpending(&pending);
    return sigismember(&pending, SIGINT) == 1 || sigismember(&pending, SIGTERM) == 1;
  }
  /// The next one ends the process at once.
  void release() const { pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr); }

 private:
  sigset_t signals_{};
};

// The time that queries have to end, after a signal; then the time in which they are given up.
constexpr std::chrono::milliseconds kGrace{1000}, kLastGrace{500}, kLook{5};

// What answers, with its reference.
struct Answering {
  Answering(const ServeArguments& a, const ServiceOptions& options)
      : held(hold_reference(a.reference, options.work.threads)),
        service(held, query_maker(held.fasta, options.work), options) {}

  const HeldReference held;
  Service service;
};

void run_serve(const ServeArguments& a) {
  if (http_library().empty()) {
    throw Error(kNoServer);
  }
  if (a.socket.empty() && !a.port) {
    throw UsageError("nobody could ask: give --socket PATH, or --port N, or both");
  }
  const auto say = [&](const std::string& text) {
    if (!a.quiet) {
      std::cerr << "trawl serve: " + text + "\n";
    }
  };
  const Signals signals;
  const int from_terminal = ::isatty(STDERR_FILENO);
  ServiceOptions options;
  options.work = cli::work_options(a);
  options.engine = a.engine;
  options.limits = {a.max_reads, a.max_patterns, a.max_records, a.max_seconds};
  options.queue = a.queue;
  HttpOptions http;
  http.socket = a.socket;
  if (a.port) {
    http.port = static_cast<std::uint16_t>(*a.port);
  }
  http.most_body = *a.max_body;
  http.most_bytes = 8 * http.most_body;
  options.limits.text = 4 * http.most_body;
  http.connections = a.connections;
  http.seconds = a.timeout;

  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, options.work.threads);
  std::future<void> before;  // answers what waited when the reference was read again
  const auto read = [&] {
    const Stop stop([] {
      if (Signals::want_end()) {
        throw Error("was ended while it read the reference");
      }
    });
    while (before.valid() && before.wait_for(kLook) != std::future_status::ready) {  // not three in memory
      Stop::look();
    }
    auto made = std::make_unique<Answering>(a, options);
    for (const std::string& warning : made->held.warnings) {
      say(warning);
    }
    say(counted(made->held.reference().contigs().size(), "contig") + ", " +
        counted(made->held.reference().bases(), "base") + "; " + made->service.description());
    return made;
  };
  std::unique_ptr<Answering> now = read();
  std::mutex mutex;  // of `now`
  HttpServer server(http, [&](std::shared_ptr<Request> request, HttpServer::Done done) {
    const std::lock_guard lock(mutex);
    now->service.take(std::move(request), std::move(done));
  });
  say("ready:" + (a.socket.empty() ? "" : " " + a.socket) +
      (server.port() ? " http://127.0.0.1:" + std::to_string(*server.port()) : ""));

  while (signals.next() == SIGHUP && ::isatty(STDERR_FILENO) == from_terminal) {  // not: the terminal was closed
    try {
      std::unique_ptr<Answering> next = read();
      {
        const std::lock_guard lock(mutex);
        now.swap(next);
      }
      before = std::async(std::launch::async, [old = std::move(next)]() mutable { old.reset(); });
    } catch (const std::exception& error) {
      say(std::string(error.what()) + "; the reference stays as it was");
    }
  }
  server.close();
  signals.release();
  say("ends; its queries have a second more");
  for (auto left = kGrace + kLastGrace; server.is_busy() && left.count() > 0; left -= kLook) {
    if (left <= kLastGrace) {
      server.give_up();
    }
    std::this_thread::sleep_for(kLook);
  }
  now->service.stop();
  if (before.valid()) {
    before.wait();
  }
  server.stop();
}

}  // namespace

cli::Command serve_command() {
  const auto arguments = std::make_shared<ServeArguments>();
  return {.name = "serve",
          .description = "Hold a reference and its index, and answer queries over a socket or HTTP",
          .options = serve_table(*arguments),
          .footer = kServeExamples,
          .work = [arguments](const cli::Command&, session::CommandRun&) { run_serve(*arguments); }};
}

std::vector<std::string> libraries() {
  const std::string library = http_library();
  return library.empty() ? std::vector<std::string>() : std::vector{library + ", for trawl serve"};
}

}  // namespace trawl::serve
