// Records that wait until nothing can come before them, in bounded memory: what does not fit waits in a temporary file.
//
//   RecordQueue queue(1 << 27);
//   queue.take(records);                                  // in any order; leaves `records` empty
//   queue.write_until({contig, start}, [&](std::span<const scan::Record> some) { sink.write(some, names); });
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/out/nameless_file.hpp"
#include "scan/report/record.hpp"

namespace trawl::io {

class RecordQueue {
 public:
  /// `most_bytes`: of the records in memory, about.
  explicit RecordQueue(std::uint64_t most_bytes) : most_bytes_(most_bytes) {}

  /// Throws IoError where the temporary file fails.
  void take(std::vector<scan::Record>& records);

  /// Gives to `write`, in the order of the output and some at a time, the records that begin before {contig, start}.
  /// Throws IoError, and what `write` throws.
  void write_until(const std::pair<std::uint64_t, std::uint64_t>& limit,
                   const std::function<void(std::span<const scan::Record>)>& write);

  /// Bytes that were written to the temporary file so far.
  std::uint64_t spilled_bytes() const { return spilled_bytes_; }

 private:
  // Records in the file, in order.
  struct Spill {
    std::uint64_t at = 0;   // of what follows the buffer
    std::uint64_t end = 0;  // in the file
    std::string buffer;
    std::size_t used = 0;  // of the buffer
    scan::Record first;
    bool is_empty = false;
  };

  void sort();
  void spill();
  void advance(Spill& spill);
  void merge_until(const std::pair<std::uint64_t, std::uint64_t>& limit,
                   const std::function<void(std::span<const scan::Record>)>& write);

  std::uint64_t most_bytes_;
  std::vector<scan::Record> waiting_;
  std::uint64_t bytes_ = 0;  // of waiting_
  std::unique_ptr<NamelessFile> file_;
  std::vector<Spill> spills_;
  std::uint64_t spilled_bytes_ = 0;
};

}  // namespace trawl::io
