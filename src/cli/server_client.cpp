#include "cli/server_client.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <string_view>
#include <thread>

#include "base/error.hpp"
#include "cli/options/output_check.hpp"
#include "cli/signals.hpp"
#include "io/index/saved_index.hpp"
#include "io/read/gzip/input_file.hpp"
#include "io/write/text_output.hpp"
#include "serve/http_client.hpp"
#include "serve/json_body.hpp"

namespace trawl::cli {

namespace {

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

void say(const std::string& command, const std::string& text) { std::cerr << "trawl " + command + ": " + text + "\n"; }

constexpr std::uint32_t kPatience = 30, kLongestPatience = 86400;  // seconds
constexpr std::chrono::milliseconds kFirstPause{100}, kLongestPause{4000};

// While the server is busy, asks again, for `patience` seconds.
serve::Answer ask_patiently(const std::string& socket, const serve::Request& request, std::uint32_t patience) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(patience);
  for (auto pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
    serve::Answer answer = serve::ask(socket, request);
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

[[noreturn]] void fail(const serve::Answer& answer) {
  const std::string what = serve::json_error(answer.body);
  if (answer.status == 400) {
    throw UsageError(what);
  }
  throw InputError(what);
}

}  // namespace

void ask_server(const ServerCall& call, const WorkArguments& arguments, std::optional<int> level) {
  remove_output_on_signals("trawl " + call.command);
  const std::uint32_t patience = number_of_environment("TRAWL_SERVER_PATIENCE", kLongestPatience).value_or(kPatience);
  std::vector<std::string> inputs = {call.reference};
  serve::Request request{.method = "POST", .path = call.end_point, .parameters = call.parameters};
  std::string files;
  for (const SentFile& file : call.files) {
    const std::string content = content_of(file.path);
    files += (files.empty() ? "" : ",") + file.kind + ':' + std::to_string(content.size()) + ':' +
             plain_in_header(io::display_name(file.path));
    request.body += content;
    inputs.push_back(file.path);
  }
  check_outputs(inputs, {{"-o", arguments.output}});
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
  const serve::Answer answer = ask_patiently(call.server, request, patience);
  if (answer.status != 200) {
    fail(answer);
  }
  io::TextOutput output(arguments.output, level);
  output.write(answer.body);
  output.close();
  if (!arguments.quiet) {
    for (const std::string& message : answer.messages) {
      say(call.command, message);
    }
  }
}

}  // namespace trawl::cli
