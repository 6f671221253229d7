// Makes the record of a site: its alignment, and the part of the reference that it covers.
//
//   const QueryList queries = make_queries({{"p", "GATTACA"}}, ScanOptions());
//   is_exact(queries[0], 0, ScanOptions()) == true
//   exact_record(queries[0], 0, 100).end == 107
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "align/aligner.hpp"
#include "scan/find/query.hpp"
#include "scan/options.hpp"
#include "scan/report/guide_alignment.hpp"
#include "scan/report/guide_lanes.hpp"
#include "scan/report/guide_text.hpp"
#include "scan/report/record.hpp"
#include "scan/report/site.hpp"
#include "sequence/text_chunk.hpp"

namespace trawl::scan {

/// Whether a match of the query is as the query is written, letter by letter. Its record needs no alignment, and no
/// end near it is a better one.
inline bool is_exact(const Query& query, std::uint32_t distance, const ScanOptions& options) {
  return distance == 0 && query.is_literal && !query.has_pam() && !options.ambiguous_matches;
}

/// The record of an exact match that begins at `start` of a contig.
inline SiteRecord exact_record(const Query& query, std::uint64_t contig, std::uint64_t start) {
  SiteRecord record;
  record.contig = contig;
  record.start = start;
  record.end = start + query.length();
  record.pattern = query.pattern;
  record.reverse = query.reverse;
  return record;
}

/// A record, and the path of its alignment if it must be compared with others.
struct MadeRecord {
  SiteRecord record;
  align::AlignedPath path;
};

class LocusRecordMaker {
 public:
  /// The gaps of guides' alignments (SiteRecord::gaps); kUnpacked if they do not fit.
  static constexpr std::uint64_t kUnpacked = UINT64_MAX;

  LocusRecordMaker(const sequence::TextChunk& chunk, const std::vector<Query>& queries, const ScanOptions& options);

  /// Aligns the guides of many sites at once. make() knows them by their addresses.
  void prepare(std::span<const Site> sites);

  /// The record of a run of sites. The first site of `run` is one of the best. Of all equally good sites it takes the
  /// one with the best path by the rule of align/locus_path.hpp; without gaps, the first.
  /// `with_path`: for a run that goes on elsewhere.
  MadeRecord make(std::span<const Site> run, bool with_path = false);

 private:
  // A guide's query in the direction of the reference.
  struct AlignedGuide {
    const Query* of = nullptr;
    sequence::PlaneBlock planes{};
    std::uint64_t other = 0;            // letters that are no bases
    std::vector<std::uint8_t> letters;  // guide_sets()
  };

  // Sites whose guides are in lanes.
  struct InLanes {
    explicit InLanes(const GuideLimits& limits) : lanes(limits) {}

    GuideLanes lanes;
    std::vector<std::size_t> sites;
  };

  static constexpr std::uint64_t kUnknown = kUnpacked - 1;

  align::Locus locus_of(const Site& site, const Query& query) const;
  align::AlignedPath path_of_run(std::span<const Site> run, const Query& query);
  const AlignedGuide& guide_of(const Query& query);
  void add_pam(const Query& query);
  void find_steps(const Site& site, const Query& query);
  std::uint64_t prepared_gaps(const Site& site) const;
  align::AlignedPath path_of_guide(const Site& site, const Query& query);
  const Site& best_guide(std::span<const Site> run, const Query& query);
  SiteRecord guide_record(const Site& site, const Query& query);
  std::uint64_t gaps_of(const Site& site, const Query& query);
  SiteRecord pack(const Site& site, const Query& query, const sequence::PlaneBlock& text, std::uint64_t gaps);
  SiteRecord describe(const Site& site, const Query& query, const align::AlignedPath& path);
  const sequence::EncodedRead& encoded(const Query& query);

  const sequence::TextChunk& chunk_;
  const std::vector<Query>& queries_;
  const ScanOptions& options_;
  align::Aligner aligner_;
  align::AlignmentBatch batch_;
  sequence::EncodedRead encoded_;
  const Query* is_encoded_ = nullptr;  // the query of encoded_
  GuideText text_;
  GuideAligner guide_aligner_;
  AlignedGuide guide_;
  std::vector<match::Step> steps_;
  std::array<InLanes, 2> in_lanes_;  // PAM last, and first
  std::span<const Site> prepared_;
  std::vector<std::uint64_t> gaps_;  // of prepared_
};

}  // namespace trawl::scan
