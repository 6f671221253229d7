// What a search finds: the loci of its strands, made from ends and their distances.
//
//   with: const sequence::Reference reference = reference_of("GGCTAGATTACAGATTTCAGCATGCCA")
//   with: const sequence::EncodedRead read = read_of("GATTACA")
//   const SearchRule rule(reference, {});
//   StrandLoci found(rule);
//   found.start({{&read, 1, 1}, {&read, 1, 1}});
//   found.begin(0);
//   found.add(sequence::kContigGap + 10, std::vector<std::uint16_t>{1, 0, 1});    // D at three ends
//   found.end();
//   found.loci(0)[0].end == sequence::kContigGap + 11
//   found.loci(1).empty()
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "align/locus.hpp"
#include "map/options.hpp"
#include "map/verify.hpp"
#include "sequence/reference.hpp"

namespace trawl::map {

/// What holds for all strands of a search.
struct SearchRule {
  SearchRule(const sequence::Reference& text, const MapOptions& options)
      : reference(text),
        search(options.search),
        gaps(options.gaps()),
        ambiguous_matches(options.ambiguous == Ambiguous::match),
        reference_matches_more(ambiguous_matches && !text.ambiguous_runs().empty()),
        max_ambiguous(options.max_ambiguous) {}

  const sequence::Reference& reference;
  SearchMethod search;
  bool gaps;  // false: mismatches only, and every end is a locus
  bool ambiguous_matches;
  bool reference_matches_more;  // ambiguous reference bases match, so seeds alone do not find everything
  sequence::AmbiguousLimit max_ambiguous;
  /// All loci are wanted, and their runs, too. The strands are parts of reads of up to `longest_whole` bases, so
  /// how ambiguous the whole reads are is not known.
  bool with_runs = false;
  std::size_t longest_whole = 0;

  /// Whether ends do not count that cover too many ambiguous bases.
  bool may_lean() const { return reference_matches_more && !with_runs; }
  /// No alignment that is wanted reaches further into a run of ambiguous bases.
  std::uint64_t deepest(const std::vector<Strand>& strands) const;
  /// Drops the ends that cover too many ambiguous bases.
  void drop_leaning(const Strand& strand, std::vector<align::EndDistance>& ends) const;
};

class StrandLoci {
 public:
  /// `rule` must outlive it.
  explicit StrandLoci(const SearchRule& rule) : rule_(rule) {}

  /// Removes all loci. Strands come in pairs of one read, the forward strand first.
  void start(const std::vector<Strand>& strands);

  /// Takes the ends of a strand, window by window, the windows in ascending order. Those with D > max_edits do not
  /// count.
  void begin(std::uint32_t strand);
  void add(std::int64_t first_end, std::span<const std::uint16_t> distances);
  void end();
  /// More ends of a strand, in ascending order; if the reference matches more.
  void add_late(std::uint32_t strand, std::span<const align::EndDistance> ends) {
    late_[strand].insert(late_[strand].end(), ends.begin(), ends.end());
  }
  /// All loci of a strand.
  void put(std::uint32_t strand, std::span<const align::Locus> loci, std::span<const align::EndRange> runs);
  /// When all ends are known.
  void finish();
  /// Drops loci on circular contigs that are the same as others.
  void drop_repeats();

  /// Ascending. `align::Locus::reverse` is true for odd numbers.
  std::span<const align::Locus> loci(std::size_t strand) const {
    return std::span(loci_).subspan(ranges_[strand].first, ranges_[strand].count);
  }
  /// The runs of loci(strand), if the rule asks for them.
  std::span<const align::EndRange> runs(std::size_t strand) const {
    return std::span(runs_).subspan(ranges_[strand].first, ranges_[strand].count);
  }

 private:
  struct LociRange {
    std::size_t first = 0;
    std::size_t count = 0;
  };

  const SearchRule& rule_;
  std::span<const Strand> strands_;
  std::vector<align::Locus> loci_;
  std::vector<align::EndRange> runs_;  // of loci_, if they are wanted
  std::vector<LociRange> ranges_;      // by strand
  std::uint32_t strand_ = 0;           // whose ends are taken
  align::LocusBuilder builder_;
  std::vector<std::vector<align::EndDistance>> late_;  // by strand: ends that do not come in ascending order
};

}  // namespace trawl::map
