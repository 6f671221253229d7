// The lines of a scan's output: BED, TSV, CSV, GFF3 or SAM.
//
//   std::vector<scan::SiteRecord> records(1);
//   records[0].end = 7;
//   ScanLines text(scan_format("sites.bed"), {{"p", "GATTACA"}}, 1);
//   std::string lines;
//   text.write(records, {"chr1"}, [&](std::string_view some) { lines += some; });
//   lines.starts_with("chr1\t0\t7\tp\t") == true
#pragma once

#include <tbb/task_arena.h>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/read/annotation.hpp"
#include "io/read/reference_files.hpp"
#include "io/write/byte_buffer.hpp"
#include "scan/report/aligned_site.hpp"
#include "scan/report/record.hpp"
#include "sequence/contig_names.hpp"
#include "sequence/pattern.hpp"

namespace trawl::io {

enum class ScanFormat { bed, bed_gz, tsv, tsv_gz, csv, csv_gz, gff, gff_gz, sam };

/// The format for the path's extension; BED for streams without one. Throws UsageError for an unknown extension.
ScanFormat scan_format(const std::string& path);

/// Whether the file is BGZF.
constexpr bool is_packed(ScanFormat format) {
  return format == ScanFormat::bed_gz || format == ScanFormat::tsv_gz || format == ScanFormat::csv_gz ||
         format == ScanFormat::gff_gz;
}
/// The level of BGZF of a file of this format, if it is one.
constexpr std::optional<int> level_of(ScanFormat format, int level) {
  return is_packed(format) ? std::optional(level) : std::nullopt;
}
/// A table with a header line.
constexpr bool is_table(ScanFormat format) {
  return format == ScanFormat::tsv || format == ScanFormat::tsv_gz || format == ScanFormat::csv ||
         format == ScanFormat::csv_gz;
}
constexpr bool is_gff(ScanFormat format) { return format == ScanFormat::gff || format == ScanFormat::gff_gz; }
/// Before the work begins: throws UsageError if the file of this option is none of the tables. "": there is no file.
void check_table_name(const std::string& option, const std::string& path);
/// What stands between the columns of a table.
constexpr char separator(ScanFormat format) {
  return format == ScanFormat::csv || format == ScanFormat::csv_gz ? ',' : '\t';
}

/// The columns that a table has besides those that every table has.
struct MoreColumns {
  std::optional<scan::GuideRules> guides;  // what is known of a site of a guide
  std::shared_ptr<const Annotation> genes;
  bool haplotypes = false;                             // the alternative alleles of a site, and who has them
  bool ungapped = false;                               // the alignment without bulges; needs `guides`
  std::shared_ptr<const ContigFiles> files = nullptr;  // of several references: the file of a contig
};

/// The header line of a table or of GFF3.
std::string table_header(ScanFormat format, const MoreColumns& more);

class ScanLines {
 public:
  /// `patterns`: what is searched, with the PAM if there is one. The text does not depend on the number of threads.
  ScanLines(ScanFormat format, sequence::PatternList patterns, unsigned threads, MoreColumns more = {});

  /// Passes the lines of the records to `take`, in order, some at a time.
  void write(std::span<const scan::SiteRecord> records, const sequence::ContigNames& contig_names,
             const std::function<void(std::string_view)>& take);

 private:
  void put(std::span<const scan::SiteRecord> records, const sequence::ContigNames& contig_names,
           ByteBuffer& text) const;

  ScanFormat format_;
  sequence::PatternList patterns_;
  MoreColumns more_;
  std::vector<ByteBuffer> pieces_;  // the text of some records each, written by several threads
  tbb::task_arena arena_;
};

}  // namespace trawl::io
