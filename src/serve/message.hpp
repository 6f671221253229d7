// A request to `trawl serve`, and its answer. How they travel is not known here (http_server.hpp, client_command.cpp).
//
//   Request request{.method = "POST", .path = "/map", .parameters = {{"max-edits", "2"}}, .body = ">r\nGATTACA\n"};
//   request.parameter("max-edits") == "2"
//   request.parameter("report") == ""
//   refuse(413, "the body is too large").body == "{\"error\": \"the body is too large\"}\n"
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace trawl::serve {

/// Names and values, in order. A name may come more than once.
using Fields = std::vector<std::pair<std::string, std::string>>;

/// The first value with this name; "" if there is none.
std::string value_of(const Fields& fields, std::string_view name);

struct Request {
  std::string method = {};
  std::string path = {};   // without parameters
  Fields parameters = {};  // decoded
  Fields headers = {};     // names in lower case
  std::string body = {};
  std::atomic<const char*> given_up{nullptr};  // why nobody waits for the answer

  std::string parameter(std::string_view name) const { return value_of(parameters, name); }
  std::string header(std::string_view name) const { return value_of(headers, name); }
};

struct Answer {
  unsigned status = 200;  // of HTTP
  std::string type = "application/json";
  std::string body = {};
  /// What the command line would say on stderr, a line each.
  std::vector<std::string> messages = {};
};

/// The query cannot be answered: the status of HTTP, and why. Other errors are UsageError (400), InputError (422) and
/// everything else (500).
class Refusal : public Error {
 public:
  Refusal(unsigned status, const std::string& what) : Error(what), status_(status) {}
  unsigned status() const { return status_; }

 private:
  unsigned status_;
};

/// Whether a header Host, or what an Origin has after //, names this machine. A page of another site that a browser has
/// open must not reach the server by a name that means 127.0.0.1.
///   is_loopback("localhost:8080") && !is_loopback("localhost:x.evil.com") && !is_loopback("127.0.0.1:80@evil.com")
bool is_loopback(std::string_view host);

/// An answer that only says what is wrong, as JSON.
Answer refuse(unsigned status, std::string_view what);

/// The answer for the exception that is being handled. `in_words`: puts the names of files into its message.
Answer refuse_current_exception(const std::function<std::string(std::string)>& in_words = std::identity());

}  // namespace trawl::serve
