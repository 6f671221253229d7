#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string_view>
#include <thread>

#include "base/error.hpp"
#include "cli/options/map_files.hpp"
#include "cli/options/output_check.hpp"
#include "io/index/saved_index.hpp"
#include "io/read/gzip/input_file.hpp"
#include "io/write/text_output.hpp"
#include "serve/commands.hpp"
#include "serve/json_body.hpp"
#include "serve/listen_socket.hpp"
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

// A connection to the Unix socket of a server.
class Connection {
 public:
  explicit Connection(const std::string& path) : descriptor_(connect_to(path)) {}
  ~Connection() { ::close(descriptor_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // A server that refuses a request answers before it has all of it.
  void send(std::string_view text) {
    while (!text.empty()) {
      const ssize_t n = ::send(descriptor_, text.data(), text.size(), MSG_NOSIGNAL);
      if (n < 0 && errno != EINTR) {
        return;
      }
      text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    }
  }
  std::string receive_all() {
    std::string all;
    std::string block(1 << 16, '\0');
    while (true) {
      const ssize_t n = ::recv(descriptor_, block.data(), block.size(), 0);
      if (n < 0 && errno == EINTR) {
        continue;
      }
      if (n <= 0) {
        return all;
      }
      all.append(block.data(), static_cast<std::size_t>(n));
    }
  }

 private:
  int descriptor_;
};

// The text with %41 for an A: for each byte that is not plain.
template <class IsPlain>
std::string percent_encoded(std::string_view text, const IsPlain& is_plain) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string result;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if (is_plain(byte)) {
      result += letter;
    } else {
      result.append(1, '%').append(1, kDigits[byte >> 4]).append(1, kDigits[byte & 15]);
    }
  }
  return result;
}

std::string head_of(const Request& request) {
  const auto is_plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("-._~").find(static_cast<char>(c)) != std::string_view::npos;
  };
  std::string head = request.method + ' ' + request.path;
  char before = '?';
  for (const auto& [name, value] : request.parameters) {
    head += before + percent_encoded(name, is_plain) + '=' + percent_encoded(value, is_plain);
    before = '&';
  }
  head += " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: " + std::to_string(request.body.size());
  for (const auto& [name, value] : request.headers) {
    head += "\r\n" + name + ": " + value;
  }
  return head + "\r\n\r\n";
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find("\r\n"), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 2, text.size()));
  return line;
}

// Asks a server over its Unix socket. Headers are sent as they are, parameters encoded. Throws Error if nobody answers,
// or if the answer is not complete.
Answer ask(const std::string& socket, const Request& request) {
  Connection connection(socket);
  connection.send(head_of(request));
  connection.send(request.body);
  const std::string received = connection.receive_all();
  std::string_view rest = received;
  const std::string_view first = take_line(rest);  // HTTP/1.1 200 OK
  Answer answer;
  if (!first.starts_with("HTTP/1.") || first.size() < 12 ||
      std::from_chars(first.data() + 9, first.data() + 12, answer.status).ec != std::errc()) {
    throw Error(socket + ": the server ended the connection without an answer");
  }
  std::optional<std::size_t> size;
  for (std::string_view line = take_line(rest); !line.empty(); line = take_line(rest)) {
    const std::size_t colon = std::min(line.find(':'), line.size());
    std::string name(line.substr(0, colon));
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    std::string_view value = line.substr(std::min(colon + 1, line.size()));
    value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
    if (name == "content-length") {
      std::from_chars(value.data(), value.data() + value.size(), size.emplace());
    } else if (name == "trawl-message") {
      answer.messages.emplace_back(value);
    } else if (name == "content-type") {
      answer.type = value;
    }
  }
  if (!size || rest.size() != *size) {
    throw Error(socket + ": the server ended the connection before its answer was complete");
  }
  answer.body = rest;
  return answer;
}

// For a list in a header.
std::string plain_in_header(std::string_view name) {
  return percent_encoded(name, [](unsigned char c) { return c >= ' ' && c != ',' && c != '%'; });
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
