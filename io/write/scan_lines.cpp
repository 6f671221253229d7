#include "io/write/scan_lines.hpp"

#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <utility>

#include "align/sam_fields.hpp"
#include "base/error.hpp"
#include "base/ordered_pipeline.hpp"
#include "io/format/file_format.hpp"
#include "io/format/table_cell.hpp"
#include "sequence/alphabet.hpp"

namespace trawl::io {
namespace {

// Writes text where there is room for it.
class FieldWriter {
 public:
  explicit FieldWriter(char* at, char separator = '\t') : at_(at), separator_(separator) {}

  char* at() const { return at_; }
  void put(std::string_view text) { at_ = std::copy(text.begin(), text.end(), at_); }
  template <std::integral Integer>
  void put(Integer value) {
    at_ = std::to_chars(at_, at_ + kMostDigits, value).ptr;
  }
  void put(double value, int digits) {
    at_ = std::to_chars(at_, at_ + kMostDigits, value, std::chars_format::fixed, digits).ptr;
  }
  template <class Value>
  void field(const Value& value) {
    *at_++ = separator_;
    put(value);
  }
  // Text that may have any letters. In a table with commas it is quoted if it has to be.
  void name(std::string_view text) {
    std::string room;
    put(cell_text(text, separator_, room));
  }
  // In a format of printable ASCII.
  void put_plain_name(std::string_view text) {
    std::string room;
    put(plain_name(text, room));
  }
  void name_field(std::string_view text) {
    *at_++ = separator_;
    name(text);
  }

  // Tags of SAM.
  void integer(const char* tag, std::int64_t value) {
    field(std::string_view(tag));
    put(":i:");
    put(value);
  }
  void text(const char* tag, std::string_view value) {
    field(std::string_view(tag));
    put(":Z:");
    put(value);
  }

 private:
  static constexpr std::size_t kMostDigits = 24;

