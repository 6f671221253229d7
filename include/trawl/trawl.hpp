// Trawl from C++: all headers. The page docs/library.md begins with examples, and says how to build a program.
#pragma once
#include "trawl/distance.hpp"
#include "trawl/mapper.hpp"
#include "trawl/scanner.hpp"
