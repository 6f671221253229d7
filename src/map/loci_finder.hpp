// Finds all loci of a group of reads on the CPU: by seeds, candidates and verification, or by a scan of the whole
// reference.
//
//   with: const sequence::Reference reference = reference_of("GGCTAGATTACAGATTTCAGCATGCCA")
//   with: const sequence::EncodedRead forward = read_of("GATTACAGATTACAGCATG")
//   with: const sequence::EncodedRead reverse = read_of("CATGCTGTAATCTGTAATC")
//   const seed::SeedIndex index(reference, 8, 1);
//   LociFinder finder(reference, index, {});
//   const std::vector<Strand> strands = {{&forward, 1, 1}, {&reverse, 1, 1}};
//   finder.find(strands);
//   if (finder.left_to_scan(0)) {
//     finder.scan(strands);
//   }
//   finder.loci(0)[0].distance == 1
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "align/locus.hpp"
#include "engine/engine.hpp"
#include "map/candidates.hpp"
#include "map/options.hpp"
#include "map/strand_loci.hpp"
#include "map/verification.hpp"
#include "map/verify.hpp"
#include "seed/seed_index.hpp"
#include "seed/seed_selection.hpp"
#include "sequence/reference.hpp"

namespace trawl::map {

/// Checks loci that a search for fewer edits than allowed has found: are they separate loci, or parts of one?
///
/// A locus is a longest possible run of ends with D <= e. A search for fewer edits sees shorter runs, and in tandem
/// repeats two of them may be parts of one locus. Two runs are separate if some end between them has D > e. Such an end
/// mostly lies right after the first run, and checking one window there proves it.
class Separation {
 public:
  Separation(const sequence::Reference& reference, bool ambiguous_matches)
      : reference_(reference), ambiguous_matches_(ambiguous_matches) {}

  /// Removes all that was added. The strand numbers in add() are indices into `strands`.
  void start(const std::vector<Strand>& strands);
  /// Adds the loci of strand `s`, in ascending order. All must have D <= max_edits of the strand, and
  /// band_width(allowed_edits) must not be 0.
  void add(std::uint32_t s, std::span<const align::Locus> loci);
  /// Checks all strands. After this, proven(s) says whether all loci of strand s are known to be separate.
  void prove();
  bool proven(std::uint32_t s) const { return !unproven_[s]; }

 private:
  const sequence::Reference& reference_;
  bool ambiguous_matches_;
  std::vector<Strand> strands_;  // as given, but with all allowed edits as max_edits
  std::vector<bool> unproven_;
  WindowQueues queues_;  // windows with the exact D at some ends between two loci of one strand
  std::vector<BandDistances> verified_;
};

class LociFinder {
 public:
  /// Reads to search together: enough to fill the SIMD lanes, but so few that their loci stay in the cache.
  static constexpr std::size_t kGroupReads = 256;
  /// Reads to scan together: enough to fill the SIMD lanes, but few, because there may be millions of loci.
  static constexpr std::size_t kScannedReads = 16;

  LociFinder(const sequence::Reference& reference, const seed::SeedIndex& index, const MapOptions& options);

  /// Whether scan() keeps all loci. Otherwise it keeps those that matter for a single read.
  void keep_all(bool all) { kept_strata_ = all ? kMaxEdits : strata_; }
  /// From now on all loci are kept, and their runs, too. The strands are parts of reads of up to `longest_read` bases,
  /// so how ambiguous whole reads are is not known.
  void keep_runs(std::size_t longest_read) {
    rule_.with_runs = true;
    rule_.longest_whole = longest_read;
  }

  /// Searches `strands` by seeds. Strands come in pairs of one read, the forward strand first. Each read must be longer
  /// than its max_edits. After this, loci(s) are those of strand s, unless left_to_scan(s) is true.
  void find(const std::vector<Strand>& strands);
  /// True if the read of strand s cannot be seeded, or if a scan is cheaper. Then call scan() with both its strands.
  bool left_to_scan(std::size_t strand) const { return left_to_scan_[strand]; }

  /// Searches `strands`, in pairs as above, by a scan of the whole reference. Such reads may have very many loci, so
  /// pass only a few reads at a time.
  void scan(const std::vector<Strand>& strands);

  /// The loci of a strand, ascending, and after keep_runs() their runs. Strands come in pairs, the forward one first:
  /// `align::Locus::reverse` is true for odd numbers.
  std::span<const align::Locus> loci(std::size_t strand) const { return found_.loci(strand); }
  std::span<const align::EndRange> runs(std::size_t strand) const { return found_.runs(strand); }

  /// True if the loci of strand s are the same as those that a search for all allowed edits would find up to max_edits.
  /// If false, search the strand again for all allowed edits.
  bool proven(std::size_t strand) const { return separation_.proven(static_cast<std::uint32_t>(strand)); }

  const engine::StageSeconds& seconds() const { return seconds_; }

 private:
  // A strand between its seeds and its candidates.
  struct SeededStrand {
    std::uint32_t strand = 0;
    seed::SeedSelection selection;
    CandidateFinder candidates;
  };

  void seed_strands(const std::vector<Strand>& strands);
  void seed_group(const std::vector<Strand>& strands, std::span<SeededStrand> slots);
  // Whether its seeds are those of one read, and the letters beside a hit tell its edits.
  bool are_own(const Strand& strand) const;
  // `read`: the strands of one read that are searched; `strand`: one of them.
  bool scan_is_cheaper(const Strand& strand, std::span<const SeededStrand> read) const;
  // Both strands of the read of this one, and those that share its seeds.
  void leave_to_scan(const std::vector<Strand>& strands, std::uint32_t strand);
  void separate(const std::vector<Strand>& strands);

  SearchRule rule_;
  const seed::SeedIndex& index_;
  std::uint32_t strata_;  // loci up to this many edits worse than the best of their strand are needed too
  std::uint32_t kept_strata_;
  StrandLoci found_;
  Verification verification_;
  Separation separation_;
  std::vector<std::uint32_t> order_;  // of the strands
  std::vector<SeededStrand> slots_;
  std::vector<bool> left_to_scan_;
  engine::StageSeconds seconds_;
};

}  // namespace trawl::map
