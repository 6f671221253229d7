#include "results.hpp"

#include <algorithm>

#include "trawl/error.hpp"

namespace trawl::python {

namespace {

Labels strands() {
  static const Labels both = std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"+", "-"});
  return both;
}

std::string_view text_of(const Texts& texts, const InputTexts* given, std::size_t read, const char* what) {
  if (given != nullptr && read < given->size()) return given->texts()[read];
  if (read < texts.size()) return texts[read];
  throw UsageError("there are no " + std::string(what) + " of read " + std::to_string(read));
}

template <class T>
void extend(std::vector<T>& all, const std::vector<T>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

/// Offsets of parts that follow what is there already.
void extend_offsets(std::vector<std::uint64_t>& all, const std::vector<std::uint64_t>& more) {
  const std::uint64_t shift = all.back();
  for (std::size_t i = 1; i < more.size(); ++i) all.push_back(more[i] + shift);
}

void extend(Texts& all, const Texts& more) {
  extend_offsets(all.offset, more.offset);
  all.text += more.text;
}

void extend(Cigars& all, const Cigars& more) {
  extend_offsets(all.offset, more.offset);
  extend(all.elements, more.elements);
}

}  // namespace

struct AlignmentTable::Rows {
  Alignments found;
  std::vector<std::int8_t> strand;  // 0: forward, 1: reverse, -1: not found
  Texts names;                      // by row
};

AlignmentTable::AlignmentTable(Alignments given, Labels contig_names, bool has_pairs,
                               std::shared_ptr<InputTexts> reads, std::shared_ptr<InputTexts> qualities)
    : contigs(std::move(contig_names)), reads_(std::move(reads)), qualities_(std::move(qualities)) {
  auto made = std::make_shared<Rows>();
  made->found = std::move(given);
  const Alignments& found = made->found;
  rows = found.size();
  made->strand.resize(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    made->strand[row] = static_cast<std::int8_t>(found.is_found(row) ? found.is_reverse(row) : -1);
  }
  if (!found.names.text.empty()) {
    for (const std::uint32_t read : found.read) made->names.add(found.names[read]);
  }
  columns.emplace_back("read", found.read);
  if (!found.names.text.empty()) columns.emplace_back("name", made->names);
  columns.emplace_back("contig", found.contig, true, contigs);
  columns.emplace_back("start", found.start, true);
  columns.emplace_back("end", found.end, true);
  columns.emplace_back("strand", made->strand, true, strands());
  columns.emplace_back("distance", found.distance);
  columns.emplace_back("mapq", found.mapq);
  columns.emplace_back("cigar", found.cigar);
  columns.emplace_back("flag", found.flag);
  columns.emplace_back("edits", found.edits);
  columns.emplace_back("score", found.score);
  columns.emplace_back("count", found.count);
  columns.emplace_back("dropped", found.dropped);
  if (has_pairs) {
    columns.emplace_back("mate_contig", found.mate_contig, true, contigs);
    columns.emplace_back("mate_start", found.mate_start, true);
    columns.emplace_back("template_length", found.template_length);
  }
  columns.emplace_back("md", found.md);
  rows_ = std::move(made);
  owner = rows_;
}

std::string_view AlignmentTable::name(std::size_t read) const {
  const Texts& names = rows_->found.names;
  return read < names.size() ? names[read] : std::string_view();
}

std::string_view AlignmentTable::bases(std::size_t read) const {
  return text_of(rows_->found.bases, reads_.get(), read, "bases");
}

std::string_view AlignmentTable::qualities(std::size_t read) const {
  if (reads_ != nullptr && qualities_ == nullptr) return {};
  return text_of(rows_->found.qualities, qualities_.get(), read, "qualities");
}

SiteTable::SiteTable(Hits given, std::shared_ptr<const std::vector<Pattern>> searched, Labels pattern_names)
    : patterns(std::move(searched)) {
  columns.reserve(13);
  if (given.contigs.empty()) given.contigs = {""};
  const auto found = std::make_shared<const Hits>(std::move(given));
  contigs = Labels(found, &found->contigs);
  rows = found->size();
  columns.emplace_back("pattern", found->pattern);
  columns.emplace_back("name", found->pattern, false, std::move(pattern_names));
  columns.emplace_back("contig", found->contig, false, contigs);
  columns.emplace_back("start", found->start);
  columns.emplace_back("end", found->end);
  columns.emplace_back("strand", found->reverse, false, strands());
  columns.emplace_back("distance", found->distance);
  columns.emplace_back("mismatches", found->mismatches);
  columns.emplace_back("dna_bulges", found->dna_bulges);
  columns.emplace_back("rna_bulges", found->rna_bulges);
  columns.emplace_back("edits", found->edits);
  columns.emplace_back("cigar", found->cigar);
  columns.emplace_back("sequence", found->sequence);
  owner = found;
}

void append(Alignments& all, const Alignments& more) {
  const auto first = static_cast<std::uint32_t>(all.names.size());
  for (const std::uint32_t read : more.read) all.read.push_back(read + first);
  extend(all.contig, more.contig);
  extend(all.start, more.start);
  extend(all.end, more.end);
  extend(all.flag, more.flag);
  extend(all.distance, more.distance);
  extend(all.edits, more.edits);
  extend(all.score, more.score);
  extend(all.mapq, more.mapq);
  extend(all.count, more.count);
  extend(all.dropped, more.dropped);
  extend(all.mate_contig, more.mate_contig);
  extend(all.mate_start, more.mate_start);
  extend(all.template_length, more.template_length);
  extend(all.cigar, more.cigar);
  extend(all.md, more.md);
  extend(all.names, more.names);
  extend(all.bases, more.bases);
  extend(all.qualities, more.qualities);
}

void append(Hits& all, const Hits& more) {
  extend(all.pattern, more.pattern);
  extend(all.contig, more.contig);
  extend(all.start, more.start);
  extend(all.end, more.end);
  extend(all.reverse, more.reverse);
  extend(all.distance, more.distance);
  extend(all.edits, more.edits);
  extend(all.mismatches, more.mismatches);
  extend(all.dna_bulges, more.dna_bulges);
  extend(all.rna_bulges, more.rna_bulges);
  extend(all.cigar, more.cigar);
  extend(all.sequence, more.sequence);
  all.contigs = more.contigs;
}

}  // namespace trawl::python
