// Catch2, whichever of 2.x and 3.x is installed.
#pragma once

#ifdef TRAWL_CATCH2_V3
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif
