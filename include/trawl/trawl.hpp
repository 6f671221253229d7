// Trawl from C++: all headers of the component `core`. trawl/writer.hpp is in the component `io`; trawl/trawl.h is for
// C. The page docs/library.md begins with examples, and tells how to build a program with the library.
#pragma once
#include "trawl/distance.hpp"
#include "trawl/mapper.hpp"
#include "trawl/scanner.hpp"
