// Runs the CPU's scan on each instruction set of this machine.
#pragma once

#include <hwy/targets.h>

#include <cstdint>
#include <set>
#include <string>

#include "scan/find/wu_manber_scan.hpp"
#include "tests/catch.hpp"

namespace trawl::tests {

template <class F>
void on_all_targets(F&& f) {
  std::set<std::string> done;  // for a set that was not compiled, a simpler one is used
  for (std::int64_t targets = hwy::SupportedTargets(); targets != 0; targets &= targets - 1) {
    hwy::SetSupportedTargetsForTest(targets & -targets);
    CAPTURE(scan::wu_manber_scan_target());
    if (done.insert(scan::wu_manber_scan_target()).second) {
      f();
    }
  }
  hwy::SetSupportedTargetsForTest(0);
}

}  // namespace trawl::tests
