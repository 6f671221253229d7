// Hand-made alignments for the tests of the sinks, and what was written, read back.
#pragma once

#include <htslib/sam.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "align/alignment.hpp"
#include "io/read/reference_files.hpp"
#include "io/write/alignment_sink.hpp"
#include "io/write/sam_header.hpp"
#include "sequence/read_batch.hpp"
#include "session/map_session.hpp"
#include "tests/catch.hpp"
#include "tests/unit/io/files.hpp"

namespace trawl::test {

using align::Alignment;
using align::AlignmentBatch;
using align::ReadResult;
using io::SinkOptions;
using sequence::ReadBatch;
using sequence::Reference;
using session::make_sink;

/// A batch and its results. Alignments that belong to pairs are placed before the mates are added:
///   const auto a = in.place(...), b = in.place(...);
///   in.read("name", ...); in.read("name", ...);
///   in.pair(PairKind::concordant, {{a, b}});
struct Input {
  ReadBatch reads;
  AlignmentBatch alignments;

  void read(const std::string& name, const std::string& bases, const std::string& qualities, std::uint32_t best = 0,
            std::optional<std::uint32_t> next = 0, std::uint32_t dropped = 0) {
    reads.add(name, bases, qualities);
    ReadResult result;
    result.first = alignments.alignments.size();
    result.best_count = best;
    result.next_count = next.value_or(0);
    result.next_known = next.has_value();
    result.dropped = dropped;
    alignments.reads.push_back(result);
  }
  /// Adds an alignment of the last read, alone.
  void align(std::uint32_t contig, std::uint64_t start, bool reverse, const std::vector<std::uint32_t>& cigar,
             const std::string& md, std::uint16_t distance, std::uint8_t mapq, std::uint16_t ambiguous_matches = 0) {
    place(contig, start, reverse, cigar, md, distance, mapq, ambiguous_matches);
    ++alignments.reads.back().count;
  }
  /// Adds another piece of a read; the pieces of one read one after the other. Returns its index.
  std::uint32_t supplement(std::size_t read, std::uint32_t contig, std::uint64_t start, bool reverse,
                           const std::vector<std::uint32_t>& cigar, const std::string& md, std::uint16_t distance,
                           std::uint8_t mapq) {
    const std::uint32_t index = place(contig, start, reverse, cigar, md, distance, mapq);
    ReadResult& result = alignments.reads[read];
    if (result.supplementary_count++ == 0) {
      result.supplementary = index;
    }
    return index;
  }
  /// The last two reads are mates.
  void pair(align::PairKind kind, const std::vector<std::array<std::uint32_t, 2>>& concordant = {},
            std::uint32_t dropped = 0) {
    align::PairResult result;
    result.kind = kind;
    result.first = alignments.concordant_pairs.size();
    result.count = static_cast<std::uint32_t>(concordant.size());
    result.dropped = dropped;
    for (const auto& mates : concordant) {
      alignments.concordant_pairs.push_back({{mates[0], mates[1]}});
    }
    alignments.pairs.push_back(result);
    reads.paired = true;
  }
  /// Adds an alignment for a pair; returns its index.
  std::uint32_t place(std::uint32_t contig, std::uint64_t start, bool reverse, const std::vector<std::uint32_t>& cigar,
                      const std::string& md, std::uint16_t distance, std::uint8_t mapq,
                      std::uint16_t ambiguous_matches = 0) {
    Alignment a;
    a.contig = contig;
    a.start = start;
    a.reverse = reverse;
    a.distance = distance;
    a.edits = static_cast<std::uint16_t>(distance + ambiguous_matches);
    a.mapq = mapq;
    a.cigar = alignments.cigar.size();
    a.cigar_length = static_cast<std::uint32_t>(cigar.size());
    std::int32_t aligned = 0;
    bool clipped = false;
    for (const auto element : cigar) {
      const std::uint32_t op = element & 15;
      a.span += op == BAM_CINS || op == BAM_CSOFT_CLIP ? 0 : element >> 4;
      aligned += op == BAM_CDEL || op == BAM_CSOFT_CLIP ? 0 : static_cast<std::int32_t>(element >> 4);
      clipped |= op == BAM_CSOFT_CLIP;
    }
    a.score = clipped ? aligned - 5 * distance : -std::int32_t{distance};
    alignments.cigar.insert(alignments.cigar.end(), cigar.begin(), cigar.end());
    a.md = alignments.md.size();
    a.md_length = static_cast<std::uint32_t>(md.size());
    alignments.md += md;
    alignments.alignments.push_back(a);
    return static_cast<std::uint32_t>(alignments.alignments.size() - 1);
  }
};

inline constexpr std::uint32_t op(std::uint32_t length, std::uint32_t code) { return length << 4 | code; }

inline SinkOptions options_for(const std::string& path) {
  SinkOptions options;
  options.path = path;
  options.version = "9.8";
  options.command_line = "trawl map 'a b' c";
  return options;
}

/// Gives a sink one batch.
inline void put(io::AlignmentSink& sink, const ReadBatch& reads, const AlignmentBatch& alignments) {
  const auto chunk = sink.format(reads, alignments);
  sink.place(*chunk);
  sink.pack(*chunk);
  sink.write(*chunk);
}

inline void write_all(const SinkOptions& options, const Reference& reference, const Input& input, int times = 1) {
  auto sink = make_sink(options, reference, trawl::io::contig_md5s(reference));
  for (int i = 0; i < times; ++i) {
    put(*sink, input.reads, input.alignments);
  }
  sink->close();
}

//                                  1234567890123456789012345678901234567890
inline constexpr char kTwoContigs[] =
    ">c1\nACGTTGCAAGCTTAGGCATCCGATTACGGATCCATGCAAT\n"
    ">c2\nGGATTACCAGTCATTGCCAA\n";

// The lines of a file of kTwoContigs, without those of a header. `set(options)` changes what is written.
template <class Set>
std::string records_of(const Input& input, const std::string& format, const Set& set) {
  const TempDir dir;
  auto options = options_for(dir.path("out." + format));
  set(options);
  write_all(options, io::read_reference(dir.write("r.fa", kTwoContigs)), input);
  std::istringstream lines(file_content(options.path));
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    out += line[0] == '@' ? "" : line + "\n";
  }
  return out;
}

// Header and records as htslib reads them.
inline std::string read_back(const std::string& path, const std::string& fasta) {
  samFile* file = sam_open(path.c_str(), "r");
  REQUIRE(file != nullptr);
  hts_set_fai_filename(file, fasta.c_str());
  sam_hdr_t* header = sam_hdr_read(file);
  REQUIRE(header != nullptr);
  std::string text = sam_hdr_str(header);
  bam1_t* record = bam_init1();
  kstring_t line = KS_INITIALIZE;
  int status = 0;
  while ((status = sam_read1(file, header, record)) >= 0) {
    REQUIRE(sam_format1(header, record, &line) >= 0);
    text.append(line.s, line.l) += '\n';
  }
  CHECK(status == -1);
  ks_free(&line);
  bam_destroy1(record);
  sam_hdr_destroy(header);
  sam_close(file);
  return text;
}

// CRAM gives the tags in another order.
inline std::string with_sorted_tags(const std::string& text) {
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::vector<std::string> all;
    for (std::string field; std::getline(fields, field, '\t');) {
      all.push_back(field);
    }
    if (line[0] != '@') {
      std::sort(all.begin() + 11, all.end());
    }
    for (const auto& field : all) {
      out += field + "\t";
    }
    out += "\n";
  }
  return out;
}

}  // namespace trawl::test
