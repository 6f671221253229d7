#include "pipeline/scan_pipeline.hpp"

#include <span>

#include "pipeline/scan_search.hpp"
#include "sequence/contig_names.hpp"

namespace trawl::pipeline {

namespace {

// The records that are no repetition of others at the ends of circular contigs, at their places there.
std::vector<scan::SiteRecord> unrolled(std::span<const scan::SiteRecord> records, const io::Circles& circles) {
  std::vector<scan::SiteRecord> own;
  for (const scan::SiteRecord& record : records) {
    if (const auto place = circles.place(record.contig, record.start, record.end)) {
      own.push_back(copy_of(record));
      own.back().start = place->first;
      own.back().end = place->second;
    }
  }
  return own;
}

// In so short a chunk it does not pay to search, make records and write at the same time.
constexpr std::uint64_t kFewBases = std::uint64_t{1} << 16;

}  // namespace

void scan_reference(const std::shared_ptr<io::ChunkSource>& chunks, scan::Finder& finder,
                    const std::vector<scan::Query>& queries, const scan::ScanOptions& options, io::RecordSink& sink,
                    io::Progress& progress, io::ScanStats& stats, ChunkSize* size, const io::Circles* circles,
                    bool own_threads) {
  const bool at_once = own_threads && options.threads > 1;
  ChunkReader reader(chunks, at_once);
  ScanSearch search(finder, queries, options, stats.seconds, scan::held_bytes(options.threads));
  sequence::ContigNames contig_names;
  const auto chunk_size = [&] { return size != nullptr ? std::optional(size->bases()) : std::nullopt; };
  reader.start(chunk_size());
  while (const auto chunk = reader.take()) {
    reader.start(chunk_size());
    add_contig_names(*chunk, contig_names);
    stats.reference_bases += chunk->fresh_bases();
    stats.contigs += chunk->reads ? chunk->reads->size() / (chunk->reads->paired ? 2 : 1) : 0;
    const auto write = [&](std::span<const scan::SiteRecord> records) {
      std::vector<scan::SiteRecord> own;
      if (circles != nullptr && !circles->empty()) {
        own = unrolled(records, *circles);
        records = own;
      }
      sink.write(records, contig_names);
      if (!stats.reads) {
        stats.count(records);
      }
    };
    std::uint64_t found = 0;
    if (!chunk->slices.empty()) {
      found = at_once && chunk->reference.bases() > kFewBases
                  ? search.run_and_write(*chunk, write)
                  : search.run(*chunk, [&] { search.queue().write_until(search.collector().limit(), write); });
    }
    sink.end_chunk(*chunk);
    if (size != nullptr) {
      size->learn(chunk->reference.bases(), found);
    }
    progress.update(stats.reference_bases, chunk->input_bytes);
  }
  if (stats.contigs == 0) {
    stats.contigs = contig_names.size();
  }
  if (circles != nullptr) {
    stats.reference_bases -= circles->all_repeated();
  }
  stats.seconds["read"] = reader.seconds();
}

}  // namespace trawl::pipeline
