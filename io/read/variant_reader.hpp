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

class VariantReader {
 public:
  /// VCF, plain or compressed by bgzip, or BCF. Throws IoError, InputError.
  explicit VariantReader(const std::string& path);

  /// Letters of a contig of the reference; nothing if it has no such contig, or no such letters.
  using Letters = std::function<std::optional<std::string>(const std::string&, std::uint64_t, std::uint64_t)>;

  /// The alleles of the next contig; false at the end. Contigs that the reference does not have are left out. Haplotype
  /// 2 s is the first one of sample s, 2 s + 1 the second one. Without samples, each allele is a haplotype of its own.
  /// Throws InputError if the VCF is not sorted or damaged, a REF is not what the reference has, a sample has more than
  /// two alleles, or the reference has none of the contigs.
  bool next(std::string& contig, scan::AlleleList& list, const Letters& letters);

  const std::vector<std::string>& samples() const { return samples_; }
  /// Alleles that are no letters, such as <DEL>, and alleles on contigs that the reference does not have, so far.
  std::uint64_t left_out() const { return left_out_; }
  /// Alleles of records without GT in a VCF with samples, so far. No haplotype has them.
  std::uint64_t without_genotypes() const { return without_genotypes_; }

 private:
  [[noreturn]] void fail(const std::string& what) const;
  bool read();
  void add(scan::AlleleList& list, const std::string& contig);

  std::string path_;
  HtslibOwner<htsFile> file_;
  HtslibOwner<bcf_hdr_t> header_;
  HtslibOwner<bcf1_t> record_;
  std::unique_ptr<std::int32_t, void (*)(void*)> genotypes_{nullptr, std::free};
  int genotypes_room_ = 0;
  std::unordered_set<std::string> done_;  // contigs
  std::string foreign_;                   // the first contig that the reference does not have
  std::vector<std::string> samples_;
  std::uint64_t left_out_ = 0;
  std::uint64_t without_genotypes_ = 0;
  bool has_record_ = false;  // a record was read that next() has not taken
};

}  // namespace trawl::io
