// `trawl scan --vcf`: the sites that lie on alternative alleles of a VCF.
//
//   const HaplotypeSites sites = haplotype_sites("calls.vcf.gz", reference, finder, queries, options);
//   MergingSink merged(sink, sites.records);   // takes the records of the reference, in their order
#pragma once

#include <span>
#include <string>
#include <vector>

#include "io/write/scan_sink.hpp"
#include "scan/find/finder.hpp"
#include "scan/find/query.hpp"
#include "scan/options.hpp"
#include "scan/report/record.hpp"
#include "sequence/contig_names.hpp"
#include "sequence/reference.hpp"

namespace trawl::session {

struct HaplotypeSites {
  /// In the order of the output: each site whose letters have an alternative allele, once, with all who have it. Their
  /// places are those of the reference.
  std::vector<scan::SiteRecord> records;
  std::vector<std::string> warnings;  // about the VCF
};

/// Searches the alleles of the VCF `path`. Throws IoError, InputError.
HaplotypeSites haplotype_sites(const std::string& path, const sequence::Reference& reference, scan::Finder& finder,
                               const std::vector<scan::Query>& queries, scan::ScanOptions options);

/// Passes on the records that it takes, with others between them.
class MergingSink final : public io::RecordSink {
 public:
  /// `others`: in the order of the output. All must outlive this object.
  MergingSink(io::RecordSink& to, std::span<const scan::SiteRecord> others) : to_(to), others_(others) {}

  void write(std::span<const scan::SiteRecord> records, const sequence::ContigNames& contig_names) override;
  /// The rest. `contig_names`: of the whole reference.
  void finish(const sequence::ContigNames& contig_names);

 private:
  io::RecordSink& to_;
  std::span<const scan::SiteRecord> others_;  // that are not passed on yet
};

}  // namespace trawl::session
