#include "scan/report/record_maker.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "align/cigar.hpp"
#include "base/bits.hpp"
#include "sequence/alphabet.hpp"
#include "sequence/packed_letters.hpp"

namespace trawl::scan {

namespace {

align::AlignedPath path_of(const std::vector<match::Step>& steps, std::uint64_t start) {
  align::AlignedPath path{start, {}};
  auto& runs = path.runs;
  for (const match::Step step : steps) {
    if (!runs.empty() && runs.back().step == step) {
      ++runs.back().length;
    } else {
      runs.push_back({step, 1});
    }
  }
  return path;
}

// As SiteRecord::gaps; kUnpacked if they do not fit.
std::uint64_t packed_gaps(const std::vector<match::Step>& steps) {
  std::uint64_t gaps = 0;
  std::uint32_t match = 0;
  unsigned count = 0;
  for (std::size_t s = 0, last; s < steps.size(); s = last) {
    last = s + 1;
    while (last < steps.size() && steps[last] == steps[s]) {
      ++last;
    }
    const auto length = static_cast<std::uint32_t>(last - s);
    if (steps[s] == match::Step::diagonal) {
      match = length;
      continue;
    }
    if (count == kPackedGaps || match > kMostPackedMatch || length > kMostPackedGap) {
      return LocusRecordMaker::kUnpacked;
    }
    gaps |= packed_gap(match, steps[s] == match::Step::insertion, length) << (kPackedGapBits * count++);
    match = 0;
  }
  return gaps;
}

// Of SiteRecord::gaps: the bases in DNA bulges and in RNA bulges.
std::pair<std::uint16_t, std::uint16_t> packed_bulges(std::uint64_t gaps) {
  std::uint16_t of_kind[2] = {0, 0};
  for (; gaps != 0; gaps >>= kPackedGapBits) {
    std::uint16_t& bulges = of_kind[gaps >> 6 & 1];
    bulges = static_cast<std::uint16_t>(bulges + (gaps >> 7 & kMostPackedGap));
  }
  return {of_kind[0], of_kind[1]};
}

}  // namespace

LocusRecordMaker::LocusRecordMaker(const sequence::TextChunk& chunk, const std::vector<Query>& queries,
                                   const ScanOptions& options)
    : chunk_(chunk),
      queries_(queries),
      options_(options),
      aligner_(chunk.reference, options.ambiguous_matches, false, true, true),
      text_(chunk, options),
      rules_{options.pam, options.ambiguous_matches},
      guide_aligner_(guide_limits(options)) {}

align::Locus LocusRecordMaker::locus_of(const Site& site, const Query& query) const {
  const std::uint64_t end = site.key - chunk_.slices[site.slice].begin + chunk_.reference.contigs()[site.slice].offset;
  return {end, site.distance, query.reverse};
}

const LocusRecordMaker::AlignedGuide& LocusRecordMaker::guide_of(const Query& query) {
  if (guide_.of != &query) {
    guide_ = {&query, sequence::planes_of(query.bases.substr(0, 64)), 0,
              has_scores(query.bases.substr(query.pam_first, query.guide_length()), options_.pam),
              guide_sets(query, false)};
    for (std::uint32_t i = 0; i < std::min(query.length(), 64u); ++i) {
      guide_.other |= std::uint64_t{sequence::base_code(query.bases[i]) == sequence::kAmbiguous} << i;
    }
  }
  return guide_;
}

void LocusRecordMaker::add_pam(const Query& query) {
  steps_.insert(query.pam_first > 0 ? steps_.begin() : steps_.end(), query.pam_first + query.pam_last,
                match::Step::diagonal);
}

// The steps of a guide and its PAM.
void LocusRecordMaker::find_steps(const Site& site, const Query& query) {
  if (!site.has_bulges()) {
    steps_.assign(query.length(), match::Step::diagonal);
    return;
  }
  const AlignedGuide& guide = guide_of(query);
  guide_aligner_.find_steps(guide.letters, text_.beside(query, site, false), site.distance, query.pam_first > 0,
                            guide.has_scores, steps_);
  add_pam(query);
}

MadeRecord LocusRecordMaker::make_guide(const Site& site, const Query& query, bool is_compared) {
  find_steps(site, query);
  const auto text = text_.plain_letters(query, text_.pam_position(query, site));
  const std::uint64_t gaps = packed_gaps(steps_);
  const bool is_packed = text && gaps != kUnpacked;
  MadeRecord made;
  if (is_compared || !is_packed) {
    const auto letters = static_cast<std::uint64_t>(
        std::count_if(steps_.begin(), steps_.end(), [](match::Step step) { return step != match::Step::insertion; }));
    const std::uint64_t before = query.pam_first > 0 ? 0 : letters - query.pam_last;
    made.path = path_of(steps_, text_.pam_position(query, site) - before);
  }
  made.record = is_packed ? pack(site, query, *text, gaps) : describe(site, query, made.path);
  if (is_compared && guide_of(query).has_scores) {
    const auto guide = std::string(query.bases.substr(query.pam_first, query.guide_length()));
    AlignedSite aligned(rules_);
    RecordTexts room;
    aligned.align(made.record, made.record.texts_or({}, room, false),
                  query.reverse ? sequence::reverse_complement(guide) : guide);
    made.cfd = aligned.scores ? aligned.scores->cfd : 0;
  }
  return made;
}

// The record of an alignment whose letters are all bases. `text`: GuideText::plain_letters().
SiteRecord LocusRecordMaker::pack(const Site& site, const Query& query, const sequence::PlaneBlock& text,
                                  std::uint64_t gaps) {
  const AlignedGuide& guide = guide_of(query);
  SiteRecord record;
  std::tie(record.dna_bulges, record.rna_bulges) = packed_bulges(gaps);
  const std::uint32_t letters = query.length() + record.dna_bulges - record.rna_bulges;
  // The letters begin with the PAM, or end with it.
  const std::uint32_t before = query.pam_last > 0 ? query.length() + options_.max_bulges - letters : 0;
  const std::uint64_t pam = pam_of_key(query, options_, site.key);
  record.contig = chunk_.slices[site.slice].contig;
  record.start = query.pam_last > 0 ? pam + query.pam_last - letters : pam;
  record.end = record.start + letters;
  record.pattern = query.pattern;
  record.reverse = query.reverse;
  record.distance = site.distance;
  record.mismatches = static_cast<std::uint16_t>(site.distance - record.rna_bulges - record.dna_bulges);
  record.is_packed = true;
  record.gaps = gaps;
  record.high = text.high >> before & sequence::low_ones(letters);
  record.low = text.low >> before & sequence::low_ones(letters);
  std::uint32_t edits = 0, in_query = 0, in_text = 0;
  for_each_packed_run(gaps, letters, [&](char op, std::uint32_t length) {
    if (op == 'M') {
      const std::uint64_t differ = (guide.planes.high >> in_query ^ record.high >> in_text) |
                                   (guide.planes.low >> in_query ^ record.low >> in_text) | guide.other >> in_query;
      edits += popcount(differ & sequence::low_ones(length));
    } else {
      edits += length;
    }
    in_query += op == 'D' ? 0 : length;
    in_text += op == 'I' ? 0 : length;
  });
  record.edits = static_cast<std::uint16_t>(edits);
  return record;
}

// Of a query that has no PAM, and is no exact match.
align::AlignedPath LocusRecordMaker::path_of_run(std::span<const Site> run, const Query& query) {
  const Site& best = run.front();
  if (options_.metric == Metric::hamming) {
    return {locus_of(best, query).end + 1 - query.length(), {{match::Step::diagonal, query.length()}}};
  }
  return aligner_.find_path(locus_of(best, query), encoded(query), options_.max_edits, locus_of(run.back(), query).end);
}

bool goes_before(const MadeRecord& a, const MadeRecord& b) {
  const align::PathRank rank_a = align::rank_of(a.path), rank_b = align::rank_of(b.path);
  const bool same = !(rank_a < rank_b) && !(rank_b < rank_a);
  return same && a.cfd != b.cfd ? a.cfd > b.cfd : align::goes_before(a.path, b.path);
}

MadeRecord LocusRecordMaker::make(std::span<const Site> run, bool is_compared) {
  const Site& best = run.front();
  const Query& query = queries_[best.query];
  if (query.has_pam()) {
    const auto others = run.subspan(best.has_bulges() ? 1 : run.size());
    const auto is_equal = [&](const Site& other) { return other.rank() == best.rank(); };
    is_compared = is_compared || std::any_of(others.begin(), others.end(), is_equal);
    MadeRecord made = make_guide(best, query, is_compared);
    for (const Site& other : others) {
      if (is_equal(other)) {
        if (MadeRecord of_other = make_guide(other, query, true); goes_before(of_other, made)) {
          made = std::move(of_other);
        }
      }
    }
    return made;
  }
  MadeRecord made;
  if (is_exact(query, best.distance, options_)) {
    made.record = exact_record(query, chunk_.slices[best.slice].contig, best.key + 1 - query.length());
  } else {
    made.path = path_of_run(run, query);
    made.record = describe(best, query, made.path);
  }
  return made;
}

const sequence::EncodedRead& LocusRecordMaker::encoded(const Query& query) {
  if (is_encoded_ != &query) {
    encoded_.encode(query.bases, true);
    is_encoded_ = &query;
  }
  return encoded_;
}

SiteRecord LocusRecordMaker::describe(const Site& site, const Query& query, const align::AlignedPath& path) {
  const auto& slice = chunk_.slices[site.slice];
  batch_.clear();
  const align::Alignment alignment =
      aligner_.describe({path.start, site.distance, query.reverse}, encoded(query), path, batch_);
  SiteRecord record;
  record.contig = slice.contig;
  record.start = slice.begin + alignment.start;
  record.end = record.start + alignment.span;
  record.pattern = query.pattern;
  record.reverse = query.reverse;
  record.distance = site.distance;
  record.edits = alignment.edits;
  record.texts = std::make_unique<RecordTexts>();
  align::append_cigar(record.texts->cigar, batch_.cigar_of(alignment), alignment.cigar_length);
  for (std::uint32_t c = 0; c < alignment.cigar_length; ++c) {
    const std::uint32_t element = batch_.cigar_of(alignment)[c];
    const auto length = element >> 4;
    const auto op = static_cast<align::CigarOp>(element & 15u);
    if (op == align::CigarOp::insertion) {
      record.rna_bulges = static_cast<std::uint16_t>(record.rna_bulges + length);
    } else if (op == align::CigarOp::deletion) {
      record.dna_bulges = static_cast<std::uint16_t>(record.dna_bulges + length);
    }
  }
  record.mismatches = static_cast<std::uint16_t>(record.distance - record.rna_bulges - record.dna_bulges);
  record.texts->md = batch_.md_of(alignment);
  const std::uint64_t first = chunk_.reference.contigs()[site.slice].offset + alignment.start;
  for (std::uint32_t i = 0; i < alignment.span; ++i) {
    record.texts->text += chunk_.reference.letter(first + i);
  }
  if (query.reverse) {
    record.texts->text = sequence::reverse_complement(record.texts->text);
  }
  return record;
}

}  // namespace trawl::scan
