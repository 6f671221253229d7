// The alternative alleles of a VCF, contig by contig, and which haplotypes have them.
//
//   with: const VariantReader::Letters& letters
//   VariantReader variants("calls.vcf.gz");
//   scan::AlleleList list;
//   std::string contig;
//   while (variants.next(contig, list, letters)) { ... }
#pragma once

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "io/format/htslib_owner.hpp"
#include "scan/haplotypes.hpp"

namespace trawl::io {

/// What was not taken as it stands, so far.
struct VariantCounts {
  /// Alleles that are not only A, C, G, T and N, such as <DEL>, or lie before the first base or on contigs that the
  /// reference does not have.
  std::uint64_t left_out = 0;
  /// Alleles of records without GT in a VCF with samples. No haplotype has them.
  std::uint64_t without_genotypes = 0;
  std::uint64_t taken = 0;     // records
  std::uint64_t on_codes = 0;  // of these: the reference has an IUPAC code where REF has a base that it can stand for
  std::uint64_t odd = 0;       // records left out: they are no VCF, or do not fit the reference
  std::string first_odd;       // where it is, and why
  std::string undeclared;  // where a record first has a contig, INFO, FILTER or FORMAT that the header does not declare
};

class VariantReader {
 public:
  /// VCF, plain or compressed by bgzip, or BCF. Throws IoError, InputError.
  explicit VariantReader(const std::string& path);

  /// Letters of a contig of the reference; nothing if it has no such contig, or no such letters.
  using Letters = std::function<std::optional<std::string>(const std::string&, std::uint64_t, std::uint64_t)>;

  /// The alleles of the next contig; false at the end. Contigs that the reference does not have are left out. Haplotype
  /// 2 s is the first one of sample s, 2 s + 1 the second one. Without samples, each allele is a haplotype of its own.
  /// A record is left out if it is no VCF, its REF is not what the reference has, or a sample has more than two
  /// alleles. Throws InputError if this holds for most records, the VCF is not sorted, the data are damaged, or the
  /// reference has none of the contigs.
  bool next(std::string& contig, scan::AlleleList& list, const Letters& letters);

  const std::vector<std::string>& samples() const { return samples_; }
  const VariantCounts& counts() const { return counts_; }

 private:
  std::string place() const;
  [[noreturn]] void fail(const std::string& what) const;
  void leave_out(const std::string& where, const std::string& what);
  bool read();
  bool fits(const std::string& contig, const Letters& letters);
  void add(scan::AlleleList& list, const std::string& contig);

  std::string path_;
  HtslibOwner<htsFile> file_;
  HtslibOwner<bcf_hdr_t> header_;
  HtslibOwner<bcf1_t> record_;
  std::unique_ptr<std::int32_t, void (*)(void*)> genotypes_{nullptr, std::free};
  int genotypes_room_ = 0;
  int genotypes_count_ = 0;               // of the record; not positive: it has none
  std::unordered_set<std::string> done_;  // contigs
  std::string foreign_;                   // the first contig that the reference does not have
  std::vector<std::string> samples_;
  VariantCounts counts_;
  bool has_record_ = false;  // a record was read that next() has not taken
};

}  // namespace trawl::io
