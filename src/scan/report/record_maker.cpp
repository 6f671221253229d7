#include "scan/report/record_maker.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "align/cigar.hpp"
#include "base/bits.hpp"
#include "sequence/alphabet.hpp"

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

// As Record::gaps.
std::uint32_t packed_gaps(const align::AlignedPath& path) {
  std::uint32_t gaps = 0, match = 0;
  unsigned count = 0;
  for (const align::AlignedRun& run : path.runs) {
    if (run.step == match::Step::diagonal) {
      match += run.length;
      continue;
    }
    if (count == kPackedGaps || match > kMostPackedMatch || run.length > kMostPackedGap) {
      return RecordMaker::kUnpacked;
    }
    gaps |= packed_gap(match, run.step == match::Step::insertion, run.length) << (kPackedGapBits * count++);
    match = 0;
  }
  return gaps;
}

constexpr std::uint64_t low_bits(std::uint32_t count) { return count == 0 ? 0 : ~std::uint64_t{0} >> (64 - count); }

}  // namespace

RecordMaker::RecordMaker(const sequence::TextChunk& chunk, const std::vector<Query>& queries, const Options& options,
                         KnownGaps* known)
    : chunk_(chunk),
      queries_(queries),
      options_(options),
      known_(known),
      aligner_(chunk.reference, options.ambiguous_matches, false),
      guide_paths_(guide_limits(options)) {}

align::Locus RecordMaker::locus_of(const Site& site, const Query& query) const {
  const std::uint64_t end = site.key - chunk_.slices[site.slice].begin + chunk_.reference.contigs()[site.slice].offset;
  return {end, site.distance, query.reverse};
}

align::AlignedPath RecordMaker::path_of_guide(const Site& site, const Query& query) {
  const bool pam_first = query.pam_first > 0;
  if (!site.has_bulges()) {
    steps_.assign(query.guide_length(), match::Step::diagonal);
  } else {
    if (is_guide_ != &query) {
      load_guide(query, false, guide_);
      is_guide_ = &query;
    }
    if (sequence::PlaneBlock text; SiteFinder::letters_at(
            chunk_, query, options_, SiteFinder::pam_position(chunk_, query, options_, site), text)) {
      SiteFinder::load_guide_text(text, query, options_, false, text_);
    } else {
      SiteFinder::load_guide_text(chunk_, query, options_, site, false, window_, text_);
    }
    guide_paths_.find(guide_, text_, site.distance, pam_first, steps_);
  }
  const auto of_guide = static_cast<std::uint64_t>(
      std::count_if(steps_.begin(), steps_.end(), [](match::Step step) { return step != match::Step::insertion; }));
  steps_.insert(pam_first ? steps_.begin() : steps_.end(), query.pam_first + query.pam_last, match::Step::diagonal);
  return path_of(steps_, SiteFinder::pam_position(chunk_, query, options_, site) - (pam_first ? 0 : of_guide));
}

// Of the best sites the one whose alignment has the best path.
const Site& RecordMaker::best_guide(std::span<const Site> run, const Query& query) {
  const Site* best = &run.front();
  if (!best->has_bulges()) {
    return *best;
  }
  align::AlignedPath path;
  for (const Site& other : run.subspan(1)) {
    if (other.rank() == best->rank()) {
      if (path.runs.empty()) {
        path = path_of_guide(*best, query);
      }
      if (auto of_other = path_of_guide(other, query); align::goes_before(of_other, path)) {
        path = std::move(of_other);
        best = &other;
      }
    }
  }
  return *best;
}

std::uint32_t RecordMaker::gaps_of(const Site& site, const Query& query, const sequence::PlaneBlock& text) {
  if (!site.has_bulges()) {
    return 0;
  }
  const sequence::PlaneBlock beside = SiteFinder::without_pam(text, query, options_);
  if (known_ != nullptr) {
    if (const auto gaps = known_->find(site.query, beside)) {
      return *gaps;
    }
  }
  const std::uint32_t gaps = packed_gaps(path_of_guide(site, query));
  if (known_ != nullptr) {
    known_->put(site.query, beside, gaps);
  }
  return gaps;
}

Record RecordMaker::guide_record(const Site& site, const Query& query) {
  if (sequence::PlaneBlock text;
      SiteFinder::letters_at(chunk_, query, options_, SiteFinder::pam_position(chunk_, query, options_, site), text)) {
    if (const std::uint32_t gaps = gaps_of(site, query, text); gaps != kUnpacked) {
      return pack(site, query, text, gaps);
    }
  }
  return describe(site, query, path_of_guide(site, query));
}

