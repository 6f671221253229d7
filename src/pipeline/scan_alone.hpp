// The two halves of a scan by several ranks (ranks/scan_ranks.hpp): a chunk is scanned alone, on any rank and in any
// order; and the records are joined in the order of the chunks.
//
//   AloneScan scan(finder, queries, options, lines, stats);       // on each rank
//   FoundChunk found = scan.run(chunk, text);
//
//   ScanMerge merge(queries, options, write);                     // on one rank, for all chunks in order
//   merge.begin(found, true);                                     // writes the records before the chunk's text
//   ...                                                           // here the chunk's text is written
//   merge.end();
//   merge.finish();                                               // after the last chunk
//
// Most records of a chunk lie between its cuts: no record of another chunk can lie among them, so the rank that found
// them makes their lines. The others are few. They wait in a queue, with those of the neighbouring chunks.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "io/stats/scan_stats.hpp"
#include "io/write/nameless_file.hpp"
#include "io/write/record_queue.hpp"
#include "io/write/scan_lines.hpp"
#include "pipeline/scan_search.hpp"
#include "scan/report/collector.hpp"
#include "scan/report/run_joiner.hpp"
#include "sequence/contig_names.hpp"

namespace trawl::pipeline {

/// What was found in a chunk that was scanned alone, besides the text of the records between its cuts.
struct FoundChunk {
  std::uint64_t ends = 0;        // how many
  scan::ChunkParts parts;        // the runs at its cuts
  std::string loose;             // the records near its cuts, as io::append_record() writes them, in any order
  scan::ContigPlace low{0, 0};   // {contig, start}: the text comes after the records before this place
  scan::ContigPlace next{0, 0};  // {contig, key}: where the sites of the next chunk begin
};

class AloneScan {
 public:
  /// All must outlive this object. Counts the records of the texts in `stats`, and the seconds.
  AloneScan(scan::Finder& finder, const std::vector<scan::Query>& queries, const scan::ScanOptions& options,
            io::ScanLines& lines, io::ScanStats& stats);

  /// Appends the lines of the records between the cuts to `text`.
  FoundChunk run(const sequence::TextChunk& chunk, io::HeldText& text);

 private:
  ScanSearch search_;
  io::ScanLines& lines_;
  io::ScanStats& stats_;
  sequence::ContigNames contig_names_;
};

class ScanMerge {
 public:
  using Write = std::function<void(std::span<const scan::SiteRecord>)>;

  /// `write` takes the records that are in no text, in the order of the output.
  ScanMerge(const std::vector<scan::Query>& queries, const scan::ScanOptions& options, Write write);

  /// Adds the next chunk. `has_text`: some of its records are in a text, which is to be written after this call.
  void begin(FoundChunk found, bool has_text);
  /// The text is written.
  void end();
  /// After the last chunk.
  void finish();

 private:
  scan::RunJoiner joiner_;
  std::uint64_t reach_;
  Write write_;
  io::RecordQueue queue_;
  scan::ContigPlace next_{0, 0};
  std::vector<scan::SiteRecord> records_;
};

}  // namespace trawl::pipeline
