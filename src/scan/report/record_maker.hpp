// Makes the record of a site: its alignment, and the part of the reference that it covers.
//
//   const QueryList queries = make_queries({{"p", "GATTACA"}}, ScanOptions());
//   is_exact(queries[0], 0, ScanOptions()) == true
//   exact_record(queries[0], 0, 100).end == 107
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "align/aligner.hpp"
#include "scan/find/query.hpp"
#include "scan/options.hpp"
#include "scan/report/aligned_site.hpp"
#include "scan/report/guide_alignment.hpp"
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

/// A record, and what it is compared with others by, of equally good sites.
struct MadeRecord {
  SiteRecord record;
  double cfd = 0;  // of a guide that has scores
  align::AlignedPath path;
};

/// By the rule of align/locus_path.hpp, with the larger CFD before the gaps further left.
bool goes_before(const MadeRecord& a, const MadeRecord& b);

class LocusRecordMaker {
 public:
  /// The gaps of guides' alignments (SiteRecord::gaps); kUnpacked if they do not fit.
  static constexpr std::uint64_t kUnpacked = UINT64_MAX;

  LocusRecordMaker(const sequence::TextChunk& chunk, const std::vector<Query>& queries, const ScanOptions& options);

  /// The record of a run of sites. The first site of `run` is one of the best. Of all equally good sites it takes the
  /// one that goes_before() the others; without gaps, the first. `is_compared`: with records that are made elsewhere.
  MadeRecord make(std::span<const Site> run, bool is_compared = false);

 private:
  // A guide's query in the direction of the reference.
  struct AlignedGuide {
    const Query* of = nullptr;
    sequence::PlaneBlock planes{};
    std::uint64_t other = 0;  // letters that are no bases
    bool has_scores = false;
    std::vector<std::uint8_t> letters;  // guide_sets()
  };

  align::Locus locus_of(const Site& site, const Query& query) const;
  align::AlignedPath path_of_run(std::span<const Site> run, const Query& query);
  const AlignedGuide& guide_of(const Query& query);
  void add_pam(const Query& query);
  void find_steps(const Site& site, const Query& query);
  MadeRecord make_guide(const Site& site, const Query& query, bool is_compared);
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
  GuideRules rules_;
  GuideAligner guide_aligner_;
  AlignedGuide guide_;
  std::vector<match::Step> steps_;
};

}  // namespace trawl::scan
