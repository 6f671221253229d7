// The only file that knows libmicrohttpd.
#include "serve/http_server.hpp"

#include <microhttpd.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "serve/listen_socket.hpp"

namespace trawl::serve {

namespace {

using Clock = std::chrono::steady_clock;

// Of the memory for the head of a request, a parameter takes 64 bytes and its text. Where it is used up, the library
// neither answers nor closes the connection.
constexpr std::size_t kHeadBytes = 512 << 10, kAddressBytes = 64 << 10, kParameters = 4096;
constexpr std::chrono::milliseconds kWatch{200};
// A client that takes its answer more slowly than this is given up.
constexpr double kBytesPerSecond = 1 << 20;

// The connections, and until when each may do what it does.
class Deadlines {
 public:
  Deadlines(unsigned seconds, unsigned most) : seconds_(seconds), most_(most), thread_([this] { watch(); }) {}
  ~Deadlines() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    wake_.notify_all();
    thread_.join();
  }

  void opened(MHD_Connection* connection, int descriptor) {
    const std::lock_guard lock(mutex_);
    all_[connection] = {descriptor, Clock::now(), end_after(0), nullptr};
    if (all_.size() > most_) {
      close_slowest();
    }
  }
  void closed(MHD_Connection* connection) {
    const std::lock_guard lock(mutex_);
    all_.erase(connection);
  }
  void works(MHD_Connection* connection, std::shared_ptr<Request> request) {
    set(connection, Clock::time_point::max(), std::move(request));
  }
  void answers(MHD_Connection* connection, std::size_t bytes) { set(connection, end_after(bytes)); }
  void waits(MHD_Connection* connection) { set(connection, end_after(0)); }
  // Gives up the requests of clients that are gone, or all.
  void give_up(bool all) {
    const std::lock_guard lock(mutex_);
    for (const auto& [connection, entry] : all_) {
      pollfd state{entry.descriptor, POLLRDHUP, 0};  // the library does not look at a connection that waits
      if (entry.request && (all || ::poll(&state, 1, 0) > 0)) {
        entry.request->given_up = all ? "the server ends; ask it again when it runs"
                                      : "the client closed its sending side; keep it open until the answer comes";
      }
    }
  }

 private:
  struct OpenConnection {
    int descriptor = -1;
    Clock::time_point since;
    Clock::time_point end;             // max(): the server itself works
    std::shared_ptr<Request> request;  // on which it works
  };

  Clock::time_point end_after(std::size_t bytes) const {
    const double more = static_cast<double>(bytes) / kBytesPerSecond;
    return Clock::now() + std::chrono::seconds(seconds_) + std::chrono::milliseconds(static_cast<long>(more * 1000));
  }
  void set(MHD_Connection* connection, Clock::time_point end, std::shared_ptr<Request> request = nullptr) {
    const std::lock_guard lock(mutex_);
    if (const auto found = all_.find(connection); found != all_.end()) {
      found->second = {found->second.descriptor, Clock::now(), end, std::move(request)};
    }
  }
  // The one that has been sending its request for the longest time.
  void close_slowest() {
    auto slowest = all_.end();
    for (auto at = all_.begin(); at != all_.end(); ++at) {
      if (at->second.end != Clock::time_point::max() &&
          (slowest == all_.end() || at->second.since < slowest->second.since)) {
        slowest = at;
      }
    }
    if (slowest != all_.end()) {
      ::shutdown(slowest->second.descriptor, SHUT_RDWR);
      slowest->second.since = Clock::time_point::max();  // not twice
    }
  }
  void watch() {
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, kWatch, [this] { return ended_; })) {
      const auto now = Clock::now();
      for (const auto& [connection, entry] : all_) {
        if (entry.end < now) {
          ::shutdown(entry.descriptor, SHUT_RDWR);  // the library sees the end, and closes it
        }
      }
      lock.unlock();
      give_up(false);
      lock.lock();
    }
  }

  unsigned seconds_;
  std::size_t most_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::unordered_map<MHD_Connection*, OpenConnection> all_;
  bool ended_ = false;
  std::thread thread_;
};

// What all connections share.
struct Shared {
  explicit Shared(const HttpOptions& given) : options(given), deadlines(given.seconds, given.connections) {}

  HttpOptions options;
  HttpServer::Handle handle;
  std::atomic<std::size_t> bytes{0};      // of all bodies
  std::atomic<std::size_t> under_way{0};  // requests that have begun and whose answers are not taken
  Deadlines deadlines;
};

// One request on its way.
struct Exchange {
  std::shared_ptr<Request> request = std::make_shared<Request>();
  bool has_begun = false;
  std::size_t bytes = 0;  // counted in Shared::bytes
  unsigned refused = 0;   // the status, if the body cannot be taken
  std::string why;
  bool is_passed_on = false;
  Answer answer;
};

