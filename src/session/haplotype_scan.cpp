#include "session/haplotype_scan.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/counted.hpp"
#include "io/read/variant_reader.hpp"
#include "io/stats/progress.hpp"
#include "scan/haplotypes.hpp"
#include "sequence/copy_letters.hpp"
#include "session/scan_session.hpp"

namespace trawl::session {

namespace {

// Gives each piece as a sequence of its own.
class PieceSource final : public io::ContigSource {
 public:
  explicit PieceSource(const std::vector<scan::HaplotypePiece>& pieces) : pieces_(pieces) {}

  std::optional<io::ContigPiece> next() override {
    if (next_ == pieces_.size()) {
      return std::nullopt;
    }
    const std::string& letters = pieces_[next_].letters;
    const auto packed = std::make_shared<sequence::PackedLetters>();
    packed->append(letters);
    return io::ContigPiece{{{std::to_string(next_++), {}}}, packed, 0, letters.size()};
  }
  std::uint64_t consumed(std::uint64_t) const override { return next_; }
  std::string warning() const override { return ""; }

 private:
  const std::vector<scan::HaplotypePiece>& pieces_;
  std::size_t next_ = 0;
};

// The sites on the pieces of a contig, each once.
class SiteCollector final : public io::RecordSink {
 public:
  SiteCollector(const scan::AlleleList& list, const scan::HaplotypePieces& pieces, std::uint64_t contig,
                const std::vector<std::string>& samples)
      : list_(list), pieces_(pieces), contig_(contig), samples_(samples) {}

  void write(std::span<const scan::SiteRecord> records, const sequence::ContigNames&) override {
    for (const scan::SiteRecord& given : records) {
      const scan::SiteRecord record = scan::unpacked(given);
      const scan::HaplotypePiece& piece = pieces_.all()[record.contig];
      const scan::SiteRecord* const ungapped = record.has_bulges() ? record.ungapped() : nullptr;
      const auto beside = ungapped != nullptr ? pieces_.place(piece, ungapped->start, ungapped->end) : std::nullopt;
      const auto place = pieces_.place(piece, record.start, record.end);
      // The alignment without bulges is beside the other one only if it has the same alleles: these are in the record.
      const bool is_beside = place && beside && place->alleles == beside->alleles;
      if (place) {
        scan::SiteRecord& own = add(record, *place, piece);
        const scan::SiteRecord* const known = own.ungapped();
        if (is_beside && (known == nullptr || ungapped->mismatches < known->mismatches)) {
          own.texts->ungapped = std::make_shared<const scan::SiteRecord>(at_place(*ungapped, *beside));
        }
      }
      if (beside && !is_beside) {
        add(scan::unpacked(*ungapped), *beside, piece);
      }
    }
  }

  void take(std::vector<scan::SiteRecord>& records) {
    for (auto& [key, found] : found_) {
      const auto& alleles = std::get<4>(key);
      scan::HaplotypeTexts texts;
      for (const std::uint32_t allele : alleles) {
        texts.alleles.append(texts.alleles.empty() ? "" : ",").append(list_.alleles[allele].name);
      }
      texts.samples = carriers_text(found.carriers, alleles);
      found.record.texts->haplotype = std::make_shared<const scan::HaplotypeTexts>(std::move(texts));
      records.push_back(std::move(found.record));
    }
  }

 private:
  struct HaplotypeSite {
    scan::SiteRecord record;
    std::set<std::uint32_t> carriers;
  };

  scan::SiteRecord at_place(const scan::SiteRecord& record, const scan::HaplotypePieces::PieceLocation& place) const {
    scan::SiteRecord own = scan::copy_of(record);
    own.contig = contig_;
    own.start = place.begin;
    own.end = place.end;
    return own;
  }

  scan::SiteRecord& add(const scan::SiteRecord& record, const scan::HaplotypePieces::PieceLocation& place,
                        const scan::HaplotypePiece& piece) {
    HaplotypeSite& found = found_[{place.begin, record.pattern, record.reverse, place.end, place.alleles,
                                   record.texts->text, record.texts->cigar}];
    if (!found.record.texts) {
      found.record = at_place(record, place);
      found.record.texts->ungapped = nullptr;  // it may have other alleles
    }
    found.carriers.insert(piece.carriers.begin(), piece.carriers.end());
    return found.record;
  }

  std::string carriers_text(const std::set<std::uint32_t>& carriers, const std::vector<std::uint32_t>& alleles) const {
    if (samples_.empty()) {
      return ".";
    }
    std::map<std::uint32_t, std::string> of_samples;  // the haplotypes; "": none is sure
    for (const std::uint32_t haplotype : carriers) {
      std::string& text = of_samples[haplotype / 2];
      if (pieces_.is_sure(haplotype, alleles)) {
        text.append(text.empty() ? "" : "|").append(1, static_cast<char>('1' + haplotype % 2));
      }
    }
    std::string all;
    for (const auto& [sample, haplotypes] : of_samples) {
      all.append(all.empty() ? "" : ",").append(samples_[sample]).append(1, ':');
      all += haplotypes.empty() ? "?" : haplotypes;
    }
    return all;
  }

