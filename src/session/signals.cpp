#include "session/signals.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>

#include "io/write/output_file.hpp"

namespace trawl::session {

namespace {

// The signal handler reads these. The texts are complete before it is installed, and stay until the very end: mpirun
// sends SIGTERM to ranks that are ending.
std::atomic<bool> kept{false};
std::atomic<bool> quiet{false};
static_assert(std::atomic<bool>::is_always_lock_free);
std::string& nothing_kept = *new std::string;
std::string& some_kept = *new std::string;
std::string& complete = *new std::string;

extern "C" void clean_up(int signal) {
  io::remove_temporaries();
  if (signal != SIGPIPE && !quiet.load() && !nothing_kept.empty()) {
    const std::string& message = kept.load() ? complete : io::has_committed() ? some_kept : nothing_kept;
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, message.data(), message.size());
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

void remove_output_on_signals(const std::string& command) {
  if (!command.empty()) {
    nothing_kept = "\n" + command + ": interrupted; no output file was kept\n";
    some_kept = "\n" + command +
                ": interrupted while the finished output files got their names; those that are there are complete\n";
    complete = "\n" + command + ": interrupted after the output was complete\n";
  }
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

void error_is_said() { quiet.store(true); }

}  // namespace trawl::session
