// Sorted records in a temporary file.
//
//   const auto run = spill_runs(runs, {.memory = 1 << 28, .threads = 4});   // merges them into a file
#pragma once

#include <memory>
#include <vector>

#include "io/out/nameless_file.hpp"
#include "io/out/sorted_merge.hpp"
#include "io/out/sorted_run.hpp"

namespace trawl::io {

class FileRun : public SortedRun {
 public:
  FileRun() : file_("sorted records; a larger --sort-memory needs less of it") {}

  std::string_view groups(std::size_t first, std::size_t last, ByteBuffer& buffer) const override;
  std::uint64_t file_bytes() const { return file_.size(); }

 private:
  friend class SpillTarget;

  NamelessFile file_;
};

/// Merges the runs into a temporary file, as merge_runs() does. Throws IoError.
std::unique_ptr<FileRun> spill_runs(const std::vector<const SortedRun*>& runs, const MergeOptions& options);

}  // namespace trawl::io
