// A reference of one file or of several: FASTA and 2bit; or one that is in memory.
//
//   with: const TextBlocks::Options& options
//   reference_files("a.fa,b.2bit") == std::vector<std::string>{"a.fa", "b.2bit"}   // unless a file has this name
//   reference_files("genome.fa") == std::vector<std::string>{"genome.fa"}
//   const auto contigs = open_contigs({"a.fa", "b.2bit"}, options);
//   while (const auto piece = contigs->next()) { ... }
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/read/fasta_stream.hpp"
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

/// The contigs of a file, or of several, one after the other. Several are opened when they are needed; but that they
/// exist is checked at once. `files`: is told the files of the contigs. `names_may_repeat`: contigs of two files may
/// have the same name. Throws InputError, IoError.
std::unique_ptr<ContigSource> open_contigs(const std::vector<std::string>& paths, const TextBlocks::Options& options,
                                           std::shared_ptr<ContigFiles> files = nullptr, bool names_may_repeat = false);

/// The letters of a reference in memory, for example of a saved index, piece by piece, as a FASTA would give them.
class IndexContigs final : public ContigSource {
 public:
  explicit IndexContigs(std::shared_ptr<const sequence::Reference> reference) : reference_(std::move(reference)) {}

  std::optional<ContigPiece> next() override;
  /// Here, a letter counts as a byte.
  std::uint64_t consumed(std::uint64_t unused) const override { return letters_ - unused; }
  std::string warning() const override { return ""; }

 private:
  std::shared_ptr<const sequence::Reference> reference_;
  std::size_t contig_ = 0;     // the one whose letters come next
  std::uint64_t done_ = 0;     // its letters so far
  std::uint64_t letters_ = 0;  // of all contigs so far
};

}  // namespace trawl::io
