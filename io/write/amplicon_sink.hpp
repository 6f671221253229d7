// Writes the products of primers as TSV or BED, depending on the extension of the path, and counts them.
//
//   with: const sequence::Reference& reference, const scan::PrimerPool& pool
//   with: std::span<const scan::SiteRecord> records, const sequence::ContigNames& contig_names
//   AmpliconSink sink({.path = "products.tsv"}, pool, pool.groups(pool.combine), {50, 2000}, {}, reference);
//   sink.write(records, contig_names);   // the loci of the primers, in the order of the output
//   sink.close();                        // now products.tsv exists
//
// The tables of `trawl primers` besides that of the products: a line for each primer, and one for each dimer.
//
//   with: const PrimerTable& table
//   write_primer_table(table, "primers.tsv", 6);
//   write_dimer_table(table, "dimers.tsv", 6);
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/write/scan_sink.hpp"
#include "io/write/table_file.hpp"
#include "scan/melting.hpp"
#include "scan/primer_pool.hpp"
#include "scan/report/amplicons.hpp"
#include "scan/report/primer_dimers.hpp"
#include "sequence/contig_names.hpp"
#include "sequence/reference.hpp"

namespace trawl::io {

/// What was found of a primer.
struct PrimerCounts {
  std::uint64_t places = 0;
  std::uint64_t own_places = 0;  // where the scheme has it
  std::uint64_t products = 0;
  std::uint64_t expected = 0;  // of the products
};

struct AmpliconCounts {
  std::uint64_t amplicons = 0;
  std::uint64_t expected = 0;  // of these
  std::uint64_t other_places = 0;
  std::vector<PrimerCounts> of_primers;
  std::vector<std::uint64_t> expected_of;  // of each amplicon: how many of its expected products there are
};

/// The format of a file of products: TSV or BED. Throws UsageError for another name.
///   amplicon_format("products.tsv.gz") == ScanFormat::tsv_gz
ScanFormat amplicon_format(const std::string& path);

class AmpliconSink final : public RecordSink {
 public:
  /// `groups`: as in AmpliconFinder. `conditions`: for the melting temperatures. `mispriming`: where places of primers
  /// other than those of the scheme are written, as `trawl scan` writes them; "": nowhere. `reference` must outlive the
  /// sink. `circles`: as in AmpliconFinder. Throws UsageError, also for formats that products do not have, and IoError.
  AmpliconSink(const ScanSinkOptions& options, const scan::PrimerPool& pool, const std::vector<std::uint32_t>& groups,
               const scan::AmpliconSizes& sizes, const scan::MeltingConditions& conditions,
               const sequence::Reference& reference, const std::string& mispriming = "",
               const std::map<std::uint64_t, std::uint64_t>& circles = {});

  void write(std::span<const scan::SiteRecord> records, const sequence::ContigNames& contig_names) override;
  /// Completes the files and gives them their names. Throws IoError.
  void close();

  /// So far; of all after close().
  const AmpliconCounts& counts() const { return counts_; }

 private:
  void take();
  void count_places(std::span<const scan::SiteRecord> records, const sequence::ContigNames& contig_names);
  bool is_expected(const scan::Amplicon& amplicon) const;
  char strand(const scan::Amplicon& amplicon) const;
  void put_bed(const scan::Amplicon& amplicon, bool is_expected);
  void put_tsv(const scan::Amplicon& amplicon, bool is_expected);
  void put_sequence(const scan::Amplicon& amplicon);

  ScanFormat format_;
  scan::PrimerPool pool_;
  const sequence::Reference& reference_;
  scan::AmpliconFinder finder_;
  std::vector<std::string> melting_;  // of each primer, as text
  TableFile table_;
  std::optional<ScanSink> mispriming_;
  std::string letters_;  // of a product
  AmpliconCounts counts_;
};

struct PrimerTable {
  const scan::PrimerPool& pool;
  const std::vector<PrimerCounts>& counts;  // of each primer
  const std::vector<scan::PrimerDimer>& dimers;
  const scan::MeltingConditions& conditions;
};

/// .tsv, .csv, or these with .gz. Throws IoError.
void write_primer_table(const PrimerTable& table, const std::string& path, int compression_level);
void write_dimer_table(const PrimerTable& table, const std::string& path, int compression_level);

/// What a primer is called: of a pair, its name and its side.
std::string primer_name(const scan::PrimerPool& pool, std::uint32_t primer);

}  // namespace trawl::io
