// Changes the bytes of a saved index, makes its checksums fit again to test what lies behind them, and maps with it.
#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "align/alignment.hpp"
#include "io/index/index_layout.hpp"
#include "io/index/saved_index.hpp"
#include "map/options.hpp"
#include "pipeline/engine_choice.hpp"
#include "sequence/read_batch.hpp"

namespace trawl::tests {

inline io::FileHeader header_of(const std::string& file) {
  io::FileHeader header;
  std::memcpy(&header, file.data(), sizeof header);
  return header;
}

/// The sections of an undamaged file.
inline std::vector<io::IndexSection> sections_of(const std::string& file) {
  std::vector<io::IndexSection> sections(header_of(file).sections);
  std::memcpy(sections.data(), file.data() + sizeof(io::FileHeader), sections.size() * sizeof(io::IndexSection));
  return sections;
}

/// Computes the checksums again that a damaged or changed file should have. Sections that do not lie in it are left.
inline void reseal(std::string& file, const io::FileHeader& header, std::vector<io::IndexSection> sections) {
  for (io::IndexSection& section : sections) {
    if (section.begin <= file.size() && section.bytes <= file.size() - section.begin) {
      section.crc = io::parallel_crc(std::string_view(file).substr(section.begin, section.bytes));
    }
  }
  io::FileHeader sealed = header;
  sealed.table_crc = io::table_crc(sections);
  sealed.header_crc = io::header_crc(sealed);
  std::memcpy(file.data(), &sealed, sizeof sealed);
  std::memcpy(file.data() + sizeof sealed, sections.data(), sections.size() * sizeof(io::IndexSection));
}

/// Finds all loci with at most 2 edits, by the seeds of the index, on the CPU.
inline void map_reads(const io::SavedIndex& index, const std::vector<std::string>& reads) {
  map::MapOptions options;
  options.max_edits = {false, 0, 2};
  options.report = map::Report::all;
  options.search = map::SearchMethod::seeds;
  options.seeds = index.seeds;
  sequence::ReadBatch batch;
  for (const std::string& read : reads) {
    batch.add("read", read, "");
  }
  align::AlignmentBatch alignments;
  pipeline::make_engine("cpu", index.reference, options)->make_worker()->map(batch, alignments);
}

}  // namespace trawl::tests
