#include "serve/http_client.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <optional>
#include <string_view>

#include "serve/listen_socket.hpp"

namespace trawl::serve {

namespace {

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

std::string encoded(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string result;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if (std::isalnum(byte) != 0 || std::string_view("-._~").find(letter) != std::string_view::npos) {
      result += letter;
    } else {
      result.append(1, '%').append(1, kDigits[byte >> 4]).append(1, kDigits[byte & 15]);
    }
  }
  return result;
}

std::string head_of(const Request& request) {
  std::string head = request.method + ' ' + request.path;
  char before = '?';
  for (const auto& [name, value] : request.parameters) {
    head += before + encoded(name) + '=' + encoded(value);
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

}  // namespace

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

}  // namespace trawl::serve
