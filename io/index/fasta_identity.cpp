#include "io/index/fasta_identity.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <system_error>

#include "base/error.hpp"

namespace trawl::io {

FastaIdentity fasta_identity(const std::string& path) {
  FastaIdentity fasta;
  fasta.path = path;
  struct stat status {};
  if (path != "-" && ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode)) {
    std::error_code error;
    fasta.absolute_path = std::filesystem::absolute(path, error).lexically_normal().string();
    fasta.bytes = static_cast<std::uint64_t>(status.st_size);
    fasta.modified = std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
  }
  return fasta;
}

std::optional<std::string> find_fasta(const std::string& index_path, const FastaIdentity& fasta) {
  if (fasta.absolute_path.empty()) {
    return {};
  }
  const std::filesystem::path was(fasta.absolute_path);
  for (const auto& path : {std::filesystem::path(index_path).parent_path() / was.filename(), was}) {
    std::error_code error;
    if (std::filesystem::is_regular_file(path, error)) {
      return path.string();
    }
  }
  return {};
}

std::string compare_with_fasta(const std::string& index_path, const FastaIdentity& fasta) {
  const auto path = find_fasta(index_path, fasta);
  if (!path) {
    return "";
  }
  const FastaIdentity now = fasta_identity(*path);
  const std::string again = "trawl index " + *path + " -o " + index_path;
  if (now.bytes != fasta.bytes) {
    throw InputError(index_path, 0,
                     "the index was made from another " + *path + ": it had " + std::to_string(fasta.bytes) +
                         " bytes, and has " + std::to_string(now.bytes) + " now; make the index again: " + again);
  }
  if (now.modified != fasta.modified) {
    return "warning: " + *path + " has another modification time than when " + index_path +
           " was made from it; to see whether its sequences changed: trawl index --check " + index_path +
           "; if so, make the index again: " + again;
  }
  return "";
}

}  // namespace trawl::io
