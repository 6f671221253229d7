// The files of a run, for its report.
//
//   const RunFiles files{.reference = "genome.fa", .inputs = {"reads_1.fq", "reads_2.fq"}, .output = "-"};
#pragma once

#include <string>
#include <vector>

namespace trawl::io {

/// As the user named them; "-" is a standard stream.
struct RunFiles {
  std::string reference;
  std::vector<std::string> inputs;  // reads and mates, or patterns
  std::string output;
};

}  // namespace trawl::io
