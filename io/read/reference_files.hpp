// A reference of one file or of several: FASTA and 2bit; or one that is in memory.
//
//   with: const TextOptions& options
//   reference_files("a.fa,b.2bit") == std::vector<std::string>{"a.fa", "b.2bit"}   // unless a file has this name
//   reference_files("genome.fa") == std::vector<std::string>{"genome.fa"}
//   const auto contigs = open_contigs({"a.fa", "b.2bit"}, options);
//   while (const auto piece = contigs->next()) { ... }
//   read_reference("genome.fa").contigs().size() == 2
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/read/fasta_stream.hpp"
#include "io/read/letter_md5.hpp"  // IWYU pragma: export
#include "sequence/reference.hpp"

namespace trawl::io {

/// The files that a name stands for: those of the lines of a file (`@list.txt`), or those between commas. Otherwise the
/// name itself. Throws InputError for a list without files, IoError.
std::vector<std::string> reference_files(const std::string& name);

/// Whether reference_files() has more than the name itself.
bool is_list_of_files(const std::string& name);

/// Says from which file a contig is. Threads may ask while contigs are read.
class ContigFiles {
 public:
  /// The contigs from this number on.
  void begin(std::uint64_t contig, const std::string& file) {
    const std::lock_guard lock(changing_);
    begins_.emplace_back(contig, file);
  }
  std::string_view of(std::uint64_t contig) const;

 private:
  mutable std::mutex changing_;
  std::deque<std::pair<std::uint64_t, std::string>> begins_;  // in which a name stays where it is
};

/// The contigs of a file, or of several, one after the other. Several are opened when they are needed, but whether they
/// exist is checked at once. `files`: gets the files of the contigs. `names_may_repeat`: contigs of two files may have
/// the same name. Throws InputError, IoError.
std::unique_ptr<ContigSource> open_contigs(const std::vector<std::string>& paths, const TextOptions& options,
                                           std::shared_ptr<ContigFiles> files = nullptr, bool names_may_repeat = false);

/// The letters of a reference in memory, for example of a saved index, piece by piece, as a FASTA would give them.
/// Here, a letter counts as a byte of input.
std::unique_ptr<ContigSource> contigs_of(std::shared_ptr<const sequence::Reference> reference);

/// Reads a plain, gzip or BGZF FASTA, the standard input ("-"), a 2bit file, or several files (reference_files()).
/// Throws InputError (with the line) or IoError. SAM cannot have contigs of length 0, so they are left out; then
/// `warnings`, if given, gets one line about it.
sequence::Reference read_reference(const std::string& path, std::vector<std::string>* warnings = nullptr,
                                   const TextOptions& options = {});

/// The same; searched() of the result has the repeated letters of circular contigs, too (CircularContigs). `files`: as
/// for open_contigs().
sequence::Reference read_circular(const std::string& path, const std::vector<std::string>& names,
                                  const std::function<std::uint64_t(std::uint64_t)>& repeated,
                                  std::vector<std::string>* warnings, const TextOptions& options = {},
                                  std::shared_ptr<ContigFiles> files = nullptr);

/// The full path of the FASTA, for htslib to find it again; empty if it cannot read it: no file, or ordinary gzip.
std::string reference_for_htslib(const std::string& fasta);

/// For CRAM: the first place that htslib cannot read in one of the FASTA files, or reads as other letters, with what is
/// there: lines of one sequence that differ in length, a byte order mark, U. "" if there is none. Reads the files.
std::string fault_for_htslib(const std::vector<std::string>& fastas);

}  // namespace trawl::io
