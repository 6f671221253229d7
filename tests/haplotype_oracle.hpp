// Haplotypes as bcftools consensus makes them of a phased VCF, and where their letters lie in the reference.
//
//   with: const std::string contig = "GGACGTACGTGG"
//   VcfRecord record{.position = 4, .ref = "G", .alts = {"A", "GT"}};
//   const OracleHaplotype haplotype("c", contig, {record}, {2});   // it has the second allele of the record
//   haplotype.letters == "GGACGTTACGTGG"
//   haplotype.place(4, 7).alleles == "c:5:G>GT"
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace trawl::tests {

struct VcfRecord {
  std::size_t position = 0;  // 0-based
  std::string ref;
  std::vector<std::string> alts;
};

class OracleHaplotype {
 public:
  /// `choices`: the allele that it has of each record, 0 for REF. Alleles that overlap one before are left out.
  OracleHaplotype(const std::string& name, const std::string& contig, const std::vector<VcfRecord>& records,
                  const std::vector<std::size_t>& choices) {
    std::optional<std::size_t> last;  // the last letter of the last REF
    bool adds = false;
    std::size_t done = 0;
    for (std::size_t n = 0; n < records.size(); ++n) {
      if (choices[n] == 0) {
        continue;
      }
      const auto& [position, ref, alts] = records[n];
      const std::string& alt = alts.at(choices[n] - 1);
      std::size_t same = 0;
      while (same < std::min(ref.size(), alt.size()) && ref[same] == alt[same]) {
        ++same;
      }
      std::string old_letters = ref.substr(same), new_letters = alt.substr(same);
      while (!old_letters.empty() && !new_letters.empty() && old_letters.back() == new_letters.back()) {
        old_letters.pop_back();
        new_letters.pop_back();
      }
      const bool is_gap = old_letters.empty() || new_letters.empty();
      const bool is_behind = last == position && same > 0 && is_gap && !adds;
      if (last && position <= *last && !is_behind) {
        continue;
      }
      last = position + ref.size() - 1;
      adds = alt.size() > ref.size();
      const std::size_t begin = position + same, end = begin + old_letters.size();
      letters += contig.substr(done, begin - done);
      alleles_.push_back({letters.size(), letters.size() + new_letters.size(), begin, end,
                          name + ":" + std::to_string(position + 1) + ":" + ref + ">" + alt});
      letters += new_letters;
      done = end;
    }
    letters += contig.substr(done);
  }

  std::string letters;

  struct Place {
    std::size_t begin = 0;  // in the reference
    std::size_t end = 0;
    std::string alleles;  // their names, with commas between them
  };
  /// Of the letters from `begin` to `end`.
  Place place(std::size_t begin, std::size_t end) const {
    Place found;
    std::optional<std::size_t> first, last;
    const auto in_reference = [](std::size_t at, const Allele* before) {
      return before == nullptr ? at : at - before->end + before->ref_end;
    };
    const Allele* before = nullptr;
    for (const Allele& allele : alleles_) {
      const std::size_t replaced = allele.ref_end - allele.ref_begin;
      if (!first && begin < allele.begin) {
        first = in_reference(begin, before);
      }
      if (!last && end <= allele.begin) {
        last = in_reference(end, before);
      }
      if (allele.end > allele.begin ? begin < allele.end && end > allele.begin
                                    : begin < allele.begin && end > allele.begin) {
        found.alleles += (found.alleles.empty() ? "" : ",") + allele.name;
      }
      if (!first && begin < allele.end) {
        first = allele.ref_begin + std::min(begin - allele.begin, replaced);
      }
      if (!last && end <= allele.end) {
        last = end == allele.end ? allele.ref_end : allele.ref_begin + std::min(end - allele.begin, replaced);
      }
      before = &allele;
    }
    found.begin = first.value_or(in_reference(begin, before));
    found.end = last.value_or(in_reference(end, before));
    return found;
  }

 private:
  struct Allele {
    std::size_t begin, end;  // in `letters`
    std::size_t ref_begin, ref_end;
    std::string name;
  };
  std::vector<Allele> alleles_;
};

}  // namespace trawl::tests
