// In place of arrow_stream.cpp, http_server.cpp and json_body.cpp, where their libraries were not found.
#include "serve/arrow_stream.hpp"
#include "serve/http_server.hpp"
#include "serve/json_body.hpp"

namespace trawl::serve {

HttpServer::HttpServer(const HttpOptions&, Handle) { throw Error(kNoServer); }
HttpServer::~HttpServer() = default;
std::optional<std::uint16_t> HttpServer::port() const { return {}; }
void HttpServer::close() {}
bool HttpServer::is_busy() const { return false; }
void HttpServer::give_up() {}
void HttpServer::stop() {}
std::string http_library() { return ""; }

std::string arrow_stream(const columns::Table&) { throw Error(kNoServer); }

JsonReads parse_json_reads(const std::string&, std::uint64_t) { throw Error(kNoServer); }
std::string parse_json_patterns(const std::string&, std::uint64_t) { throw Error(kNoServer); }
std::string json_error(const std::string& body) { return body; }

}  // namespace trawl::serve
