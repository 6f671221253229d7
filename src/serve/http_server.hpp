// HTTP over a Unix socket, and over 127.0.0.1. A connection costs no thread, so slow clients do not stop others.
//
//   with: const HttpServer::Handle& handle
//   HttpServer server({.socket = "trawl.sock"}, handle);
//   server.stop();         // no new connections; waits for the answers that are under way
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "serve/message.hpp"

namespace trawl::serve {

struct HttpOptions {
  std::string socket = {};                          // path; empty: none
  std::optional<std::uint16_t> port = {};           // of 127.0.0.1; 0: a free one; nothing: none
  std::size_t most_body = std::size_t{64} << 20;    // bytes of one request
  std::size_t most_bytes = std::size_t{512} << 20;  // bytes of all requests together
  unsigned connections = 256;                       // at most; if there are more, the slowest one is closed
  unsigned seconds = 30;                            // for a request to arrive, and for its answer to be taken
};

class HttpListeners;

class HttpServer {
 public:
  using Done = std::function<void(Answer)>;
  /// Is called on the thread of the connections, so it only passes the request on. It calls Done once, on any thread.
  using Handle = std::function<void(std::shared_ptr<Request>, Done)>;

  /// A socket that an ended server left is replaced. Throws Error if another server answers there, if the path or the
  /// port cannot be used, and if this build has no server.
  HttpServer(const HttpOptions& options, Handle handle);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// The port; nothing if it does not listen on one.
  std::optional<std::uint16_t> port() const;
  /// Takes no more connections, and removes the socket.
  void close();
  /// Whether an answer is under way.
  bool is_busy() const;
  /// Who asks need not wait any longer: sets given_up of all requests that wait for their answers.
  void give_up();
  /// close(), then ends all connections. Every Done must have been called.
  void stop();

 private:
  std::shared_ptr<HttpListeners> listeners_;
};

/// The library and its version, for `trawl info`; "" for a build without it.
std::string http_library();

/// What to say where this build has no server.
inline constexpr const char* kNoServer =
    "this build of trawl has no server; install libmicrohttpd, nlohmann-json and FlatBuffers (Debian: "
    "libmicrohttpd-dev "
    "nlohmann-json3-dev libflatbuffers-dev) and build trawl again";

}  // namespace trawl::serve
