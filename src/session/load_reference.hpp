// The reference of a run, from a FASTA or from a saved index.
//
//   LoadedReference loaded = load_reference("genome.fa.trawl", 8);
//   for (const std::string& warning : loaded.warnings) { ... }
//   auto engine = choice.make(loaded.reference, loaded.seeds);
//
// Or contig by contig, for a search that needs no index:
//
//   ReferenceStream stream = open_reference(io::read_samples("genome.fa"), 8);
//   io::FastaChunks chunks(std::move(stream.contigs), {}, 8);
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/read/fasta_stream.hpp"
#include "io/read/read_input.hpp"
#include "io/read/read_samples.hpp"
#include "io/read/reference_files.hpp"
#include "seed/seed_index.hpp"
#include "sequence/reference.hpp"

namespace trawl::session {

struct LoadedReference {
  sequence::Reference reference;
  std::string fasta;                             // as given: now, or when the index was made
  std::vector<std::string> md5s;                 // of a saved index; of a FASTA they are not computed here
  std::shared_ptr<const seed::SeedIndex> seeds;  // of a saved index
  std::vector<std::string> warnings;
  std::shared_ptr<const io::ContigFiles> files = nullptr;  // of several files: which contig is from which
};

/// What is done with circular contigs.
enum class CircularUse {
  none,      // there may be none in a saved index: what is repeated there would be found twice
  letters,   // only the letters of contigs are asked for
  repeated,  // what is repeated of them is in LoadedReference::reference.searched()
};

struct CircularContigsRule {
  CircularUse use = CircularUse::none;
  std::vector<std::string> names = {};  // with CircularUse::repeated: of circular contigs that are not marked as such
};

/// `path`: a FASTA, a 2bit file, several of them (io::reference_files()) or a saved index, whatever its name. Throws
/// InputError, IoError; UsageError for a name that no contig has. `renames_contigs`: as io::TextOptions; here and
/// below.
LoadedReference load_reference(const std::string& path, unsigned threads, const CircularContigsRule& circular = {},
                               bool renames_contigs = false);

/// Longer reads are not found over the origin of a circular contig.
inline constexpr std::uint64_t kMostOverOrigin = 65024;

/// How many letters of a circular contig of `length` are repeated on each side for reads that are not longer than it.
constexpr std::uint64_t repeated_for_reads(std::uint64_t length) {
  constexpr std::uint64_t kForEdits = 512;
  return (std::min(length, kMostOverOrigin) + kForEdits + 63) / 64 * 64;
}

/// A reference that is read contig by contig.
struct ReferenceStream {
  std::unique_ptr<io::ContigSource> contigs;  // null: reads
  std::optional<std::uint64_t> bytes;         // how many will be read, if known; of a saved index its bases
  std::string fasta;                          // as given: now, or when the index was made
  std::vector<std::string> warnings;
  std::unique_ptr<io::ReadInput> reads = nullptr;
  std::vector<std::string> read_headers = {};        // of reads in SAM, BAM or CRAM
  std::shared_ptr<io::ContigFiles> files = nullptr;  // of several files: which contig, or read, is from which
};

/// Which files are taken for reads: none; FASTQ; or FASTQ and FASTA.
enum class AsReads { none, fastq, all };

/// `input`: as for load_reference(), or reads, which files of samples always are. `names_may_repeat`: contigs of two
/// files may have the same name. The files of reads must be recorded in `files`, if it is there, by what reads them.
/// Throws InputError, IoError.
ReferenceStream open_reference(const io::ReadSamples& input, unsigned threads, AsReads reads = AsReads::none,
                               bool names_may_repeat = false, bool renames_contigs = false);

/// Reads, with their comments. `name`: of the input; `opened`: their first file, if it is open. Throws InputError,
/// IoError.
ReferenceStream open_reads(io::ReadInput::Files files, const std::string& name, unsigned threads,
                           std::unique_ptr<io::InputFile> opened = nullptr);

/// The contigs of a reference in memory. Its letters are shared.
ReferenceStream stream_of(std::shared_ptr<const sequence::Reference> reference, std::string fasta);

/// Where the FASTA of a reference is now, for programs that read it, too. `path`: as for load_reference(). "-" if it
/// was read from the standard input. Throws InputError, IoError.
std::string fasta_file(const std::string& path);

}  // namespace trawl::session
