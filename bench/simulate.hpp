// What trawl-simulate makes. Names of reads contain their true positions.
#pragma once

#include <cstdint>
#include <string>

#include "bench/arguments.hpp"
#include "bench/simulate_donor.hpp"
#include "bench/simulation.hpp"

namespace trawl::bench {

/// Writes contig `synth1` of `length` bases (at least 20,000): a synthetic chromosome with the repeat classes of a
/// human one, each with about the human share. If `bed_path` is not empty, also writes the positions of its repeats.
/// The same length and seed give the same bytes. A summary by class goes to stderr.
void write_genome(std::uint64_t length, std::uint64_t seed, const std::string& fasta_path, const std::string& bed_path);

/// Writes a genome of `copies` of a reference. The first is the reference itself. In the others (contigs NAME_1, NAME_2
/// ...) what does not repeat is new, and what repeats is made of pieces of the reference's own elements. So families of
/// repeats grow with the genome, as in larger real ones, though by less. 3 Gbp of 133 Mbp: 23 copies. The same
/// reference, number of copies and seed give the same bytes, whatever the number of threads.
void write_mosaic(const std::string& reference_path, std::uint64_t copies, std::uint64_t seed,
                  const std::string& fasta_path, unsigned threads);

/// Shares of reads that do not fit the reference from end to end. Each read has at most one kind of them.
struct ArtefactModel {
  double adapters = 0;   // foreign bases at the 3' end (half), the 5' end (a quarter) or both
  Range adapter{0, 45};  // bases of both ends together; uniform
  double chimeras = 0;   // two parts from different places; the border is anywhere
  double indels = 0;     // one insertion or deletion of many bases, anywhere
  Range indel{10, 40};
  double tails = 0;  // 10 to 60 bases of low quality at the 3' end: N (3 in 10), or any base (4 in 10)

  bool any() const { return adapters > 0 || chimeras > 0 || indels > 0 || tails > 0; }
};

struct ReadModel {
  Range length{100, 100};
  double error_rate = 0.004;    // per base; substitutions
  double variant_rate = 0.001;  // per base
  double indel_share = 0.17;    // of the variants; half are insertions, half are deletions
  bool qualities = false;       // Phred values that reflect the errors; otherwise all are I
  ArtefactModel artefacts;      // of single reads
};

struct FragmentModel {
  double mean = 400;  // of the length; normally distributed, but never shorter than a mate
  double deviation = 50;
  Orientation orientation = Orientation::fr;
};

/// Writes `count` FASTQ records to the standard output, from both strands, uniformly from all windows without an
/// ambiguous base. Names: sim<N>_<contig>_<start0>_<end0>_<strand>_<edits>. `edits` is the number of changes: the
/// read's distance to that position is this or less.
///
/// A read with an artefact has one or two places, each with one number more: how many bases of the read lie before this
/// part, seen in the direction of the reference. <KIND> is adapter, chimera, indel or tail.
/// Names: <KIND><N>_<contig>_<start0>_<end0>_<strand>_<edits>_<before>, then, of a second part, & and the same without
/// <KIND><N>. `edits` are those within the part.
void write_reads(const std::string& reference_path, std::uint64_t count, std::uint64_t seed, const ReadModel& model);

/// Writes the two mates of `count` fragments to two files. Both have the same name:
/// pair<N>_<contig>, then for the first and for the second mate _<start0>_<end0>_<strand>_<edits>.
void write_pairs(const std::string& reference_path, std::uint64_t count, std::uint64_t seed, const ReadModel& model,
                 const FragmentModel& fragments, const std::string& first_path, const std::string& second_path);

/// A library as people have it: fragments shorter than the read, bad tails, chimeras, duplicates, a donor's variants.
struct LibraryModel {
  std::uint64_t length = 150;                         // of the reads
  FragmentModel fragments{340, 80, Orientation::fr};  // of those not shorter than a read; their orientation is fr
  double short_fragments = 0.1;                       // share of short ones, so that adapters are read
  Range short_length{25, 149};                        // uniform
  std::string adapters[2] = {std::string(kAdapterAfter), std::string(kAdapterAfterSecond)};
  char beyond = 'G';          // what is read after the adapter: G of machines with two colours
  double chimeras = 0.005;    // share of fragments of which mate 1 goes on at another place
  double duplicates = 0.02;   // share of fragments that were sequenced before
  double tails = 0.06;        // share of mates with 10 to 69 last bases of quality 2, a quarter of them wrong
  double unknown = 0.01;      // share of mates with 1 to 4 N
  double error_rate = 0.003;  // a base; three times as much at the last base as at the first
  DonorModel donor;
  std::string region;  // CONTIG or CONTIG:FIRST-LAST: fragments begin there; empty: anywhere
};

/// Writes `count` fragments: mate 1 and, unless its path is empty, mate 2; and the donor's variants, unless theirs is.
/// Both mates have the same name, <KIND><N>_<PLACES of mate 1>~<PLACES of mate 2>. A place is
/// <contig>_<start0>_<end0>_<strand>_<edits>_<before> (see write_reads); a second one of a chimera follows after &.
/// <KIND> is long, short (fragments shorter than the read), tiny (shorter than 70) or chimera; <N> of a duplicate is
/// followed by . and the number of the first.
void write_library(const std::string& reference_path, std::uint64_t count, std::uint64_t seed,
                   const LibraryModel& model, const std::string& first_path, const std::string& second_path,
                   const std::string& vcf_path);

/// Reads that begin with a barcode, as a nanopore sequencer reads a pool of barcoded molecules.
struct BarcodedModel {
  Range length{300, 2000};          // of the molecule
  std::uint64_t longest_lead = 40;  // random bases before the barcode, from 0
  double error_rate = 0.05;         // per base; a third each are substitutions, insertions and deletions
  double without = 0.05;            // share of molecules without a barcode
};

/// Writes `count` FASTQ records to the standard output. A molecule has a lead, a barcode of the FASTA and random bases;
/// it is read from either strand, with errors. Names: barcoded<N>_<strand>_<barcode>, with none for the barcode of
/// molecules without one.
void write_barcoded(const std::string& barcodes_path, std::uint64_t count, std::uint64_t seed,
                    const BarcodedModel& model);

}  // namespace trawl::bench
