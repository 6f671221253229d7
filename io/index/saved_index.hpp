// A saved index: a reference and its seed index in one file. When it is used, the file is mapped into memory, so that
// nothing is read at the start, and processes share its pages.
//
//   SavedIndex made{fasta_identity("genome.fa"), read_reference("genome.fa")};
//   made.md5s = contig_md5s(made.reference);
//   made.seeds = std::make_shared<seed::SeedIndex>(made.reference, 8, 1);
//   OutputFile file("genome.fa.trawl");
//   save_index(made, file);
//   file.commit();
//   const SavedIndex index = open_saved_index("genome.fa.trawl");   // the same, as views of the mapped file
//   index.reference.bases() == 55
//
// What is checked. At the start: the header, all sizes and offsets, the checksums of the small sections, the contigs,
// and the gaps between them. This touches a few pages. check_saved_index() also compares the checksums of the large
// sections; reading those at each start would take longer than the index saves. If they are damaged, the seed index
// throws (seed::SeedIndex), or a read misses loci, but nothing outside the file is read. While an index is mapped, its
// file must not be cut or overwritten; replacing it, as save_index() does, is safe.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/index/fasta_identity.hpp"
#include "io/write/output_file.hpp"
#include "seed/seed_index.hpp"
#include "sequence/reference.hpp"

namespace trawl::io {

struct SavedIndex {
  FastaIdentity fasta;
  sequence::Reference reference;
  std::vector<std::string> md5s;  // one per contig, as contig_md5s() gives them
  std::shared_ptr<const seed::SeedIndex> seeds;
};

/// Receives the number of bytes written so far, and of all bytes.
using WriteProgress = std::function<void(std::uint64_t done, std::uint64_t all)>;

/// Writes the index to `file`, which the caller commits. The bytes do not depend on the number of threads. Throws
/// IoError. Returns the number of bytes.
std::uint64_t save_index(const SavedIndex& index, OutputFile& file, const WriteProgress& progress = {});

/// Whether a regular file begins as a saved index does. Does not throw: false if it cannot be read.
bool is_saved_index(const std::string& path);

/// Maps the file. Throws IoError, and InputError if the file is damaged, cut short or of another format.
SavedIndex open_saved_index(const std::string& path);

/// The same for a file in memory, which `owner` keeps alive; `path` is for messages.
SavedIndex read_saved_index(const std::string& path, std::string_view file, std::shared_ptr<const void> owner);

/// Reads the whole file and compares all checksums. Throws as open_saved_index() does.
void check_saved_index(const std::string& path);

}  // namespace trawl::io
