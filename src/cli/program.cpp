#include "cli/program.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "base/machine_memory.hpp"
#include "base/packer.hpp"
#include "base/version.hpp"
#include "cli/commands.hpp"
#include "cli/help/citation.hpp"
#include "cli/help/help_text.hpp"
#include "cli/help/outline.hpp"
#include "io/write/output_file.hpp"
#include "pipeline/engine_choice.hpp"
#include "ranks/cluster.hpp"
#include "session/command_run.hpp"
#include "session/signals.hpp"
#ifdef TRAWL_WITH_CUDA
#include "gpu/engine_entry.hpp"
#endif

namespace trawl::cli {

namespace {

// A machine with an NVIDIA GPU and its driver has one of these files; the second one under Windows.
bool is_gpu_expected(const WorkOptions& options) {
  return options.names_devices() || std::filesystem::exists("/dev/nvidiactl") || std::filesystem::exists("/dev/dxg");
}

// Adds the CUDA engine to the registry, or the message that this build has no CUDA.
void add_engines() {
#ifdef TRAWL_WITH_CUDA
  pipeline::EngineEntry entry = gpu::cuda_engine_entry();
#else
  pipeline::EngineEntry entry{"cuda", [] { return std::string("needs an NVIDIA GPU"); }};
  entry.missing = "this build has no CUDA code";
#endif
  entry.is_expected = is_gpu_expected;
  pipeline::add_engine(entry);
}

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

// Ranks that do not do the same work would wait for each other for ever, or write different records to one file.
void compare_programs(ranks::Cluster& cluster, int argc, char** argv) {
  Packer packer;
  for (int i = 1; i < argc; ++i) {
    packer.text(argv[i]);
  }
  cluster.compare(version(), "the version of this program", "start the same one everywhere");
  cluster.compare(packer.bytes(), "the command line", "give all ranks the same options");
}

// Whether a thread could not be started: std::thread says so, and oneTBB by its text alone.
bool is_of_threads(const std::exception& error) {
  const auto* const of_system = dynamic_cast<const std::system_error*>(&error);
  return (of_system != nullptr && of_system->code() == std::errc::resource_unavailable_try_again) ||
         std::string_view(error.what()).starts_with("pthread_create has failed");
}

std::string no_thread_text() {
  const std::string limit = memory_limit_text();
  return "a thread cannot be started" +
         (limit.empty() ? ": use fewer threads, or allow more of them (ulimit -u)" : limit);
}

// What end_here() and end_on_bus_error() say. Made before it is needed: there may be no memory then.
struct LastWords {
  std::string of_threads;
  std::string of_memory;
  std::string of_mapping;
};
LastWords& last_words = *new LastWords;

// Async-signal-safe.
[[noreturn]] void end_with(const std::string& words) {
  session::error_is_said();
  io::remove_temporaries();
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, words.data(), words.size());
  std::_Exit(kFailed);
}

std::terminate_handler usual_end = std::abort;

// oneTBB starts threads, and takes memory, on threads of its own, where nothing catches the error. Other errors that
// nothing catches are faults of the program, and end it as usual.
[[noreturn]] void end_here() {
  static std::atomic_flag is_ending;
  if (is_ending.test_and_set()) {
    for (;;) {
      ::pause();
    }
  }
  const std::string* words = nullptr;
  try {
    if (const std::exception_ptr error = std::current_exception()) {
      std::rethrow_exception(error);
    }
  } catch (const std::bad_alloc&) {
    words = &last_words.of_memory;
  } catch (const std::exception& error) {
    words = is_of_threads(error) ? &last_words.of_threads : nullptr;
  } catch (...) {
  }
  if (words == nullptr) {
    usual_end();
    std::abort();
  }
  end_with(*words);
}

// A saved index is used where it lies. If somebody makes the file shorter, or its disk fails, the system tells so only
// by this signal.
extern "C" void end_on_bus_error(int) { end_with(last_words.of_mapping); }

// From now on, whatever happens where nothing catches errors.
void end_with_message(const std::string& begin) {
  last_words.of_threads = begin + no_thread_text() + "\n";
  last_words.of_memory =
      begin + "not enough memory: use fewer threads, or a machine with more" + memory_limit_text() + "\n";
  last_words.of_mapping = begin +
                          "a file that is in use cannot be read any more: the saved index was overwritten or cut "
                          "short, or its disk fails; make the index again: trawl index REF -o FILE\n";
  if (const std::terminate_handler before = std::set_terminate(end_here); before != end_here) {
    usual_end = before;
  }
  std::signal(SIGBUS, end_on_bus_error);
}

// How to cite Trawl, for people and as BibTeX.
std::string citation() {
  const std::string year = std::string(kReleaseDate).substr(0, 4);
  return std::string(kCitedAuthors) + " (" + year + "). " + kCitedTitle + ". Version " + version() +
         ".\n\n@software{trawl,\n  author  = {{" + kCitedAuthors + "}},\n  title   = {{" + kCitedTitle +
         "}},\n  version = {" + version() + "},\n  year    = {" + year + "}\n}";
}

// What the user asked for, other than work.
std::string answer(const Program& program, const ParsedLine& request) {
  switch (request.what) {
    case ParsedLine::show_version:
      return program.name + " " + version() + "\n";
    case ParsedLine::cite:
      return citation() + "\n";
    default:
      return help_text(request.command != nullptr ? outline_of(*request.command, program) : outline_of(program),
                       request.what == ParsedLine::short_help ? HelpLength::most_used : HelpLength::all);
  }
}

std::string typed_line(int argc, char** argv) { return joined(std::vector<std::string>(argv, argv + argc), " "); }

}  // namespace

