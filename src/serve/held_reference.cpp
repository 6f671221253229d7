#include "serve/held_reference.hpp"

#include <filesystem>
#include <utility>

#include "io/read/reference_files.hpp"
#include "session/load_reference.hpp"

namespace trawl::serve {

bool HeldReference::is_file(const std::string& other) const {
  std::error_code error;
  return std::filesystem::equivalent(path, other, error) || std::filesystem::equivalent(fasta, other, error);
}

HeldReference hold_reference(const std::string& path, unsigned threads) {
  session::LoadedReference loaded = session::load_reference(path, threads);
  HeldReference held;
  held.path = path;
  held.fasta = std::move(loaded.fasta);
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
