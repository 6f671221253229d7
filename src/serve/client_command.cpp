#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <string_view>
#include <thread>

#include "base/error.hpp"
#include "cli/options/map_files.hpp"
#include "cli/options/output_check.hpp"
#include "io/index/saved_index.hpp"
#include "io/read/gzip/input_file.hpp"
#include "io/write/text_output.hpp"
#include "serve/commands.hpp"
#include "serve/http_client.hpp"
#include "serve/json_body.hpp"
#include "serve/query_options.hpp"
#include "session/signals.hpp"

namespace trawl::serve {

namespace {

// What the client sends: files of the user, each with its kind: "reads", "mates" or "patterns".
struct SentFile {
  std::string kind;
  std::string path;
};

// A command that a server does.
struct ServerCall {
  std::string server;  // the path of its socket
  std::string reference;
  std::vector<SentFile> files;
  Fields parameters;      // of the query
  std::string end_point;  // "/map"
};

std::string content_of(const std::string& path) {
  io::InputFile file(path);
  std::string content;
  std::string block(1 << 20, '\0');
  while (const std::size_t n = file.read(block.data(), block.size())) {
    content.append(block, 0, n);
  }
  return content;
}

// For a list in a header.
std::string plain_in_header(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string plain;
  for (const char letter : name) {
    const auto byte = static_cast<unsigned char>(letter);
    if (byte < ' ' || byte == ',' || byte == '%') {
      plain.append(1, '%').append(1, kDigits[byte >> 4]).append(1, kDigits[byte & 15]);
    } else {
      plain += letter;
    }
  }
  return plain;
}

constexpr std::uint32_t kPatience = 30, kLongestPatience = 86400;  // seconds
constexpr std::chrono::milliseconds kFirstPause{100}, kLongestPause{4000};

// While the server is busy, asks again, for `patience` seconds.
Answer ask_patiently(const std::string& socket, const Request& request, std::uint32_t patience) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(patience);
  for (auto pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
    Answer answer = ask(socket, request);
    if (answer.status != 503) {
      return answer;
    }
    if (std::chrono::steady_clock::now() + pause > end) {
      throw Error(socket + ": the server is busy: for " + std::to_string(patience) +
                  " seconds it has not taken the request; try again later, or leave --server out");
    }
    std::this_thread::sleep_for(pause);
  }
}

[[noreturn]] void fail(const Answer& answer) {
  const std::string what = json_error(answer.body);
  if (answer.status == 400) {
    throw UsageError(what);
  }
  throw InputError(what);
}

// Sends the files, and writes the answer to arguments.output. `level`: of BGZF; nothing: plain text.
void ask_server(const ServerCall& call, const cli::WorkArguments& arguments, std::optional<int> level,
                const session::CommandRun& run) {
  session::remove_output_on_signals("trawl " + run.name());
  const std::uint32_t patience =
      cli::number_of_environment("TRAWL_SERVER_PATIENCE", kLongestPatience).value_or(kPatience);
  std::vector<std::string> inputs = {call.reference};
  Request request{.method = "POST", .path = call.end_point, .parameters = call.parameters};
  std::string files;
  for (const SentFile& file : call.files) {
    const std::string content = content_of(file.path);
    files += (files.empty() ? "" : ",") + file.kind + ':' + std::to_string(content.size()) + ':' +
             plain_in_header(io::display_name(file.path));
    request.body += content;
    inputs.push_back(file.path);
  }
  cli::check_outputs(inputs, {{"-o", arguments.output}});
  if (!files.empty()) {
    request.headers.emplace_back("Trawl-Files", files);
  }
  if (call.reference != "-") {
    std::error_code error;
    request.headers.emplace_back("Trawl-Reference-File", std::filesystem::absolute(call.reference, error).string());
    if (!io::is_saved_index(call.reference)) {
      request.headers.emplace_back("Trawl-Reference", call.reference);
    }
  }
  const Answer answer = ask_patiently(call.server, request, patience);
  if (answer.status != 200) {
    fail(answer);
  }
  io::TextOutput output(arguments.output, level);
  output.write(answer.body);
  output.close();
  if (!arguments.quiet) {
    for (const std::string& message : answer.messages) {
      std::cerr << "trawl " + run.name() + ": " + message + "\n";
    }
  }
}

}  // namespace

void map_on_server(const cli::MapArguments& arguments, const cli::Command& given, session::CommandRun& run) {
  if (!run.cluster().is_first()) {
    return;
  }
  Fields parameters = parameters_of(given);
  cli::map_options(arguments);
  const io::ReadInput::Files files = cli::read_files(arguments);
  const io::OutputFormat format = cli::output_format(arguments);
  if (format == io::OutputFormat::bam || format == io::OutputFormat::cram) {
    throw UsageError("with --server the output is SAM or BED; for BAM: trawl map --server ... | samtools view -b -o " +
                     (arguments.output == "-" ? "FILE.bam" : arguments.output));
  }
  const int level = cli::compression_level(arguments, cli::is_bgzf(format));
  const bool is_bed = format != io::OutputFormat::sam;
  parameters.emplace_back("format", is_bed ? "bed" : "sam");
  ServerCall call{
      arguments.server, arguments.reference, {}, std::move(parameters), arguments.paired() ? "/pairs" : "/map"};
  for (const std::string& path : files.reads) {
    call.files.push_back({"reads", path});
  }
  for (const std::string& path : files.mates) {
    call.files.push_back({"mates", path});
  }
  ask_server(call, arguments, cli::is_bgzf(format) ? std::optional(level) : std::nullopt, run);
}

void scan_on_server(const cli::ScanArguments& arguments, const cli::Command& given, session::CommandRun& run) {
  if (!run.cluster().is_first()) {
    return;
  }
  Fields parameters = parameters_of(given);
  cli::scan_options(arguments);
  const io::ScanFormat format = io::scan_format(arguments.output);
  const int level = cli::compression_level(arguments, io::is_packed(format));
  parameters.emplace_back("format", format == io::ScanFormat::sam  ? "sam"
                                    : !io::is_table(format)        ? "bed"
                                    : io::separator(format) == ',' ? "csv"
                                                                   : "tsv");
  ServerCall call{arguments.server, arguments.reference, {}, std::move(parameters), "/scan"};
  if (!arguments.pattern_file.empty()) {
    call.files.push_back({"patterns", arguments.pattern_file});
  }
  ask_server(call, arguments, io::is_packed(format) ? std::optional(level) : std::nullopt, run);
}

}  // namespace trawl::serve