MHD_Result add_field(void* to, MHD_ValueKind kind, const char* key, size_t key_size, const char* value,
                     size_t value_size) {
  std::string name(key, key_size);
  if (kind == MHD_HEADER_KIND) {
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  }
  static_cast<Fields*>(to)->emplace_back(std::move(name), value != nullptr ? std::string(value, value_size) : "");
  return MHD_YES;
}

void free_text(void* text) { delete static_cast<std::string*>(text); }

MHD_Result send(Shared& shared, MHD_Connection* connection, Answer answer) {
  const std::size_t size = answer.body.size();
  auto* const body = new std::string(std::move(answer.body));
  MHD_Response* const response =
      MHD_create_response_from_buffer_with_free_callback_cls(size, body->data(), free_text, body);
  if (response == nullptr) {
    delete body;
    return MHD_NO;
  }
  MHD_add_response_header(response, "Content-Type", answer.type.c_str());
  MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
  if (answer.status == 503) {
    MHD_add_response_header(response, "Retry-After", "1");
  }
  for (std::string& message : answer.messages) {
    std::replace_if(
        message.begin(), message.end(), [](unsigned char c) { return std::iscntrl(c); }, ' ');
    MHD_add_response_header(response, "Trawl-Message", message.c_str());
  }
  shared.deadlines.answers(connection, size);
  const MHD_Result queued = MHD_queue_response(connection, answer.status, response);
  MHD_destroy_response(response);
  return queued;
}

// "" if the request may go on, with its body still to come.
Answer check_headers(Shared& shared, MHD_Connection* connection, const Request& request, bool is_local_socket) {
  if (request.method != "GET" && request.method != "HEAD" && request.method != "POST") {
    return refuse(405, "the method " + request.method + " is not known; POST a query, or GET /info");
  }
  if (!is_local_socket && !is_loopback(request.header("host"))) {
    return refuse(403, "the header Host must be 127.0.0.1 or localhost");
  }
  // A page of another site may send a POST without asking, but a browser says which site it is.
  const std::string origin = request.header("origin");
  const std::size_t host = origin.find("//");
  if (!origin.empty() && (host == origin.npos || !is_loopback(std::string_view(origin).substr(host + 2)))) {
    return refuse(403, "the header Origin names a page of another site");
  }
  const char* const length = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Content-Length");
  if (length != nullptr && std::strtoull(length, nullptr, 10) > shared.options.most_body) {
    return refuse(413, "the body is larger than " + std::to_string(shared.options.most_body) +
                           " bytes, which --max-body of trawl serve allows");
  }
  return {.status = 0};
}

void take_body(Shared& shared, Exchange& exchange, const char* data, std::size_t size) {
  if (exchange.refused != 0) {
    return;
  }
  if (exchange.request->body.size() + size > shared.options.most_body) {
    exchange.refused = 413;
    exchange.why = "the body is larger than --max-body of trawl serve allows";
  } else if (shared.bytes.fetch_add(size) + size > shared.options.most_bytes) {
    shared.bytes -= size;
    exchange.refused = 503;
    exchange.why = "the server is busy; try again";
  } else {
    exchange.bytes += size;
    exchange.request->body.append(data, size);
    return;
  }
  exchange.request->body = {};
}

struct Listener {
  Shared* shared = nullptr;
  bool is_local_socket = false;
};

// Is called before the library reads the parameters in `address`. It cannot refuse them, but they can be cut off.
void* on_address(void* of_listener, const char* address, MHD_Connection*) try {
  auto* const exchange = new Exchange;
  ++static_cast<Listener*>(of_listener)->shared->under_way;
  const std::string_view all(address);
  const std::size_t parameters = std::min(all.find('?'), all.size() - 1) + 1;
  if (all.size() > kAddressBytes || std::count(all.begin(), all.end(), '&') >= std::ptrdiff_t{kParameters}) {
    exchange->refused = 414;
    exchange->why = "the address has more than " + std::to_string(kAddressBytes) + " characters or " +
                    std::to_string(kParameters) + " parameters; send reads and patterns in the body";
    const_cast<char*>(address)[parameters] = '\0';
  }
  return exchange;
} catch (...) {
  return nullptr;
}

MHD_Result on_request(void* of_listener, MHD_Connection* connection, const char* url, const char* method,
                      const char* /*version*/, const char* data, size_t* size, void** context) try {
  if (*context == nullptr) {
    return MHD_NO;
  }
  const auto& listener = *static_cast<Listener*>(of_listener);
  Shared& shared = *listener.shared;
  auto& exchange = *static_cast<Exchange*>(*context);
  if (!std::exchange(exchange.has_begun, true)) {
    Request& request = *exchange.request;
    request.method = method;
    request.path = url;
    MHD_get_connection_values_n(connection, MHD_HEADER_KIND, add_field, &request.headers);
    MHD_get_connection_values_n(connection, MHD_GET_ARGUMENT_KIND, add_field, &request.parameters);
    if (exchange.refused != 0) {
      return send(shared, connection, refuse(exchange.refused, exchange.why));
    }
    if (Answer refusal = check_headers(shared, connection, request, listener.is_local_socket); refusal.status != 0) {
      return send(shared, connection, std::move(refusal));
    }
    return MHD_YES;
  }
  if (*size > 0) {
    take_body(shared, exchange, data, *size);
    *size = 0;
    return MHD_YES;
  }
  if (exchange.refused != 0) {
    return send(shared, connection, refuse(exchange.refused, exchange.why));
  }
  if (exchange.is_passed_on) {
    return send(shared, connection, std::move(exchange.answer));
  }
  exchange.is_passed_on = true;
  shared.deadlines.works(connection, exchange.request);
  MHD_suspend_connection(connection);
  shared.handle(exchange.request, [connection, &exchange](Answer answer) {
    exchange.answer = std::move(answer);
    MHD_resume_connection(connection);
  });
  return MHD_YES;
} catch (...) {
  return MHD_NO;  // no memory: the connection is closed
}

