// Makes the input of a whole run from bytes, as the tests make it from seeds, and compares its results with an oracle.
// The first bytes choose the run: the counts of `trawl mappability`; the sites of `trawl scan --vcf`, which are those
// on each haplotype; or the products of `trawl primers`.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "base/error.hpp"
#include "io/read/fasta_chunks.hpp"
#include "pipeline/engine_choice.hpp"
#include "pipeline/scan_pipeline.hpp"
#include "scan/report/amplicons.hpp"
#include "scan/report/site.hpp"
#include "session/haplotype_scan.hpp"
#include "tests/conformance/position_counts.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/haplotype_oracle.hpp"
#include "tests/random_cases.hpp"
#include "tests/scan_cases.hpp"

using namespace trawl;

namespace {

// Bytes of a file.
fuzz::MemoryFile file_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

void compare_counts(tests::RandomCases& random) {
  auto contigs = tests::repetitive_contigs(random, random.chance(0.5) ? 0 : 0.005);
  contigs.resize(std::min<std::size_t>(contigs.size(), 2));
  for (std::string& contig : contigs) {
    contig.resize(std::min<std::size_t>(contig.size(), 250));
  }
  const auto reference = tests::make_reference(contigs);
  const mappability::ReferenceReads reads{static_cast<std::uint32_t>(random.number(20, 110)),
                                          static_cast<std::uint32_t>(random.number(0, 4)), random.chance(0.5)};
  map::MapOptions options;
  options.max_edits = {false, 0, reads.max_edits};
  options.metric = reads.gaps ? map::Metric::levenshtein : map::Metric::hamming;
  const auto engine = pipeline::make_engine("cpu", reference, options);
  const auto counts = tests::counts_of(*engine, reference, reads, random.number(1, 300));
  std::size_t next = 0;
  for (const std::string& contig : contigs) {
    for (std::size_t i = 0; i + reads.length <= contig.size(); ++i, ++next) {
      const std::string read = contig.substr(i, reads.length);
      const std::size_t expected = tests::oracle_count(contigs, read, reads.max_edits, reads.gaps);
      if (counts.at(next) != expected) {
        std::fprintf(stderr, "read %zu, %s with %u edits: %zu loci, not %zu\n", next, read.c_str(), reads.max_edits,
                     static_cast<std::size_t>(counts[next]), expected);
        std::abort();
      }
    }
  }
  fuzz::check(next == counts.size());
}

// --- sites on haplotypes ---

// Contig, begin, end, pattern, strand, text, CIGAR, distance, alleles.
using Site =
    std::tuple<std::size_t, std::size_t, std::size_t, unsigned, bool, std::string, std::string, unsigned, std::string>;

Site site_of(const scan::SiteRecord& record, std::size_t contig, const tests::OracleHaplotype::Place& place) {
  return {contig,         place.begin,        place.end,           record.pattern,
          record.reverse, record.texts->text, record.texts->cigar, record.distance,
          place.alleles};
}

// Sites of the letters of a haplotype that lie on alternative alleles.
class HaplotypeSites final : public io::RecordSink {
 public:
  HaplotypeSites(const tests::OracleHaplotype& haplotype, std::size_t contig, std::set<Site>& sites)
      : haplotype_(haplotype), contig_(contig), sites_(sites) {}

  void write(std::span<const scan::SiteRecord> records, const sequence::ContigNames&) override {
    for (const scan::SiteRecord& given : records) {
      const scan::SiteRecord record = scan::unpacked(given);
      fuzz::check(record.texts != nullptr);
      const auto place = haplotype_.place(record.start, record.end);
      if (!place.alleles.empty()) {
        sites_.insert(site_of(record, contig_, place));
      }
      // The alignment without bulges has its own line if it has other alleles.
      const scan::SiteRecord* const ungapped = record.has_bulges() ? record.ungapped() : nullptr;
      if (ungapped != nullptr) {
        const auto other = haplotype_.place(ungapped->start, ungapped->end);
        if (!other.alleles.empty() && other.alleles != place.alleles) {
          sites_.insert(site_of(scan::unpacked(*ungapped), contig_, other));
        }
      }
    }
  }

