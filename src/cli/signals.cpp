#include "cli/signals.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <string_view>

#include "io/out/output_file.hpp"

namespace trawl::cli {

namespace {

std::atomic<bool> kept{false};  // the signal handler reads it
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void clean_up(int signal) {
  io::remove_temporaries();
  if (signal != SIGPIPE) {
    constexpr std::string_view nothing = "\ntrawl: interrupted; no output file was kept\n";
    constexpr std::string_view complete = "\ntrawl: interrupted after the output was complete\n";
    const std::string_view message = kept.load() ? complete : nothing;
    [[maybe_unused]] const auto written = write(STDERR_FILENO, message.data(), message.size());
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

void remove_output_on_signals() {
  struct sigaction action;
  std::memset(&action, 0, sizeof action);
  action.sa_handler = clean_up;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
    struct sigaction before;
    // If the caller ignores a signal (nohup), it stays ignored.
    if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) {
      sigaction(signal, &action, nullptr);
    }
  }
  std::signal(SIGXFSZ, SIG_IGN);  // the signal of ulimit -f
}

void output_is_kept() { kept.store(true); }

}  // namespace trawl::cli
