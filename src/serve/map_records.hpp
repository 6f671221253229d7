// The records of a query of reads, in memory, and the answer that they become: text, JSON or Arrow.
//
//   with: const MapQuery& query, const HeldReference& held, const sequence::ReadBatch& reads
//   with: const align::AlignmentBatch& found, Answer& answer
//   const auto records = make_records(query, held);
//   records->add(reads, found);
//   records->put_into(answer);
#pragma once

#include <memory>

#include "io/write/alignment_sink.hpp"
#include "serve/held_reference.hpp"
#include "serve/queries.hpp"

namespace trawl::serve {

class MapRecords {
 public:
  virtual ~MapRecords() = default;
  void add(const sequence::ReadBatch& reads, const align::AlignmentBatch& found) {
    output().write(*sink().format(reads, found));
  }
  /// For run::map_reads(): what formats records, and what takes them.
  virtual const io::AlignmentSink& sink() const = 0;
  virtual io::ChunkOutput& output() = 0;
  /// Once, at the end.
  virtual void put_into(Answer& answer) = 0;
};

/// Both must outlive the records.
std::unique_ptr<MapRecords> make_records(const MapQuery& query, const HeldReference& held);

}  // namespace trawl::serve
