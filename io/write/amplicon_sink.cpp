#include "io/write/amplicon_sink.hpp"

#include <algorithm>
#include <string_view>

#include "base/append_number.hpp"
#include "io/format/table_cell.hpp"
#include "io/write/scan_lines.hpp"
#include "sequence/alphabet.hpp"
#include "sequence/copy_letters.hpp"

namespace trawl::io {
namespace {

constexpr const char* kHeader =
    "contig\tstart\tend\tpair\tstrand\tsize\tleft\tleft_edits\tleft_cigar\tleft_text\tright\tright_edits\tright_cigar\t"
    "right_text\tsequence\texpected\tpool\tleft_tm\tright_tm";

TableFile open_table(const std::string& path, int compression_level) {
  const ScanFormat format = scan_format(path);
  return {path, level_of(format, compression_level), separator(format)};
}

}  // namespace

ScanFormat amplicon_format(const std::string& path) {
  constexpr ScanFormat formats[] = {ScanFormat::tsv, ScanFormat::tsv_gz, ScanFormat::bed, ScanFormat::bed_gz};
  const auto extension = extension_of(path, {".tsv", ".tsv.gz", ".bed", ".bed.gz"}, "BED");
  return extension ? formats[*extension] : ScanFormat::bed;
}

AmpliconSink::AmpliconSink(const ScanSinkOptions& options, const scan::PrimerPool& pool,
                           const std::vector<std::uint32_t>& groups, const scan::AmpliconSizes& sizes,
                           const scan::MeltingConditions& conditions, const sequence::Reference& reference,
                           const std::string& mispriming, const std::map<std::uint64_t, std::uint64_t>& circles)
    : format_(amplicon_format(options.path)),
      pool_(pool),
      reference_(reference),
      finder_(pool, groups, sizes, circles),
      table_(options.path, level_of(format_, options.compression_level), '\t'),
      counts_{.of_primers = std::vector<PrimerCounts>(pool.size()),
              .expected_of = std::vector<std::uint64_t>(pool.amplicons().size())} {
  for (const auto [name, bases] : pool.patterns()) {
    append_fixed(melting_.emplace_back(), scan::melting_temperature(bases, conditions), 1);
  }
  if (!mispriming.empty()) {
    ScanSinkOptions others = options;
    others.path = mispriming;
    mispriming_.emplace(others, pool.patterns());
  }
  if (is_table(format_)) {
    table_.cell(kHeader).end_line();
  }
}

void AmpliconSink::write(std::span<const scan::SiteRecord> records, const sequence::ContigNames& contig_names) {
  count_places(records, contig_names);
  finder_.add(records);
  take();
}

void AmpliconSink::count_places(std::span<const scan::SiteRecord> records, const sequence::ContigNames& contig_names) {
  std::vector<scan::SiteRecord> others;
  for (const scan::SiteRecord& record : records) {
    const bool is_own = pool_[record.pattern].is_place(record.contig, record.start, record.end, record.reverse);
    ++counts_.of_primers[record.pattern].places;
    counts_.of_primers[record.pattern].own_places += is_own ? 1 : 0;
    counts_.other_places += is_own ? 0 : 1;
    if (mispriming_ && !is_own) {
      others.push_back(copy_of(record));
    }
  }
  if (!others.empty()) {
    mispriming_->write(others, contig_names);
  }
}

bool AmpliconSink::is_expected(const scan::Amplicon& amplicon) const {
  const auto fits = [&](const scan::PrimerSite& site) { return !pool_[site.pattern].place || site.is_own; };
  return pool_.are_partners(amplicon.left->pattern, amplicon.right->pattern) && fits(*amplicon.left) &&
         fits(*amplicon.right);
}

// '.': the sides of the primers are the same, or not known.
char AmpliconSink::strand(const scan::Amplicon& amplicon) const {
  const scan::PrimerSide left = pool_[amplicon.left->pattern].side;
  const scan::PrimerSide right = pool_[amplicon.right->pattern].side;
  return left == right || left == scan::PrimerSide::unknown || right == scan::PrimerSide::unknown ? '.'
         : left == scan::PrimerSide::left                                                         ? '+'
                                                                                                  : '-';
}

void AmpliconSink::take() {
  finder_.take([&](const scan::Amplicon& amplicon) {
    const bool expected = is_expected(amplicon);
    table_.cell(reference_.contigs()[amplicon.contig].name).number(amplicon.start()).number(amplicon.end());
    if (is_table(format_)) {
      put_tsv(amplicon, expected);
    } else {
      put_bed(amplicon, expected);
    }
    table_.end_line();
    ++counts_.amplicons;
    counts_.expected += expected ? 1 : 0;
    const std::uint32_t left = amplicon.left->pattern;
    const std::uint32_t right = amplicon.right->pattern;
    const auto count = [&](PrimerCounts& primer) {
      ++primer.products;
      primer.expected += expected ? 1 : 0;
    };
    count(counts_.of_primers[left]);
    if (right != left) {
      count(counts_.of_primers[right]);
    }
    if (expected) {
      ++counts_.expected_of[*pool_[left].amplicon];
    }
  });
}

void AmpliconSink::put_bed(const scan::Amplicon& amplicon, bool is_expected) {
  const std::uint64_t edits = std::uint64_t{amplicon.left->distance} + amplicon.right->distance;
  const sequence::Pattern left = pool_.patterns()[amplicon.left->pattern];
  const sequence::Pattern right = pool_.patterns()[amplicon.right->pattern];
  std::string room, name;
  if (pool_.is_table_of_pairs && pool_[amplicon.left->pattern].amplicon == pool_[amplicon.right->pattern].amplicon) {
    name = plain_name(left.name, room);
  } else if (is_expected) {
    name = plain_name(pool_.amplicons()[*pool_[amplicon.left->pattern].amplicon], room);
  } else {
    name = plain_name(primer_name(pool_, amplicon.left->pattern), room);
    name.append("/").append(plain_name(primer_name(pool_, amplicon.right->pattern), room));
  }
  table_.cell(name).number(1000 - 1000 * edits / (left.bases.size() + right.bases.size()));
  table_.cell(std::string(1, strand(amplicon))).number(amplicon.left->distance).number(amplicon.right->distance);
}

void AmpliconSink::put_tsv(const scan::Amplicon& amplicon, bool is_expected) {
  const scan::Primer& left = pool_[amplicon.left->pattern];
  const scan::Primer& right = pool_[amplicon.right->pattern];
  const bool is_pair = left.amplicon && left.amplicon == right.amplicon;
  table_.cell(is_pair ? std::string_view(pool_.amplicons()[*left.amplicon]) : ".");
  table_.cell(std::string(1, strand(amplicon))).number(amplicon.size());
  for (const auto* site : {amplicon.left.get(), amplicon.right.get()}) {
    if (pool_.is_table_of_pairs && is_pair) {
      table_.cell(pool_[site->pattern].side == scan::PrimerSide::right ? "reverse" : "forward");
    } else {
      table_.cell(primer_name(pool_, site->pattern));
    }
    table_.number(site->distance).cell(site->cigar).cell(site->text);
  }
  put_sequence(amplicon);
  table_.cell(is_expected ? "yes" : "no");
  table_.cell(left.pool && left.pool == right.pool ? std::string_view(pool_.pools()[*left.pool]) : ".");
  table_.cell(melting_[amplicon.left->pattern]).cell(melting_[amplicon.right->pattern]);
}

// From the forward primer to the reverse primer.
void AmpliconSink::put_sequence(const scan::Amplicon& amplicon) {
  letters_.resize(amplicon.size());
  const sequence::Contig& contig = reference_.contigs()[amplicon.contig];
  // Of a circular contig, the product may go on at its begin.
  const std::uint64_t before = std::min<std::uint64_t>(letters_.size(), contig.length - amplicon.start());
  sequence::copy_letters(reference_, contig.offset + amplicon.start(), before, letters_.data());
  sequence::copy_letters(reference_, contig.offset, letters_.size() - before, letters_.data() + before);
  table_.cell(strand(amplicon) == '-' ? sequence::reverse_complement(letters_) : letters_);
}

void AmpliconSink::close() {
  finder_.finish();
  take();
  table_.close();
  if (mispriming_) {
    mispriming_->close(reference_.contigs(), {});
  }
}

std::string primer_name(const scan::PrimerPool& pool, std::uint32_t primer) {
  std::string name(pool.patterns()[primer].name);
  if (pool.is_table_of_pairs) {
    name += pool[primer].side == scan::PrimerSide::right ? "_reverse" : "_forward";
  }
  return name;
}

void write_primer_table(const PrimerTable& table, const std::string& path, int compression_level) {
  TableFile text = open_table(path, compression_level);
  for (const char* column : {"primer", "amplicon", "side", "pool", "sequence", "length", "gc", "tm", "places",
                             "own_places", "products", "expected_products", "dimers", "dimer_energy", "dimer_with"}) {
    text.cell(column);
  }
  text.end_line();
  const scan::PrimerPool& pool = table.pool;
  // Of each primer, extended or copied: how many dimers it has, and the most stable one, which comes first.
  std::vector<std::uint64_t> dimers(pool.size(), 0);
  std::vector<const scan::PrimerDimer*> firmest(pool.size(), nullptr);
  for (const scan::PrimerDimer& dimer : table.dimers) {
    const auto take = [&](std::uint32_t primer) {
      ++dimers[primer];
      firmest[primer] = firmest[primer] == nullptr ? &dimer : firmest[primer];
    };
    take(dimer.primer);
    if (dimer.copied_from != dimer.primer) {
      take(dimer.copied_from);
    }
  }
  for (std::uint32_t p = 0; p < pool.size(); ++p) {
    const auto [name, bases] = pool.patterns()[p];
    const scan::Primer& primer = pool[p];
    const PrimerCounts& counts = table.counts[p];
    text.cell(primer_name(pool, p));
    text.cell(primer.amplicon ? std::string_view(pool.amplicons()[*primer.amplicon]) : ".");
    text.cell(primer.side == scan::PrimerSide::left ? "left" : primer.side == scan::PrimerSide::right ? "right" : ".");
    text.cell(primer.pool ? std::string_view(pool.pools()[*primer.pool]) : ".");
    text.cell(bases).number(bases.size()).fixed(100 * scan::gc_share(bases), 1);
    text.fixed(scan::melting_temperature(bases, table.conditions), 1).number(counts.places);
    if (primer.place) {
      text.number(counts.own_places);
    } else {
      text.cell(".");
    }
    text.number(counts.products).number(counts.expected).number(dimers[p]);
    if (const scan::PrimerDimer* dimer = firmest[p]; dimer != nullptr) {
      text.fixed(dimer->energy, 2).cell(primer_name(pool, dimer->primer == p ? dimer->copied_from : dimer->primer));
    } else {
      text.cell(".").cell(".");
    }
    text.end_line();
  }
  text.close();
}

void write_dimer_table(const PrimerTable& table, const std::string& path, int compression_level) {
  TableFile text = open_table(path, compression_level);
  for (const char* column : {"primer", "copied_from", "pool", "energy", "bases", "end", "extension"}) {
    text.cell(column);
  }
  text.end_line();
  const scan::PrimerPool& pool = table.pool;
  for (const scan::PrimerDimer& dimer : table.dimers) {
    const std::string_view bases = pool.patterns()[dimer.primer].bases;
    const scan::Primer& primer = pool[dimer.primer];
    text.cell(primer_name(pool, dimer.primer)).cell(primer_name(pool, dimer.copied_from));
    text.cell(primer.pool && primer.pool == pool[dimer.copied_from].pool ? std::string_view(pool.pools()[*primer.pool])
                                                                         : ".");
    text.fixed(dimer.energy, 2).number(dimer.bases).cell(bases.substr(bases.size() - dimer.bases));
    text.number(dimer.extension);
    text.end_line();
  }
  text.close();
}

}  // namespace trawl::io