 private:
  const tests::OracleHaplotype& haplotype_;
  std::size_t contig_;
  std::set<Site>& sites_;
};

void scan_text(const std::string& fasta, scan::Finder& finder, const std::vector<scan::Query>& queries,
               const scan::ScanOptions& options, io::RecordSink& sink) {
  const fuzz::MemoryFile file = file_of(fasta);
  io::ChunkOptions chunk_options;
  chunk_options.overlap = scan::SiteFinder(queries, options).overlap();
  const auto chunks = std::make_shared<io::FastaChunks>(file.path(), chunk_options, io::TextOptions{.threads = 1});
  io::Progress progress(false, std::nullopt, "bases");
  io::ScanStats stats;
  pipeline::scan_reference(chunks, finder, queries, options, sink, progress, stats, nullptr);
}

// Records that overlap and are not normalised, several at a position among them.
std::vector<tests::VcfRecord> records_of(tests::RandomCases& random, const std::string& contig) {
  std::vector<tests::VcfRecord> records;
  for (std::size_t at = random.number(0, 5); at + 12 < contig.size() && records.size() < 40;
       at += random.chance(0.2) ? 0 : random.number(1, 20)) {
    const std::string ref = contig.substr(at, random.chance(0.4) ? 1 : random.number(1, 5));
    if (ref.find_first_not_of("ACGT") != std::string::npos) {
      continue;
    }
    std::set<std::string> alts;
    for (std::size_t n = random.number(1, 3); n > 0; --n) {
      switch (random.number(0, 5)) {
        case 0:
          alts.insert(ref[0] + random.bases(random.number(1, 4)));
          break;
        case 1:
          alts.insert(ref.substr(0, 1));
          break;
        case 2:
          alts.insert(random.bases(ref.size()));
          break;
        case 3:
          alts.insert(ref.substr(0, ref.size() - 1) + random.base());
          break;
        case 4:
          alts.insert(random.base() + ref.substr(1));
          break;
        default:
          alts.insert(ref + random.base());
      }
    }
    alts.erase(ref);
    if (!alts.empty()) {
      records.push_back({at, ref, {alts.begin(), alts.end()}});
    }
  }
  return records;
}

void compare_haplotypes(tests::RandomCases& random) {
  tests::ScanCase input = tests::make_guide_case(random, 300, 4);
  const auto queries = scan::make_queries(input.patterns, input.options);
  if (queries.empty()) {
    return;
  }
  scan::ScanOptions options = input.options;
  options.threads = 1;
  const std::size_t samples = random.number(1, 2);
  std::string vcf = "##fileformat=VCFv4.2\n";
  for (std::size_t c = 0; c < input.contigs.size(); ++c) {
    vcf += "##contig=<ID=contig" + std::to_string(c) + ">\n";
  }
  vcf +=
      "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"x\">\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT";
  for (std::size_t s = 0; s < samples; ++s) {
    vcf += "\tS" + std::to_string(s);
  }
  const auto finder = scan::make_cpu_finder(queries, options);
  scan::ScanOptions ends = options;
  ends.report = scan::RecordUnit::ends;
  std::vector<std::set<Site>> expected(2 * samples);
  bool any = false;
  for (std::size_t c = 0; c < input.contigs.size(); ++c) {
    const std::string name = "contig" + std::to_string(c);
    const auto records = records_of(random, input.contigs[c]);
    std::vector<std::vector<std::size_t>> choices(2 * samples);
    for (const tests::VcfRecord& record : records) {
      std::string alts;
      for (const std::string& alt : record.alts) {
        alts += (alts.empty() ? "" : ",") + alt;
      }
      vcf += "\n" + name + "\t" + std::to_string(record.position + 1) + "\t.\t" + record.ref + "\t" + alts +
             "\t.\t.\t.\tGT";
      for (std::size_t h = 0; h < choices.size(); ++h) {
        choices[h].push_back(random.chance(0.6) ? 0 : random.number(1, record.alts.size()));
        vcf += (h % 2 == 0 ? "\t" : "|") + std::to_string(choices[h].back());
      }
      any = true;
    }
    for (std::size_t h = 0; h < choices.size(); ++h) {
      const tests::OracleHaplotype haplotype(name, input.contigs[c], records, choices[h]);
      HaplotypeSites sites(haplotype, c, expected[h]);
      if (!haplotype.letters.empty()) {
        scan_text(">x\n" + haplotype.letters + "\n", *finder, queries, ends, sites);
      }
    }
  }
  if (!any) {
    return;
  }
  const fuzz::MemoryFile file = file_of(vcf + "\n");
  const sequence::Reference reference = tests::make_reference(input.contigs);
  const session::HaplotypeSites sites = session::haplotype_sites(file.path(), reference, *finder, queries, options);
  std::vector<std::set<Site>> found(2 * samples);
  for (const scan::SiteRecord& record : sites.records) {
    const scan::HaplotypeTexts& texts = *record.texts->haplotype;
    // S0:1|2,S1:1
    std::size_t sample = 0;
    for (std::size_t i = 0; i < texts.samples.size(); ++i) {
      if (texts.samples[i] == 'S') {
        sample = static_cast<std::size_t>(texts.samples.at(++i) - '0');
      } else if (texts.samples[i] == '1' || texts.samples[i] == '2') {
        const Site site = site_of(record, record.contig, {record.start, record.end, texts.alleles});
        fuzz::check(found.at(2 * sample + static_cast<std::size_t>(texts.samples[i] - '1')).insert(site).second);
      }
    }
  }
  for (std::size_t h = 0; h < found.size(); ++h) {
    for (const bool is_false : {false, true}) {
      const auto& these = is_false ? found[h] : expected[h];
      const auto& others = is_false ? expected[h] : found[h];
      for (const auto& [contig, begin, end, pattern, reverse, text, cigar, distance, alleles] : these) {
        if (!others.contains({contig, begin, end, pattern, reverse, text, cigar, distance, alleles})) {
          std::fprintf(stderr, "haplotype %zu, %s: contig %zu, %zu-%zu, pattern %u%c, %s, %s, %u, %s\n%s\n", h,
                       is_false ? "false" : "missed", contig, begin, end, pattern, reverse ? '-' : '+', text.c_str(),
                       cigar.c_str(), distance, alleles.c_str(), vcf.c_str());
          std::abort();
        }
      }
    }
  }
}

// --- products of primers ---

void compare_products(tests::RandomCases& random) {
  scan::PrimerPool pool;
  const std::size_t primers = random.number(1, 8);
  for (std::size_t n = 0; n < primers; ++n) {
    scan::Primer primer;
    if (random.chance(0.7)) {
      primer.amplicon = pool.amplicon(std::to_string(random.number(0, 3)));
    }
    if (random.chance(0.4)) {
      primer.pool = pool.pool(std::to_string(random.number(0, 2)));
    }
    pool.add({"p" + std::to_string(n), random.bases(random.number(4, 6))}, primer);
  }
  pool.is_table_of_pairs = random.chance(0.3);
  const auto is_copy = [&](std::size_t n) {
    return pool.is_table_of_pairs && n % 2 == 1 && pool.patterns()[n].bases == pool.patterns()[n - 1].bases;
  };
  const auto groups = pool.groups(static_cast<scan::Combine>(random.number(0, 2)));
  scan::AmpliconSizes sizes;
  sizes.min = random.number(1, 30);
  sizes.max = sizes.min + random.number(0, random.chance(0.5) ? 60 : 400);
  const std::size_t length = random.number(20, 300);
  std::map<std::uint64_t, std::uint64_t> circles;
  std::vector<scan::SiteRecord> records;
  for (std::uint64_t contig = 0, last = random.number(0, 2); contig <= last; ++contig) {
    if (random.chance(0.3)) {
      circles[contig] = length;
    }
    for (std::size_t n = random.number(0, 40); n > 0; --n) {
      scan::SiteRecord record;
      record.contig = contig;
      record.start = random.number(0, length - 1);
      record.end = record.start + random.number(4, 8);
      record.pattern = static_cast<std::uint32_t>(random.number(0, primers - 1));
      record.reverse = random.chance(0.5);
      record.texts = std::make_unique<scan::RecordTexts>();
      records.push_back(std::move(record));
    }
  }
  std::sort(records.begin(), records.end(), [](const auto& a, const auto& b) { return a.key() < b.key(); });
  using Product =
      std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, unsigned, unsigned, std::uint64_t, std::uint64_t>;
  std::vector<Product> expected, found;
  for (const scan::SiteRecord& left : records) {
    const auto circle = circles.find(left.contig);
    for (const scan::SiteRecord& right : records) {
      for (const std::uint64_t turn : {std::uint64_t{0}, circle == circles.end() ? 0 : circle->second}) {
        const std::uint64_t start = right.start + turn, end = right.end + turn;
        const std::uint64_t most = circle == circles.end() ? sizes.max : std::min(sizes.max, circle->second);
        const bool is_between = left.start <= start && left.end <= end;
        if (left.contig == right.contig && !left.reverse && right.reverse && !is_copy(left.pattern) &&
            !is_copy(right.pattern) && groups[left.pattern] == groups[right.pattern] && is_between &&
            end - left.start >= sizes.min && end - left.start <= most && (turn > 0 || &left != &right)) {
          expected.emplace_back(left.contig, left.start, end, left.pattern, right.pattern, left.end, start);
        }
        if (circle == circles.end()) {
          break;
        }
      }
    }
  }
  std::sort(expected.begin(), expected.end());
  scan::AmpliconFinder finder(pool, groups, sizes, circles);
  const auto use = [&](const scan::Amplicon& amplicon) { found.emplace_back(amplicon.key()); };
  for (std::size_t first = 0; first < records.size();) {
    const std::size_t count = std::min(random.number(1, 20), records.size() - first);
    finder.add(std::span(records).subspan(first, count));
    finder.take(use);
    first += count;
  }
  finder.finish();
  finder.take(use);
  if (found != expected) {
    std::fprintf(stderr, "%zu products, not %zu, of %zu loci\n", found.size(), expected.size(), records.size());
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tests::RandomCases random(std::string_view(reinterpret_cast<const char*>(data), size));
  switch (random.number(0, 2)) {
    case 0:
      compare_counts(random);
      break;
    case 1:
      compare_haplotypes(random);
      break;
    default:
      compare_products(random);
  }
  return 0;
}