void on_end(void* of_listener, MHD_Connection* connection, void** context, MHD_RequestTerminationCode) {
  Shared& shared = *static_cast<Listener*>(of_listener)->shared;
  if (const std::unique_ptr<Exchange> exchange{static_cast<Exchange*>(*context)}) {
    shared.bytes -= exchange->bytes;
    --shared.under_way;
  }
  *context = nullptr;
  shared.deadlines.waits(connection);
}

void on_connection(void* of_listener, MHD_Connection* connection, void** /*context*/,
                   MHD_ConnectionNotificationCode what) {
  Deadlines& deadlines = static_cast<Listener*>(of_listener)->shared->deadlines;
  if (what == MHD_CONNECTION_NOTIFY_STARTED) {
    const MHD_ConnectionInfo* const info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    deadlines.opened(connection, info->connect_fd);
  } else {
    deadlines.closed(connection);
  }
}

}  // namespace

class HttpListeners {
 public:
  HttpListeners(const HttpOptions& options, HttpServer::Handle handle) : shared_(options) {
    shared_.handle = std::move(handle);
    if (!options.socket.empty()) {
      sockets_.push_back(ListenSocket::at_path(options.socket));
    }
    if (options.port) {
      sockets_.push_back(ListenSocket::at_port(*options.port));
    }
    listeners_.resize(sockets_.size());
    for (std::size_t i = 0; i < sockets_.size(); ++i) {
      listeners_[i] = {&shared_, sockets_[i].port() == 0};
      start(sockets_[i], listeners_[i]);
    }
  }
  ~HttpListeners() { stop(); }

  std::optional<std::uint16_t> port() const {
    for (const ListenSocket& socket : sockets_) {
      if (socket.port() != 0) {
        return socket.port();
      }
    }
    return {};
  }
  bool is_busy() const { return shared_.under_way > 0; }
  void give_up() { shared_.deadlines.give_up(true); }
  void close() {
    if (!std::exchange(is_closed_, true)) {
      for (ListenSocket& socket : sockets_) {
        socket.remove_path();
      }
      for (MHD_Daemon* const daemon : daemons_) {
        MHD_quiesce_daemon(daemon);
      }
    }
  }
  void stop() {
    close();
    for (MHD_Daemon* const daemon : std::exchange(daemons_, {})) {
      MHD_stop_daemon(daemon);
    }
  }

 private:
  void start(const ListenSocket& socket, Listener& listener) {
    MHD_Daemon* const daemon = MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, nullptr, nullptr, on_request, &listener,
        MHD_OPTION_LISTEN_SOCKET, socket.descriptor(), MHD_OPTION_CONNECTION_LIMIT, shared_.options.connections + 16,
        MHD_OPTION_CONNECTION_TIMEOUT, shared_.options.seconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT, kHeadBytes,
        MHD_OPTION_URI_LOG_CALLBACK, on_address, &listener, MHD_OPTION_NOTIFY_COMPLETED, on_end, &listener,
        MHD_OPTION_NOTIFY_CONNECTION, on_connection, &listener, MHD_OPTION_END);
    if (daemon == nullptr) {
      stop();
      throw Error("the server cannot start: too many threads or files are open");
    }
    daemons_.push_back(daemon);
  }

  Shared shared_;
  std::vector<ListenSocket> sockets_;
  std::vector<Listener> listeners_;
  std::vector<MHD_Daemon*> daemons_;
  bool is_closed_ = false;
};

HttpServer::HttpServer(const HttpOptions& options, Handle handle)
    : listeners_(std::make_shared<HttpListeners>(options, std::move(handle))) {}
HttpServer::~HttpServer() = default;
std::optional<std::uint16_t> HttpServer::port() const { return listeners_->port(); }
void HttpServer::close() { listeners_->close(); }
bool HttpServer::is_busy() const { return listeners_->is_busy(); }
void HttpServer::give_up() { listeners_->give_up(); }
void HttpServer::stop() { listeners_->stop(); }

std::string http_library() { return std::string("libmicrohttpd ") + MHD_get_version(); }

}  // namespace trawl::serve
