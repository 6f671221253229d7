#include "cli/signals.hpp"

#include <unistd.h>

#include <csignal>
#include <cstring>

#include "io/output_file.hpp"

namespace trawl::cli {

namespace {

extern "C" void clean_up(int signal) {
  io::remove_temporaries();
  if (signal != SIGPIPE) {  // who reads the output has enough: nothing to say
    constexpr char message[] = "\ntrawl: interrupted; no output file was kept\n";
    [[maybe_unused]] const auto written = write(STDERR_FILENO, message, sizeof message - 1);
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
    // A signal that the caller ignores (nohup) stays ignored.
    if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) {
      sigaction(signal, &action, nullptr);
    }
  }
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow (ulimit -f) is then an error of write()
}

}  // namespace trawl::cli
