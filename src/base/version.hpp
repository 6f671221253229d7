// The version of Trawl, for example "0.1.0". It is set in CMakeLists.txt and compiled in only here.
#pragma once

namespace trawl {

const char* version();

}  // namespace trawl