// The record of an alignment whose letters are all bases. `text`: SiteFinder::letters_at().
Record RecordMaker::pack(const Site& site, const Query& query, const sequence::PlaneBlock& text, std::uint32_t gaps) {
  if (planes_.of != &query) {
    planes_ = {&query};
    for (std::uint32_t i = 0; i < query.length(); ++i) {
      const std::uint64_t code = sequence::base_code(query.bases[i]);
      planes_.other |= std::uint64_t{code == sequence::kAmbiguous} << i;
      planes_.high |= (code >> 1 & 1) << i;
      planes_.low |= (code & 1) << i;
    }
  }
  const auto& slice = chunk_.slices[site.slice];
  Record record;
  for (std::uint32_t left = gaps; left != 0; left >>= kPackedGapBits) {
    const auto length = static_cast<std::uint16_t>((left >> 7) & kMostPackedGap);
    std::uint16_t& bulges = (left >> 6 & 1) != 0 ? record.rna_bulges : record.dna_bulges;
    bulges = static_cast<std::uint16_t>(bulges + length);
  }
  const std::uint32_t letters = query.length() + record.dna_bulges - record.rna_bulges;
  // The letters begin with the PAM, or end with it.
  const std::uint32_t before = query.pam_last > 0 ? query.length() + options_.max_bulges - letters : 0;
  const std::uint64_t pam = SiteFinder::pam_position(chunk_, query, options_, site) -
                            chunk_.reference.contigs()[site.slice].offset + slice.begin;
  record.contig = slice.contig;
  record.start = query.pam_last > 0 ? pam + query.pam_last - letters : pam;
  record.end = record.start + letters;
  record.pattern = query.pattern;
  record.reverse = query.reverse;
  record.distance = site.distance;
  record.mismatches = static_cast<std::uint16_t>(site.distance - record.rna_bulges - record.dna_bulges);
  record.is_packed = true;
  record.gaps = gaps;
  record.high = text.high >> before & low_bits(letters);
  record.low = text.low >> before & low_bits(letters);
  std::uint32_t edits = 0, in_query = 0, in_text = 0;
  for_each_packed_run(gaps, letters, [&](char op, std::uint32_t length) {
    if (op == 'M') {
      const std::uint64_t differ = (planes_.high >> in_query ^ record.high >> in_text) |
                                   (planes_.low >> in_query ^ record.low >> in_text) | planes_.other >> in_query;
      edits += popcount(differ & low_bits(length));
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
align::AlignedPath RecordMaker::path_of_run(std::span<const Site> run, const Query& query) {
  const Site& best = run.front();
  if (options_.metric == Metric::hamming) {
    return {locus_of(best, query).end + 1 - query.length(), {{match::Step::diagonal, query.length()}}};
  }
  return aligner_.find_path(locus_of(best, query), encoded(query), options_.max_edits, locus_of(run.back(), query).end);
}

Record RecordMaker::make(std::span<const Site> run) {
  const Site& best = run.front();
  const Query& query = queries_[best.query];
  if (query.has_pam()) {
    return guide_record(best_guide(run, query), query);
  }
  if (is_exact(query, best.distance, options_)) {
    return exact_record(query, chunk_.slices[best.slice].contig, best.key + 1 - query.length());
  }
  return describe(best, query, path_of_run(run, query));
}

MadeRecord RecordMaker::make_with_path(std::span<const Site> run) {
  const Site& best = run.front();
  const Query& query = queries_[best.query];
  MadeRecord made;
  if (query.has_pam()) {
    const Site& taken = best_guide(run, query);
    made.path = path_of_guide(taken, query);
    made.record = guide_record(taken, query);
  } else if (is_exact(query, best.distance, options_)) {
    made.record = exact_record(query, chunk_.slices[best.slice].contig, best.key + 1 - query.length());
  } else {
    made.path = path_of_run(run, query);
    made.record = describe(best, query, made.path);
  }
  return made;
}

const sequence::EncodedRead& RecordMaker::encoded(const Query& query) {
  if (is_encoded_ != &query) {
    encoded_.encode(query.bases, true);
    is_encoded_ = &query;
  }
  return encoded_;
}

Record RecordMaker::describe(const Site& site, const Query& query, const align::AlignedPath& path) {
  const auto& slice = chunk_.slices[site.slice];
  batch_.clear();
  const align::Alignment alignment =
      aligner_.describe({path.start, site.distance, query.reverse}, encoded(query), path, batch_);
  Record record;
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