int run_program(Program& program, int argc, char** argv) {
  end_with_message(program.name + ": ");
  add_engines();
  program.footer =
      program.name +
      " COMMAND --help says more, with examples. The exit status is 0 if the work is done, 1 if the input or the "
      "machine failed, 2 if the command line is wrong.";
  program.commands.push_back(help_command(program));
  const Command* chosen = nullptr;
  const auto full_name = [&] { return program.name + (chosen != nullptr ? " " + chosen->name : std::string()); };
  std::optional<ranks::Cluster> cluster;
  const auto say = [&](const std::string& what) {
    std::cerr << session::for_terminal(full_name() + ": " + what) + "\n";
  };
  // Every rank finds the same error. The first one says it.
  const auto fail_everywhere = [&](const std::string& what, int status) {
    if (!cluster || cluster->is_first()) {
      say(what);
    }
    session::error_is_said();
    return status;
  };
  const auto fail = [&](const std::string& what, int status, bool names_rank = true) {
    say(!cluster || cluster->is_alone() || !names_rank ? what : cluster->name() + ": " + what);
    session::error_is_said();
    if (cluster) {
      cluster->abort(status);
    }
    return status;
  };
  try {
    cluster.emplace();
    compare_programs(*cluster, argc, argv);
    ParsedLine request;
    try {
      request = parse(program, argc, argv);
    } catch (const WrongCommandLine& error) {
      chosen = error.command;
      if (argc > 1) {
        return fail_everywhere(
            std::string(error.what()) + (error.help_helps ? "\nRun '" + full_name() + " --help'." : ""), kWrongUsage);
      }
      if (cluster->is_first()) {
        std::cerr << help_text(outline_of(program), HelpLength::most_used);
      }
      session::error_is_said();
      return kWrongUsage;
    }
    chosen = request.command;
    if (request.what == ParsedLine::work) {
      end_with_message(full_name() + ": ");
      cluster->together([&] { check_options(*chosen); });
      session::CommandRun run(chosen->name, typed_line(argc, argv), *cluster);
      if (chosen->on_all_ranks || cluster->is_first()) {
        chosen->work(*chosen, run);
      }
    } else if (cluster->is_first()) {
      std::cout << answer(program, request);
    }
    return 0;
  } catch (const ranks::AgreedError& error) {
    return fail_everywhere(error.what(), error.status());
  } catch (const UsageError& error) {
    return fail(error.what(), kWrongUsage);
  } catch (const InputError& error) {
    return fail(error.what(), kFailed, false);  // whichever rank has found it
  } catch (const std::bad_alloc&) {
    return fail("not enough memory: use a machine with more, or a smaller reference" + memory_limit_text(), kFailed);
  } catch (const std::exception& error) {
    return fail(is_of_threads(error) ? no_thread_text() : error.what(), kFailed);
  }
}

}  // namespace trawl::cli
