#include "scan/report/record_maker.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "align/cigar.hpp"
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

}  // namespace

RecordMaker::RecordMaker(const sequence::TextChunk& chunk, const std::vector<Query>& queries, const Options& options)
    : chunk_(chunk),
      queries_(queries),
      options_(options),
      aligner_(chunk.reference, options.ambiguous_matches, false),
      guide_paths_(options.max_edits, options.max_mismatches, options.max_bulges) {}

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
    SiteFinder::load_guide_text(chunk_, query, options_, site, false, window_, text_);
    guide_paths_.find(guide_, text_, site.distance, pam_first, steps_);
  }
  const auto of_guide = static_cast<std::uint64_t>(
      std::count_if(steps_.begin(), steps_.end(), [](match::Step step) { return step != match::Step::insertion; }));
  steps_.insert(pam_first ? steps_.begin() : steps_.end(), query.pam_first + query.pam_last, match::Step::diagonal);
  return path_of(steps_, SiteFinder::pam_position(chunk_, query, options_, site) - (pam_first ? 0 : of_guide));
}

RecordMaker::Made RecordMaker::make(std::span<const Site> run) {
  const Site& best = run.front();
  const Query& query = queries_[best.query];
  Made made;
  if (is_exact(query, best.distance, options_)) {
    made.record = exact_record(query, chunk_.slices[best.slice].contig, best.key + 1 - query.length());
    return made;
  }
  const Site* taken = &best;
  if (query.has_pam()) {
    made.path = path_of_guide(best, query);
    for (const Site& other : run.subspan(best.has_bulges() ? 1 : run.size())) {
      if (other.rank() == best.rank()) {
        if (auto path = path_of_guide(other, query); align::goes_before(path, made.path)) {
          made.path = std::move(path);
          taken = &other;
        }
      }
    }
  } else if (options_.metric == Metric::hamming) {
    made.path = {locus_of(best, query).end + 1 - query.length(), {{match::Step::diagonal, query.length()}}};
  } else {
    made.path =
        aligner_.find_path(locus_of(best, query), encoded(query), options_.max_edits, locus_of(run.back(), query).end);
  }
  made.record = describe(*taken, query, made.path);
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
