// Trawl from C++: all headers of the component `core`.
//
//   find_package(trawl CONFIG REQUIRED COMPONENTS core)
//   target_link_libraries(my_program PRIVATE trawl::core)
//
// trawl/writer.hpp is in the component `io`; trawl/trawl.h is for C. The page docs/library.md begins with examples.
#pragma once

#include "trawl/distance.hpp"
#include "trawl/mapper.hpp"
#include "trawl/scanner.hpp"
