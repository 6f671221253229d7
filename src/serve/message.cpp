#include "serve/message.hpp"

#include <algorithm>
#include <new>

#include "base/machine_memory.hpp"
#include "io/format/json.hpp"

namespace trawl::serve {

std::string value_of(const Fields& fields, std::string_view name) {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const auto& field) { return field.first == name; });
  return found == fields.end() ? std::string() : found->second;
}

bool is_loopback(std::string_view host) {
  const std::string_view name = host.substr(0, host.find(':'));
  const std::string_view port = host.substr(std::min(name.size() + 1, host.size()));
  return (name == "127.0.0.1" || name == "localhost") && port.find_first_not_of("0123456789") == port.npos;
}

Answer refuse(unsigned status, std::string_view what) {
  return {.status = status, .body = "{\"error\": " + io::json_string(what) + "}\n"};
}

Answer refuse_current_exception(const std::function<std::string(std::string)>& in_words) {
  try {
    throw;
  } catch (const Refusal& error) {
    return refuse(error.status(), in_words(error.what()));
  } catch (const UsageError& error) {
    return refuse(400, in_words(error.what()));
  } catch (const InputError& error) {
    return refuse(422, in_words(error.what()));
  } catch (const std::bad_alloc&) {
    return refuse(500, "not enough memory for this query" + memory_limit_text());
  } catch (const std::exception& error) {
    return refuse(500, in_words(error.what()));
  }
}

}  // namespace trawl::serve
