// Patterns as they are searched and written: with their PAM.
//
//   with_pam({{"g", "GATTACA"}}, make_pam({"NGG"}, true, 0))[0].bases == "GATTACANGG"
//   with_pam({{"g", "GATTACA"}}, Pam())[0].bases == "GATTACA"
#pragma once

#include <string>

#include "scan/pam.hpp"
#include "sequence/pattern.hpp"

namespace trawl::scan {

inline sequence::PatternList with_pam(const sequence::PatternList& patterns, const Pam& pam) {
  if (pam.bases.empty()) {
    return patterns;
  }
  sequence::PatternList all;
  for (const auto [name, bases] : patterns) {
    all.add(name, pam.is_last ? std::string(bases) + pam.bases : pam.bases + std::string(bases));
  }
  return all;
}

}  // namespace trawl::scan
