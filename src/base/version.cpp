#include "base/version.hpp"

namespace trawl {

const char* version() { return TRAWL_VERSION; }

}  // namespace trawl
