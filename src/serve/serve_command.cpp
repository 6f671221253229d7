#include <pthread.h>
#include <tbb/global_control.h>

#include <csignal>
#include <ctime>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/counted.hpp"
#include "base/error.hpp"
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
       .most = 65535},
      {.names = "--max-body",
       .value = "SIZE",
       .to = cli::bytes_target("--max-body", a.max_body),
       .help = "Largest body of a request",
       .group = kLimitsGroup,
       .default_text = "64M"},
      {.names = "--max-reads", .to = &a.max_reads, .help = "Most reads of a query", .group = kLimitsGroup, .least = 1},
      {.names = "--max-patterns",
       .to = &a.max_patterns,
       .help = "Most patterns of a query",
       .group = kLimitsGroup,
       .least = 1},
      {.names = "--max-records",
       .to = &a.max_records,
       .help = "Most records of an answer",
       .group = kLimitsGroup,
       .least = 1},
      {.names = "--max-seconds",
       .to = &a.max_seconds,
       .help = "Longest work for a query, in seconds; checked after every few reads and every part of the reference",
       .group = kLimitsGroup,
       .least = 1},
      {.names = "--queue",
       .to = &a.queue,
       .help = "Most requests that wait; further ones are refused, and may be sent again",
       .group = kLimitsGroup,
       .least = 1},
      {.names = "--connections",
       .to = &a.connections,
       .help = "Most connections; if there are more, the one whose request takes longest to arrive is closed",
       .group = kLimitsGroup,
       .least = 1,
       .most = 10'000},
      {.names = "--timeout",
       .to = &a.timeout,
       .help = "Seconds in which a request must arrive, and its answer be taken",
       .group = kLimitsGroup,
       .least = 1,
       .most = 86'400}};
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
      holds the reference and its index, and answers until it gets SIGTERM or Ctrl-C
  trawl map --server /tmp/genome.sock genome.fa.trawl small.fq.gz -o small.sam
      the same file as without --server, but nothing is loaded
  trawl serve genome.fa --port 8080 --max-seconds 10
  curl --data-binary @reads.fq "http://127.0.0.1:8080/map?max-edits=2&format=json"
  curl -d AAGCCAGTTTCATCCGACAG "http://127.0.0.1:8080/scan?pam=NGG&max-mismatches=3"
)";

// The signals that end the server come to this thread alone.
class EndSignals {
 public:
  EndSignals() {
    sigemptyset(&signals_);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      struct sigaction before;
      if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) {  // nohup
        sigaddset(&signals_, signal);
      }
    }
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
  }

  void wait() const {
    int signal = 0;
    sigwait(&signals_, &signal);
  }
  /// Whether one comes within this time.
  bool comes_within(long milliseconds) const {
    const timespec time{0, milliseconds * 1'000'000};
    return sigtimedwait(&signals_, nullptr, &time) > 0;
  }

 private:
  sigset_t signals_{};
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
  const EndSignals signals;
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
  const HeldReference held = hold_reference(a.reference, options.work.threads);
  for (const std::string& warning : held.warnings) {
    say(warning);
  }
  Service service(held, query_maker(held.fasta, options.work), options);
  HttpServer server(http, [&](std::shared_ptr<Request> request, HttpServer::Done done) {
    service.take(std::move(request), std::move(done));
  });
  say(counted(held.reference().contigs().size(), "contig") + ", " + counted(held.reference().bases(), "base") + "; " +
      service.description());
  say("ready:" + (a.socket.empty() ? "" : " " + a.socket) +
      (server.port() ? " http://127.0.0.1:" + std::to_string(*server.port()) : ""));

  signals.wait();
  server.close();
  say("ends, after the queries that it has");
  while (server.is_busy() && !signals.comes_within(5)) {
  }
  service.stop();
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
