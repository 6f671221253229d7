#include "scan/report/record_maker.hpp"

#include <algorithm>
#include <string>

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
      guide_aligner_(options.max_edits, options.max_mismatches, options.max_bulges) {}

align::Alignment RecordMaker::align_guide(const Site& site, const Query& query) {
  const auto guide = guide_sets(query);
  SiteFinder::load_guide_text(chunk_, query, options_, site, window_, text_);
  const GuideScore score = guide_aligner_.align(guide, text_).value();
  // Gaps are left-aligned on the reference: where the PAM comes first, that is near it.
  guide_aligner_.trace(guide, text_, score, query.pam_first > 0, steps_);
  steps_.insert(steps_.begin(), query.pam_first + query.pam_last, match::Step::diagonal);
  std::uint64_t position = SiteFinder::pam_position(chunk_, query, options_, site);
  if (query.pam_last > 0) {
    std::reverse(steps_.begin(), steps_.end());
    position -= score.text_length;
  }
  const std::uint64_t end = position + query.pam_first + query.pam_last + score.text_length - 1;
  return aligner_.describe({end, site.distance, query.reverse}, query.read, path_of(steps_, position), batch_);
}

align::Alignment RecordMaker::align(const Site& site, const Query& query) {
  if (query.has_pam()) {
    return align_guide(site, query);
  }
  const std::uint64_t end = site.key - chunk_.pieces[site.piece].begin + chunk_.reference.contigs()[site.piece].offset;
  const align::Locus locus{end, site.distance, query.reverse};
  if (options_.metric == Metric::hamming) {
    const align::AlignedPath whole{end + 1 - query.length(), {{match::Step::diagonal, query.length()}}};
    return aligner_.describe(locus, query.read, whole, batch_);
  }
  return aligner_.describe(locus, query.read, aligner_.find_path_to_end(locus, query.read), batch_);
}

Record RecordMaker::make(const Site& site) {
  const Query& query = queries_[site.query];
  const auto& piece = chunk_.pieces[site.piece];
  batch_.clear();
  const align::Alignment alignment = align(site, query);
  Record record;
  record.contig = piece.contig;
  record.start = piece.begin + alignment.start;
  record.end = record.start + alignment.span;
  record.pattern = query.pattern;
  record.reverse = query.reverse;
  record.distance = site.distance;
  record.edits = alignment.edits;
  align::append_cigar(record.cigar, batch_.cigar_of(alignment), alignment.cigar_length);
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
  record.md = batch_.md_of(alignment);
  const std::uint64_t first = chunk_.reference.contigs()[site.piece].offset + alignment.start;
  for (std::uint32_t i = 0; i < alignment.span; ++i) {
    record.text += chunk_.reference.letter(first + i);
  }
  if (query.reverse) {
    record.text = sequence::reverse_complement(record.text);
  }
  return record;
}

}  // namespace trawl::scan
