// Includes Catch2, version 2.x or 3.x, whichever is installed.
#pragma once

#ifdef TRAWL_CATCH2_V3
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif
