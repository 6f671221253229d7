// A synthetic chromosome with the repeat classes of a human one, each with about the human share.
#pragma once

#include <cstdint>
#include <string>

namespace trawl::bench {

/// Writes contig `synth1` of `length` bases (at least 20,000). If `bed_path` is not empty, also writes the positions of
/// its repeats. The same length and seed give the same bytes. A summary by class goes to stderr.
void write_genome(std::uint64_t length, std::uint64_t seed, const std::string& fasta_path, const std::string& bed_path);

}  // namespace trawl::bench
