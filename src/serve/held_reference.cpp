#include "serve/held_reference.hpp"

#include <unistd.h>

#include <filesystem>
#include <utility>

#include "io/read/reference_files.hpp"
#include "session/load_reference.hpp"

namespace trawl::serve {

std::string HeldReference::difference(const std::string& other) const {
  std::error_code error;
  const bool is_path = std::filesystem::equivalent(path, other, error);
  if (!is_path && !std::filesystem::equivalent(fasta, other, error)) {
    return "the server has the reference " + path + ", not " + other;
  }
  const io::FastaIdentity& read = is_path ? file : fasta_file;
  return io::fasta_identity(read.path) == read
             ? ""
             : other + " has another size or time than when the server read it; to read it again: kill -HUP " +
                   std::to_string(::getpid());
}

HeldReference hold_reference(const std::string& path, unsigned threads) {
  HeldReference held;
  held.path = path;
  held.file = io::fasta_identity(path);
  session::LoadedReference loaded = session::load_reference(path, threads);
  held.fasta = std::move(loaded.fasta);
  held.fasta_file = held.fasta == path ? held.file : io::fasta_identity(held.fasta);
  held.seeds = std::move(loaded.seeds);
  held.warnings = std::move(loaded.warnings);
  held.md5s = loaded.md5s.empty() ? io::contig_md5s(loaded.reference) : std::move(loaded.md5s);
  for (std::size_t i = 0; i < loaded.reference.contigs().size(); ++i) {
    held.chunk.slices.push_back({.contig = i});
    held.names.set(i, loaded.reference.contigs()[i].name);
    held.labels.push_back(loaded.reference.contigs()[i].name);
  }
  held.chunk.reference = std::move(loaded.reference);
  return held;
}

}  // namespace trawl::serve
