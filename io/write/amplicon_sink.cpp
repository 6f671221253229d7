#include "io/write/amplicon_sink.hpp"

#include <algorithm>
#include <string_view>

#include "base/append_number.hpp"
#include "io/format/table_cell.hpp"
#include "io/write/primer_tables.hpp"
#include "sequence/alphabet.hpp"
#include "sequence/copy_letters.hpp"

namespace trawl::io {
namespace {

constexpr const char* kHeader =
    "contig\tstart\tend\tpair\tstrand\tsize\tleft\tleft_edits\tleft_cigar\tleft_text\tright\tright_edits\tright_cigar\t"
    "right_text\tsequence\texpected\tpool\tleft_tm\tright_tm";

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
      of_primers_(pool.size()),
      expected_of_(pool.amplicons().size()) {
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

void AmpliconSink::write(std::span<const scan::Record> records, const sequence::ContigNames& contig_names) {
  count_places(records, contig_names);
  finder_.add(records);
  take();
}

void AmpliconSink::count_places(std::span<const scan::Record> records, const sequence::ContigNames& contig_names) {
  std::vector<scan::Record> others;
  for (const scan::Record& record : records) {
    const bool is_own = pool_[record.pattern].is_place(record.contig, record.start, record.end, record.reverse);
    ++of_primers_[record.pattern].places;
    of_primers_[record.pattern].own_places += is_own ? 1 : 0;
    other_places_ += is_own ? 0 : 1;
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
    ++amplicons_;
    expected_ += expected ? 1 : 0;
    const std::uint32_t left = amplicon.left->pattern;
    const std::uint32_t right = amplicon.right->pattern;
    const auto count = [&](PrimerCounts& primer) {
      ++primer.products;
      primer.expected += expected ? 1 : 0;
    };
    count(of_primers_[left]);
    if (right != left) {
      count(of_primers_[right]);
    }
    if (expected) {
      ++expected_of_[*pool_[left].amplicon];
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

}  // namespace trawl::io