  char* at_;
  char separator_;
};

// The most bytes of a line, besides its names and texts: numbers, tags and tabs.
constexpr std::size_t kMostOfNumbers = 400;
// Records that one thread writes as text at a time.
constexpr std::size_t kPiece = 2048;

struct SiteLine {
  const scan::SiteRecord& record;
  std::string_view contig;
  const sequence::Pattern pattern;
  const scan::RecordTexts& texts;
};

void put_bed(const SiteLine& line, FieldWriter& to) {
  const auto& [record, contig, pattern, texts] = line;
  to.put(contig);
  to.field(record.start);
  to.field(record.end);
  to.field(std::string_view());
  to.put_plain_name(pattern.name);
  to.field(1000 - 1000 * std::uint64_t{record.distance} / pattern.bases.size());
  to.put(record.reverse ? "\t-" : "\t+");
  to.field(record.distance);
  to.field(std::string_view(texts.cigar));
  to.field(std::string_view(texts.text));
  to.field(record.mismatches);
  to.field(record.dna_bulges + record.rna_bulges);
  // 11 columns: with 12, other programs would take the line for BED12, which has blocks in its last three columns.
  to.put("\n");
}

void put_table(const SiteLine& line, FieldWriter& to) {
  const auto& [record, contig, pattern, texts] = line;
  to.name(contig);
  to.field(record.start);
  to.field(record.end);
  to.name_field(pattern.name);
  to.field(std::string_view(record.reverse ? "-" : "+"));
  to.field(record.distance);
  to.field(record.mismatches);
  to.field(record.dna_bulges);
  to.field(record.rna_bulges);
  to.field(std::string_view(texts.cigar));
  to.field(std::string_view(texts.text));
}

// The guide without its PAM.
std::string_view guide_of(const SiteLine& line, const scan::Pam& pam) {
  return line.pattern.bases.substr(pam.is_last ? 0 : pam.bases.size(), line.pattern.bases.size() - pam.bases.size());
}

void put_guide(const SiteLine& line, const scan::GuideRules& rules, scan::AlignedSite& site, FieldWriter& to) {
  const std::string_view guide = guide_of(line, rules.pam);
  site.align(line.record, line.texts, guide);
  to.field(guide);
  to.field(site.pam);
  to.field(site.pam_mismatches);
  to.field(std::string_view(site.pattern));
  to.field(std::string_view(site.text));
  to.field(std::string_view(site.cigar));
  to.field(site.seed_mismatches);
  to.field(site.seed_bulges);
  constexpr std::string_view none = ".";
  if (site.cut) {
    to.field(*site.cut);
  } else {
    to.field(none);
  }
  const auto put_score = [&](std::optional<double> score, int digits) {
    if (score) {
      to.field(std::string_view());
      to.put(*score, digits);
    } else {
      to.field(none);
    }
  };
  put_score(site.scores ? std::optional(site.scores->cfd) : std::nullopt, 6);
  put_score(site.scores ? site.scores->mit : std::nullopt, 4);
}

void put_ungapped(const scan::SiteRecord* ungapped, const scan::AlignedSite& site, FieldWriter& to) {
  constexpr std::string_view none = ".";
  if (ungapped != nullptr) {
    to.field(ungapped->start);
    to.field(ungapped->mismatches);
    to.field(std::string_view(site.ungapped));
  } else {
    to.field(none);
    to.field(none);
    to.field(none);
  }
}

// A value of an attribute of GFF3, in which some characters have a meaning. At most three times as long as the text.
void put_escaped(std::string_view text, FieldWriter& to) {
  constexpr char digits[] = "0123456789ABCDEF";
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if (byte < ' ' || byte == 0x7f || std::string_view("%;=&,").find(letter) != std::string_view::npos) {
      const char escaped[] = {'%', digits[byte >> 4], digits[byte & 15]};
      to.put(std::string_view(escaped, 3));
    } else {
      to.put(std::string_view(&letter, 1));
    }
  }
}

// Positions count from 1, and the end belongs to the place. The score is the distance.
void put_gff(const SiteLine& line, const MoreColumns& more, const Annotation::Finding& place, FieldWriter& to) {
  const auto& [record, contig, pattern, texts] = line;
  to.put(contig);
  to.put("\ttrawl\tnucleotide_match");
  to.field(record.start + 1);
  to.field(record.end);
  to.field(record.distance);
  to.put(record.reverse ? "\t-\t.\tName=" : "\t+\t.\tName=");
  put_escaped(pattern.name, to);
  const auto attribute = [&](std::string_view name, const auto& value) {
    to.put(name);
    to.put(value);
  };
  attribute(";distance=", record.distance);
  attribute(";mismatches=", record.mismatches);
  attribute(";dna_bulges=", record.dna_bulges);
  attribute(";rna_bulges=", record.rna_bulges);
  attribute(";cigar=", std::string_view(texts.cigar));
  attribute(";text=", std::string_view(texts.text));
  if (more.genes) {
    to.put(";gene=");
    put_escaped(place.genes, to);
    to.put(";feature=");
    to.put(std::string_view(place.feature));
  }
  to.put("\n");
}

void put_sam(const SiteLine& line, FieldWriter& to) {
  const auto& [record, contig, pattern, texts] = line;
  to.put_plain_name(pattern.name);
  to.field(record.reverse ? align::kFlagReverse : std::uint16_t{0});
  to.field(contig);
  to.field(record.start + 1);
  to.put("\t255");
  to.field(std::string_view(texts.cigar));
  to.put("\t*\t0\t0");
  to.field(record.reverse ? std::string_view(sequence::reverse_complement(pattern.bases)) : pattern.bases);
  to.put("\t*");
  align::put_edit_tags(record.edits, texts.md, -std::int32_t{record.distance}, to);
  to.integer("mm", record.mismatches);
  to.integer("db", record.dna_bulges);
  to.integer("rb", record.rna_bulges);
  to.put("\n");
}

}  // namespace

ScanFormat scan_format(const std::string& path) {
  constexpr ScanFormat formats[] = {ScanFormat::bed,    ScanFormat::bed_gz, ScanFormat::tsv,
                                    ScanFormat::tsv_gz, ScanFormat::csv,    ScanFormat::csv_gz,
                                    ScanFormat::gff,    ScanFormat::gff_gz, ScanFormat::sam};
  const auto extension =
      extension_of(path, {".bed", ".bed.gz", ".tsv", ".tsv.gz", ".csv", ".csv.gz", ".gff3", ".gff3.gz", ".sam"}, "BED");
  return extension ? formats[*extension] : ScanFormat::bed;
}

void check_table_name(const std::string& option, const std::string& path) {
  const std::string_view known[] = {".tsv", ".csv", ".tsv.gz", ".csv.gz"};
  if (!path.empty() && std::none_of(std::begin(known), std::end(known),
                                    [&](std::string_view extension) { return has_extension(path, extension); })) {
    throw UsageError(option + ' ' + path + ": give a file named .tsv, .csv, .tsv.gz or .csv.gz");
  }
}

std::string table_header(ScanFormat format, const MoreColumns& more) {
  if (is_gff(format)) {
    return "##gff-version 3\n";
  }
  std::string header = "contig\tstart\tend\tpattern\tstrand\tdistance\tmismatches\tdna_bulges\trna_bulges\tcigar\ttext";
  if (more.guides) {
    header +=
        "\tsequence\tpam\tpam_mismatches\taligned_pattern\taligned_text\tpattern_cigar\tseed_mismatches\tseed_bulges\t"
        "cut\tcfd\tmit";
  }
  header += more.genes ? "\tgene\tfeature" : "";
  header += more.haplotypes ? "\talleles\tsamples" : "";
  // After these, where guides may have bulges: the alignment without.
  header += more.ungapped ? "\tungapped_start\tungapped_mismatches\tungapped_text" : "";
  header += more.files ? "\tfile" : "";
  std::replace(header.begin(), header.end(), '\t', separator(format));
  return header + '\n';
}

