// Makes reads that begin with a barcode, as a nanopore sequencer reads a pool of barcoded molecules.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace trawl::bench {

struct BarcodedModel {
  std::uint64_t shortest = 300;  // bases of the molecule
  std::uint64_t longest = 2000;
  std::uint64_t longest_lead = 40;  // random bases before the barcode, from 0
  double error_rate = 0.05;         // per base; a third each are substitutions, insertions and deletions
  double without = 0.05;            // share of molecules without a barcode
};

/// Writes `count` FASTQ records. A molecule has a lead, a barcode of the FASTA and random bases; it is read from either
/// strand, with errors. Names: barcoded<N>_<strand>_<barcode>, with none for the barcode of molecules without one.
void write_barcoded(const std::string& barcodes_path, std::uint64_t count, std::uint64_t seed,
                    const BarcodedModel& model, std::FILE* out);

}  // namespace trawl::bench
