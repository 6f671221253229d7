// The version of Trawl, "0.1.0": CMakeLists.txt says it, here alone it is compiled in.
#pragma once

namespace trawl {

const char* version();

}  // namespace trawl
