// The types of errors, which the library throws, too. main() turns each into a message and an exit status:
//
// - UsageError   "trawl map: WHAT"                              status 2
// - InputError   "trawl map: FILE:LINE: WHAT, and what to do"   status 1
// - Error        "trawl map: WHAT"                              status 1
#pragma once

#include "trawl/error.hpp"  // IWYU pragma: export
