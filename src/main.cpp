#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>
#include <new>
#include <sstream>
#include <string>

#include "cli/commands.hpp"
#include "error.hpp"
#ifdef TRAWL_WITH_CUDA
#include "gpu/cuda_engine.hpp"
#endif

namespace {

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

int fail(const std::string& command, const std::string& what, int status) {
  std::cerr << "trawl" << (command.empty() ? "" : " " + command) << ": " << what << '\n';
  return status;
}

// What is wrong, naming the argument that is: the option or command that nobody knows rather than what it left over.
std::string wrong_usage(const CLI::ParseError& error, const std::string& command, int argc, char** argv) {
  if (command.empty() && argc > 1 && argv[1][0] != '-') {
    return "there is no command '" + std::string(argv[1]) + "'";
  }
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    std::istringstream words{std::string(error.what())};
    for (std::string word; words >> word;) {
      if (word.size() > 1 && word[0] == '-') {
        return "there is no option " + word;
      }
    }
  }
  return error.what();
}

}  // namespace

int main(int argc, char** argv) {
#ifdef TRAWL_WITH_CUDA
  trawl::engine::add_engine(trawl::gpu::cuda_engine_entry());
#endif
  CLI::App app("trawl finds every place where a short sequence occurs in a reference within a given edit distance.");
  app.name("trawl");
  app.set_version_flag("--version", std::string("trawl ") + TRAWL_VERSION);
  app.require_subcommand(1);
  app.footer("trawl COMMAND --help tells more, with examples.");
  std::string typed;
  for (int i = 0; i < argc; ++i) {
    typed += (i > 0 ? " " : "") + std::string(argv[i]);
  }
  trawl::cli::Command run;
  trawl::cli::add_map_command(app, run, typed);
  trawl::cli::add_scan_command(app, run, typed);
  trawl::cli::add_bench_command(app, run);
  trawl::cli::add_info_command(app, run);

  const auto command = [&]() -> std::string {
    const auto chosen = app.get_subcommands();
    return chosen.empty() ? "" : chosen.front()->get_name();
  };
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    const std::string name = command();
    return fail(name,
                wrong_usage(error, name, argc, argv) + "\nRun 'trawl" + (name.empty() ? "" : " " + name) + " --help'.",
                kWrongUsage);
  }
  try {
    run();
    return 0;
  } catch (const trawl::UsageError& error) {
    return fail(command(), error.what(), kWrongUsage);
  } catch (const std::bad_alloc&) {
    return fail(command(), "not enough memory; use a machine with more, or a smaller reference or text", kFailed);
  } catch (const std::exception& error) {
    return fail(command(), error.what(), kFailed);
  }
}
