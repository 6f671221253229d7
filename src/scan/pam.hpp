// The motif (PAM) beside a guide: one or several, exact or with mismatches.
//
//   const Pam pam = make_pam({"NGG", "NAG"}, true, 0);
//   pam.bases == "NRG"                                    // what an engine searches
//   const auto text = [](std::uint32_t i) { return sequence::iupac_set("TAG"[i]); };
//   PamSites(pam, false).mismatches(text) == 0            // of the text beside a guide; nothing: it is no PAM
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sequence/pattern.hpp"

namespace trawl::scan {

/// A motif next to the guide. An engine searches `bases`, which must match exactly; of several motifs, and with
/// mismatches, it is wider than what is allowed, and SiteFinder leaves out the sites that are not.
struct Pam {
  std::string bases;    // IUPAC; empty: none
  bool is_last = true;  // 3': after the guide; otherwise 5': before it
  /// For primers, instead of `bases`: how many last letters of each pattern must match exactly. Patterns have more.
  std::uint32_t three_prime = 0;
  std::vector<std::string> motifs{};  // as long as `bases`; empty: only `bases`
  std::uint32_t max_mismatches = 0;   // in a motif

  bool is_given() const { return !bases.empty() || three_prime > 0; }
  /// Whether a place that matches `bases` may still be no PAM.
  bool is_relaxed() const { return motifs.size() > 1 || max_mismatches > 0; }
};

/// `motifs`: IUPAC letters in upper case, at least one, all of the same length; `max_mismatches` is at most that
/// length.
Pam make_pam(std::vector<std::string> motifs, bool is_last, std::uint32_t max_mismatches);

/// Patterns as they are searched and written: with their PAM.
///
///   with_pam({{"g", "GATTACA"}}, make_pam({"NGG"}, true, 0))[0].bases == "GATTACANGG"
sequence::PatternList with_pam(const sequence::PatternList& patterns, const Pam& pam);

/// The share of all places of random text that have the PAM, at most.
double site_rate(const Pam& pam);

/// Says which places are a PAM, on one strand.
class PamSites {
 public:
  /// `reverse`: motifs are compared with the text of the other strand.
  PamSites(const Pam& pam, bool reverse);

  /// The sets of bases of each motif, in the direction of the text.
  const std::vector<std::vector<std::uint8_t>>& motifs() const { return motifs_; }
  std::uint32_t max_mismatches() const { return max_mismatches_; }
  std::uint32_t length() const { return static_cast<std::uint32_t>(motifs_.front().size()); }

  /// The fewest mismatches with one of the motifs. Nothing: they are too many, or a letter has no base; letter i of the
  /// text matches the bases set_at(i).
  template <class SetAt>
  std::optional<std::uint32_t> mismatches(SetAt&& set_at) const {
    std::uint32_t fewest = max_mismatches_ + 1;
    for (const auto& motif : motifs_) {
      std::uint32_t count = 0;
      for (std::uint32_t i = 0; i < motif.size(); ++i) {
        const unsigned set = set_at(i);
        if (set == 0) {
          return std::nullopt;
        }
        count += (set & motif[i]) == 0 ? 1 : 0;
      }
      fewest = count < fewest ? count : fewest;
    }
    return fewest <= max_mismatches_ ? std::optional(fewest) : std::nullopt;
  }

 private:
  std::vector<std::vector<std::uint8_t>> motifs_;
  std::uint32_t max_mismatches_;
};

}  // namespace trawl::scan
