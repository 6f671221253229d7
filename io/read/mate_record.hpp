// Whether two reads are the mates of a pair, and what is wrong if they are not.
//
//   with: const ReadSource& source, const sequence::ReadBatch& batch
//   const std::size_t length = common_name_length({source, batch, 0}, {source, batch, 1}, true);
//   batch.name(0).substr(0, length) == batch.name(1).substr(0, length)
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "io/read/read_source.hpp"
#include "sequence/read_batch.hpp"

namespace trawl::io {

/// A mate with its place in the input.
struct MateRecord {
  const ReadSource& source;
  const sequence::ReadBatch& batch;
  std::size_t read;

  std::string file() const { return source.file_name(batch.origin(read).file); }
  std::uint64_t line() const { return batch.origin(read).line; }
  /// As it is in the file, also if it is not checked yet.
  std::string name() const;
};

/// A name without /1 (mate 1) or /2 (mate 2) at its end.
///   name_without_mate("read7/1", 1) == "read7"
///   name_without_mate("read7/2", 1) == "read7/2"
std::string_view name_without_mate(std::string_view name, unsigned mate);

/// Whether a read and the next one have the same name, but for /1 and /2.
bool have_one_name(const sequence::ReadBatch& reads, std::size_t read);

/// Throws unless the two are mates by their names; returns the common length of their names.
std::size_t common_name_length(const MateRecord& first, const MateRecord& second, bool interleaved);

}  // namespace trawl::io
