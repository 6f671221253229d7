// The oracle of records: the SAM lines of a read, from the oracle of a read. Tests compare engines and writers with it.
//
//   const std::vector<std::string> contigs{"TTTTACGTAACCTTTT"};   // named contig0, contig1, ..
//   RecordOracle(contigs, {}).lines({"r1", "ACGTAACC", "IIIIIIII"})
//     == {"r1 0 contig0 5 34 8M * 0 0 ACGTAACC IIIIIIII NM:i:0 MD:Z:8 AS:i:0 NH:i:1 HI:i:1 X0:i:1"}, with tabs
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "map/options.hpp"
#include "tests/read_oracle.hpp"

namespace trawl::tests {

class RecordOracle {
 public:
  /// `contigs`: in upper case, as given to make_reference(). `read_group`: the ID for RG, or empty.
  RecordOracle(const std::vector<std::string>& contigs, const map::Options& options, std::string read_group = "",
               bool keep_unmapped = true)
      : oracle_(contigs, options),
        rule_(options.report_rule()),
        read_group_(std::move(read_group)),
        keep_unmapped_(keep_unmapped) {}

  /// The read's records without line ends, the primary one first.
  std::vector<std::string> lines(const Read& read) const {
    const ReadLoci found = oracle_.find(read);
    if (found.loci.empty()) {
      return keep_unmapped_ ? std::vector{unmapped(found)} : std::vector<std::string>{};
    }
    const SingleSelection selection = select_single(found, rule_);
    std::vector<std::string> out;
    for (std::size_t k = 0; k < selection.reported.size(); ++k) {
      const AlignedLocus& locus = *selection.reported[k];
      const int flag = (locus.reverse ? 0x10 : 0) + (k > 0 ? 0x100 : 0);
      std::string line = read.name + "\t" + std::to_string(flag) + "\tcontig" + std::to_string(locus.contig) + "\t" +
                         std::to_string(locus.start + 1) + "\t" + std::to_string(k == 0 ? selection.mapq : 0) + "\t" +
                         locus.cigar + "\t*\t0\t0\t" + (k == 0 ? sequence(found.strands, locus.reverse) : "*\t*");
      line += "\tNM:i:" + std::to_string(locus.edits) + "\tMD:Z:" + locus.md;
      line += "\tAS:i:" + std::to_string(locus.score);
      line += "\tNH:i:" + std::to_string(selection.reported.size()) + "\tHI:i:" + std::to_string(k + 1);
      line += "\tX0:i:" + std::to_string(found.best_count());
      if (selection.next_known) {
        line += "\tX1:i:" + std::to_string(found.next_count());
      }
      if (selection.dropped > 0) {
        line += "\tZD:i:" + std::to_string(selection.dropped);
      }
      out.push_back(line + group_tag());
    }
    return out;
  }

 private:
  // SEQ and QUAL.
  static std::string sequence(const Strands& strands, bool reverse) {
    const auto or_star = [](const std::string& text) { return text.empty() ? "*" : text; };
    return or_star(strands.bases[reverse]) + "\t" + or_star(strands.qualities[reverse]);
  }

  std::string group_tag() const { return read_group_.empty() ? "" : "\tRG:Z:" + read_group_; }

  std::string unmapped(const ReadLoci& read) const {
    return read.name + "\t4\t*\t0\t0\t*\t*\t0\t0\t" + sequence(read.strands, false) + group_tag();
  }

  ReadOracle oracle_;
  align::ReportRule rule_;
  std::string read_group_;
  bool keep_unmapped_;
};

}  // namespace trawl::tests
