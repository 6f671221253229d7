// Records that wait until no record can come before them. Memory is limited: what does not fit waits in a temporary
// file.
//
//   std::vector<scan::SiteRecord> records(2);
//   records[0].start = 900;
//   RecordQueue queue(1 << 27);
//   queue.take(records);                                  // in any order; `records` is empty afterwards
//   std::size_t written = 0;
//   queue.write_until({0, 500}, [&](std::span<const scan::SiteRecord> some) { written += some.size(); });
//   written == 1                                          // the other one begins at 900
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/write/nameless_file.hpp"
#include "scan/report/record.hpp"

namespace trawl::io {

class RecordQueue {
 public:
  /// `most_bytes`: approximate limit for the records in memory.
  explicit RecordQueue(std::uint64_t most_bytes) : most_bytes_(most_bytes) {}

  /// Throws IoError if the temporary file fails.
  void take(std::vector<scan::SiteRecord>& records);
  /// The same for many.
  void take(std::span<std::vector<scan::SiteRecord>> pieces);

  /// Passes the records that begin before {contig, start} to `write`, in output order, some at a time. Throws IoError,
  /// and what `write` throws.
  void write_until(const std::pair<std::uint64_t, std::uint64_t>& limit,
                   const std::function<void(std::span<const scan::SiteRecord>)>& write);

  /// Bytes written to the temporary file so far.
  std::uint64_t spilled_bytes() const { return spilled_bytes_; }

 private:
  // A sorted part of the file.
  struct Spill {
    std::uint64_t at = 0;   // offset of what follows the buffer
    std::uint64_t end = 0;  // offset in the file
    std::string buffer;
    std::size_t used = 0;  // bytes of the buffer
    scan::SiteRecord first;
    bool is_empty = false;
  };

  // A record in memory.
  struct QueuedRecord {
    std::uint64_t contig;
    std::uint64_t start;
    std::size_t number;  // in the order in which the records came
    scan::SiteRecord* record;
  };

  void sort();
  void keep_from(std::size_t place);
  void spill();
  void advance(Spill& spill);
  void merge_until(const std::pair<std::uint64_t, std::uint64_t>& limit,
                   const std::function<void(std::span<const scan::SiteRecord>)>& write);

  std::uint64_t most_bytes_;
  std::vector<std::vector<scan::SiteRecord>> pieces_;  // as they were taken
  std::vector<QueuedRecord> order_;      // the records of pieces_ in the order of the output, after sort()
  std::vector<scan::SiteRecord> batch_;  // what is written now
  std::uint64_t bytes_ = 0;              // of pieces_
  std::unique_ptr<NamelessFile> file_;
  std::vector<Spill> spills_;
  std::uint64_t spilled_bytes_ = 0;
};

}  // namespace trawl::io
