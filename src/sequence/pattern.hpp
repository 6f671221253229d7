// A short sequence to look for, as the user gave it.
#pragma once

#include <string>

namespace trawl::sequence {

struct Pattern {
  std::string name;
  std::string bases;  // IUPAC letters in upper case, U as T
};

}  // namespace trawl::sequence
