// A site of a guide as people look at it: guide and text side by side, and what follows from that.
//
//   with: const SiteRecord& record, const RecordTexts& texts
//   const GuideRules rules{.pam = make_pam({"NGG"}, true, 0)};
//   AlignedSite site(rules);
//   site.align(record, texts, "GACGCATAAAGATGAGACGC");    // the guide, without its PAM
//   site.pattern == "GACGCATaAAGATGAGACGCNGG"
//   site.text == "GACGCAT-AtGATGAGACGCTGG"
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "scan/pam.hpp"
#include "scan/report/guide_scores.hpp"
#include "scan/report/record.hpp"

namespace trawl::scan {

struct GuideRules {
  Pam pam;
  bool ambiguous_matches = false;
  std::uint32_t seed_length = 12;  // bases of the guide nearest the PAM
};

/// How many bases lie between a PAM and the cut: of Cas9, whose PAM follows the guide; of Cas12a.
inline constexpr std::uint64_t kCutBeforePam = 3, kCutAfterPam = 18;

/// Holds one site at a time, and can be used again.
class AlignedSite {
 public:
  /// `rules` must outlive this object and have a PAM.
  explicit AlignedSite(const GuideRules& rules);

  void align(const SiteRecord& record, const RecordTexts& texts, std::string_view guide);

  /// Both in the direction of the guide, with the PAM, equally long. A bulge is '-' on the other side. The letters of a
  /// mismatch are in lower case, on both sides. The PAM of the pattern is the motif that the text is most like.
  std::string pattern, text;
  std::string cigar;     // in the direction of the guide
  std::string_view pam;  // the letters of the text; valid until the next call
  std::uint32_t pam_mismatches = 0;
  std::uint32_t seed_mismatches = 0;
  /// Bases in bulges of the seed: bases of the guide in the seed, and bases of the text nearer to the PAM than the
  /// seed's last base.
  std::uint32_t seed_bulges = 0;
  /// Where the strand with the PAM is cut: between the bases cut - 1 and cut of the contig. 3 bases before a PAM after
  /// the guide (Cas9), 18 bases after a PAM before it (Cas12a, whose other strand is cut 5 bases later). None if the
  /// site has fewer bases, or insertions or deletions of a haplotype.
  std::optional<std::uint64_t> cut;
  /// As `text`, of the record's alignment without bulges. Empty: there is none.
  std::string ungapped;
  /// MIT of the alignment without bulges. CFD of that, or of the one with bulges if it is larger.
  std::optional<GuideScores> scores;

 private:
  std::string_view pam_of(std::string_view letters) const;
  std::uint32_t put_pam(std::string_view letters, std::string& to_pattern, std::string& to_text) const;
  void put_ungapped(const SiteRecord& record, std::string_view guide);
  void score(std::string_view guide);

  const GuideRules& rules_;
  std::string room_;
  RecordTexts ungapped_room_;
};

/// The elements of a CIGAR in the opposite order.
std::string reversed_cigar(std::string_view cigar);

}  // namespace trawl::scan
