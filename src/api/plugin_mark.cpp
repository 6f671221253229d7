#include <algorithm>
#include <string_view>

#include "api/cuda_plugin.hpp"
#include "api/header_hash.h"  // made by the build
#include "base/version.hpp"

namespace trawl::api {

namespace {

template <std::size_t kSize>
void put(std::string_view text, char (&to)[kSize]) {
  std::copy_n(text.begin(), std::min(text.size(), kSize - 1), to);
}

}  // namespace

PluginMark plugin_mark() {
  PluginMark mark{};
  put(trawl::version(), mark.version);
  put(TRAWL_HEADER_HASH, mark.headers);
  return mark;
}

}  // namespace trawl::api
