// Where the records of `trawl scan` go: a file of places; or, with --per-read best, a row and a file for each read.
//
//   with: const io::ScanSinkOptions& output, const scan::PatternList& patterns
//   FileTarget target(output, patterns, {});
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "io/read/chunk_source.hpp"
#include "io/stats/scan_stats.hpp"
#include "io/write/read_call_table.hpp"
#include "io/write/read_folder.hpp"
#include "io/write/scan_sink.hpp"
#include "pipeline/read_calls.hpp"
#include "scan/options.hpp"
#include "scan/report/record.hpp"
#include "session/haplotype_scan.hpp"

namespace trawl::session {

class ScanTarget : public io::RecordSink {
 public:
  /// All of `chunks` was searched: completes the files. Throws IoError.
  virtual void close(const io::ChunkSource& chunks) = 0;
};

class FileTarget final : public ScanTarget {
 public:
  /// `others`: records between those of the reference. Throws UsageError, IoError.
  FileTarget(const io::ScanSinkOptions& options, const scan::PatternList& patterns, std::vector<scan::Record> others)
      : file_(options, patterns), others_(std::move(others)), merged_(file_, others_) {}

  void write(std::span<const scan::Record> records, const sequence::ContigNames& names) override {
    merged_.write(records, names);
  }
  void close(const io::ChunkSource& chunks) override {
    sequence::ContigNames names;
    for (const sequence::Contig& contig : chunks.contigs()) {
      names.set(names.size(), contig.name);
    }
    merged_.finish(names);
    file_.close(chunks.contigs(), chunks.md5s());
  }
  /// For lines that are made already.
  io::ScanSink& file() { return file_; }

 private:
  io::ScanSink file_;
  std::vector<scan::Record> others_;
  MergingSink merged_;
};

class CallTarget final : public ScanTarget {
 public:
  /// Those that are not given are not written. Counts the calls in `stats`, which must outlive this object. Throws
  /// UsageError, IoError.
  CallTarget(const scan::CallRule& rule, const std::optional<io::ScanSinkOptions>& table,
             const std::optional<io::ReadFolderOptions>& folder, const scan::PatternList& patterns,
             io::ScanStats& stats)
      : calls_(rule, [this, &stats](const sequence::ReadBatch& reads, std::span<const scan::ReadCall> of_them) {
          if (table_) {
            table_->write(reads, of_them);
          }
          if (folder_) {
            folder_->write(reads, of_them);
          }
          stats.count(of_them);
        }) {
    if (table) {
      table_.emplace(*table, patterns);
    }
    if (folder) {
      folder_.emplace(*folder, patterns);
    }
    stats.reads.emplace();
  }

  void write(std::span<const scan::Record> records, const sequence::ContigNames& names) override {
    calls_.write(records, names);
  }
  void end_chunk(const sequence::TextChunk& chunk) override { calls_.end_chunk(chunk); }
  void close(const io::ChunkSource&) override {
    if (folder_) {
      folder_->close();
    }
    if (table_) {
      table_->close();
    }
  }

 private:
  std::optional<io::ReadCallTable> table_;
  std::optional<io::ReadFolder> folder_;
  pipeline::ReadCalls calls_;
};

}  // namespace trawl::session