ScanLines::ScanLines(ScanFormat format, sequence::PatternList patterns, unsigned threads, MoreColumns more)
    : format_(format),
      patterns_(std::move(patterns)),
      more_(std::move(more)),
      pieces_(4 * std::size_t{threads}),
      arena_(static_cast<int>(threads)) {}

void ScanLines::put(std::span<const scan::SiteRecord> records, const sequence::ContigNames& contig_names,
                    ByteBuffer& text) const {
  scan::RecordTexts room;
  std::optional<scan::AlignedSite> site;
  if (more_.guides) {
    site.emplace(*more_.guides);
  }
  Annotation::Finding place;
  text.clear();
  // The patterns of neighbouring records lie anywhere in memory.
  constexpr std::size_t kPlaceAhead = 32, kLettersAhead = 16;
  for (std::size_t r = 0; r < records.size(); ++r) {
    if (r + kPlaceAhead < records.size()) {
      patterns_.prefetch_place(records[r + kPlaceAhead].pattern);
      patterns_.prefetch_letters(records[r + kLettersAhead].pattern);
    }
    const scan::SiteRecord& record = records[r];
    const sequence::Pattern pattern = patterns_[record.pattern];
    const SiteLine line{record, contig_names[record.contig], pattern,
                        record.texts_or(pattern.bases, room, format_ == ScanFormat::sam)};
    // Names may be quoted; guide and text may be there twice more, aligned.
    std::size_t most = 2 * (line.contig.size() + pattern.name.size()) + pattern.bases.size() + line.texts.cigar.size() +
                       line.texts.md.size() + line.texts.text.size() + kMostOfNumbers;
    if (site) {
      most += 5 * (pattern.bases.size() + line.texts.text.size()) + line.texts.cigar.size();
    }
    if (more_.genes) {
      more_.genes->find(line.contig, record.start, record.end, place);
      most += 2 * place.genes.size();
    }
    const scan::HaplotypeTexts* const haplotype = record.texts ? record.texts->haplotype.get() : nullptr;
    if (more_.haplotypes && haplotype != nullptr) {
      most += 2 * (haplotype->alleles.size() + haplotype->samples.size());
    }
    std::string_view file;
    if (more_.files) {
      file = more_.files->of(record.contig);
      most += 2 * file.size();
    }
    if (is_gff(format_)) {
      most += 3 * (pattern.name.size() + place.genes.size());
    }
    FieldWriter to(text.room(most), separator(format_));
    if (format_ == ScanFormat::sam) {
      put_sam(line, to);
    } else if (is_table(format_)) {
      put_table(line, to);
      if (site) {
        put_guide(line, *more_.guides, *site, to);
      }
      if (more_.genes) {
        to.name_field(place.genes);
        to.field(place.feature);
      }
      if (more_.haplotypes) {
        to.name_field(haplotype != nullptr ? std::string_view(haplotype->alleles) : ".");
        to.name_field(haplotype != nullptr ? std::string_view(haplotype->samples) : ".");
      }
      if (more_.ungapped) {
        put_ungapped(record.ungapped(), *site, to);
      }
      if (more_.files) {
        to.name_field(file);
      }
      to.put("\n");
    } else if (is_gff(format_)) {
      put_gff(line, more_, place, to);
    } else {
      put_bed(line, to);
    }
    text.end_at(to.at());
  }
}

void ScanLines::write(std::span<const scan::SiteRecord> records, const sequence::ContigNames& contig_names,
                      const std::function<void(std::string_view)>& take) {
  if (records.size() <= kPiece) {
    put(records, contig_names, pieces_.front());
    take(pieces_.front().view());
    return;
  }
  // There are as many pieces as are in work at a time. They end in order, so a piece is free when its turn comes again.
  struct LinePiece {
    std::span<const scan::SiteRecord> records;
    ByteBuffer& text;
  };
  std::size_t next = 0;
  const auto cut = [&]() -> std::shared_ptr<LinePiece> {
    const std::size_t begin = next * kPiece;
    return begin >= records.size()
               ? nullptr
               : std::make_shared<LinePiece>(LinePiece{records.subspan(begin, std::min(kPiece, records.size() - begin)),
                                                       pieces_[next++ % pieces_.size()]});
  };
  const auto make = [&](LinePiece& piece) { put(piece.records, contig_names, piece.text); };
  const auto pass_on = [&](const std::shared_ptr<LinePiece>& piece) { take(piece->text.view()); };
  arena_.execute([&] { run_in_order<LinePiece>(pieces_.size(), cut, {{Stage::parallel, make}}, pass_on); });
}

}  // namespace trawl::io
