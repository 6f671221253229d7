// Sorted records in a temporary file.
//
//   with: const std::vector<const SortedRun*>& runs
//   const auto run = spill_runs(runs, {.memory = 1 << 28, .threads = 4});   // merges them into a file
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "io/write/nameless_file.hpp"
#include "io/write/sort/sorted_merge.hpp"
#include "io/write/sort/sorted_run.hpp"

namespace trawl::io {

/// The file has BGZF blocks; each group of records begins one.
class FileRun : public SortedRun {
 public:
  FileRun() : file_("sorted records") {}

  std::uint64_t memory() const override { return SortedRun::memory() + offsets_.capacity() * sizeof(std::uint64_t); }
  std::string_view groups(std::size_t first, std::size_t last, ByteBuffer& buffer) const override;
  std::uint64_t file_bytes() const { return file_.size(); }

 private:
  friend class SpillTarget;

  NamelessFile file_;
  std::vector<std::uint64_t> offsets_;  // of the groups in the file
};

/// Merges the runs into a temporary file, as merge_runs() does. Throws IoError.
std::unique_ptr<FileRun> spill_runs(const std::vector<const SortedRun*>& runs, const MergeOptions& options);

}  // namespace trawl::io
