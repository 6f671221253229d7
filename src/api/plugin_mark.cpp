#include <algorithm>
#include <string>

#include "api/cuda_plugin.hpp"
#include "base/version.hpp"

namespace trawl::api {

PluginMark plugin_mark() {
  PluginMark mark{
      {}, sizeof(run::EngineEntry), sizeof(map::Options), sizeof(scan::Options), sizeof(sequence::Reference)};
  const std::string text = trawl::version();
  std::copy_n(text.begin(), std::min(text.size(), sizeof mark.version - 1), mark.version);
  return mark;
}

}  // namespace trawl::api