  const scan::AlleleList& list_;
  const scan::HaplotypePieces& pieces_;
  std::uint64_t contig_;
  const std::vector<std::string>& samples_;
  std::map<std::tuple<std::uint64_t, std::uint32_t, bool, std::uint64_t, std::vector<std::uint32_t>, std::string,
                      std::string>,
           HaplotypeSite>
      found_;
};

}  // namespace

namespace {

// What to say about the alleles that were not searched.
std::vector<std::string> allele_warnings(const std::string& path, const io::VariantReader& variants,
                                         std::uint64_t skipped, std::uint64_t incomplete) {
  const io::VariantCounts& counts = variants.counts();
  const std::pair<std::uint64_t, const char*> all[] = {
      {counts.left_out,
       " left out, which are not only A, C, G, T and N (as <DEL>), or lie before the first base (POS 0) or on "
       "sequences that the reference does not have"},
      {counts.without_genotypes,
       " without genotypes (GT) not searched; bcftools view -G leaves out the samples, then each allele is searched by "
       "itself"},
      {skipped,
       " skipped on haplotypes where an allele before overlaps it, as bcftools consensus does; bcftools norm -f REF "
       "writes alleles so that fewer overlap"}};
  std::vector<std::string> warnings;
  for (const auto& [alleles, what] : all) {
    if (alleles > 0) {
      warnings.push_back(path + ": " + counted(alleles, "allele") + what);
    }
  }
  if (counts.odd > 0) {
    warnings.push_back(path + ": " + counted(counts.odd, "record") + " left out; the first: " + counts.first_odd);
  }
  if (counts.on_codes > 0) {
    warnings.push_back(path + ": " + counted(counts.on_codes, "record") +
                       " taken where the reference has an IUPAC code that can stand for REF");
  }
  if (!counts.undeclared.empty()) {
    warnings.push_back(path + ": the header does not declare each contig, INFO, FILTER or FORMAT of the records (the " +
                       "first at " + counts.undeclared + "); they are taken all the same");
  }
  if (incomplete > 0) {
    warnings.push_back(path + ": around " + counted(incomplete, "allele") +
                       " of samples too many others are unphased to search all their combinations; phase the VCF");
  }
  return warnings;
}

}  // namespace

HaplotypeSites haplotype_sites(const std::string& path, const sequence::Reference& reference, scan::Finder& finder,
                               const std::vector<scan::Query>& queries, scan::ScanOptions options) {
  options.report = scan::RecordUnit::ends;
  const std::vector<sequence::Contig>& contigs = reference.contigs();
  std::unordered_map<std::string, std::uint64_t> number;
  for (std::uint64_t c = 0; c < contigs.size(); ++c) {
    number.emplace(contigs[c].name, c);
  }
  const auto letters_of = [&](const std::string& name, std::uint64_t begin,
                              std::uint64_t end) -> std::optional<std::string> {
    const auto contig = number.find(name);
    if (contig == number.end() || end > contigs[contig->second].length) {
      return std::nullopt;
    }
    std::string letters(end > begin ? end - begin : 0, 'N');
    sequence::copy_letters(reference, contigs[contig->second].offset + begin, letters.size(), letters.data());
    return letters;
  };
  std::uint64_t longest = 0;
  for (const scan::Query& query : queries) {
    longest = std::max<std::uint64_t>(longest, query.length());
  }
  // One letter more than a site can have: then no site ends with the piece because there is no text.
  const std::uint64_t reach = longest + options.max_bulges + 1;
  const ScanSession session(queries, options);
  HaplotypeSites found;
  io::VariantReader variants(path);
  scan::AlleleList list;
  std::string name;
  std::uint64_t incomplete = 0, skipped = 0;
  while (variants.next(name, list, letters_of)) {
    const std::uint64_t contig = number.at(name);
    const scan::HaplotypePieces::Letters letters = [&](std::uint64_t begin, std::uint64_t end) {
      return end > begin ? letters_of(name, begin, end).value() : std::string();
    };
    const scan::HaplotypePieces pieces(list, letters, contigs[contig].length, reach);
    incomplete += pieces.incomplete();
    skipped += pieces.skipped();
    if (pieces.all().empty()) {
      continue;
    }
    SiteCollector sites(list, pieces, contig, variants.samples());
    io::Progress progress(false, std::nullopt, "bases");
    io::ScanStats stats;
    session.scan(finder, session.chunks_of(std::make_unique<PieceSource>(pieces.all())), sites, progress, stats);
    sites.take(found.records);
  }
  std::stable_sort(found.records.begin(), found.records.end(),
                   [](const scan::SiteRecord& a, const scan::SiteRecord& b) { return a.key() < b.key(); });
  found.warnings = allele_warnings(path, variants, skipped, incomplete);
  return found;
}

void MergingSink::write(std::span<const scan::SiteRecord> records, const sequence::ContigNames& contig_names) {
  while (!records.empty() && !others_.empty()) {
    // A record of the reference comes before another one with the same key.
    const auto before = std::partition_point(records.begin(), records.end(), [&](const scan::SiteRecord& record) {
      return record.key() <= others_.front().key();
    });
    const auto count = static_cast<std::size_t>(before - records.begin());
    if (count > 0) {
      to_.write(records.first(count), contig_names);
      records = records.subspan(count);
    }
    if (records.empty()) {
      return;
    }
    const auto until = std::partition_point(others_.begin(), others_.end(), [&](const scan::SiteRecord& record) {
      return record.key() < records.front().key();
    });
    const auto others = static_cast<std::size_t>(until - others_.begin());
    to_.write(others_.first(others), contig_names);
    others_ = others_.subspan(others);
  }
  if (!records.empty()) {
    to_.write(records, contig_names);
  }
}

void MergingSink::finish(const sequence::ContigNames& contig_names) {
  if (!others_.empty()) {
    to_.write(others_, contig_names);
    others_ = {};
  }
}

}  // namespace trawl::session
