// A short sequence to search for, as given by the user.
#pragma once

#include <string>

namespace trawl::sequence {

struct Pattern {
  std::string name;
  std::string bases;  // IUPAC letters in upper case, U written as T
};

}  // namespace trawl::sequence
