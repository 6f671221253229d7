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

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "align/locus.hpp"
#include "engine/engine.hpp"
#include "map/candidates.hpp"
#include "map/column_scan.hpp"
#include "map/options.hpp"
#include "map/reference_scan.hpp"
#include "map/separation.hpp"
#include "map/verify.hpp"
#include "seed/seed_index.hpp"
#include "seed/seed_selection.hpp"
#include "sequence/encoded_read.hpp"
#include "sequence/reference.hpp"
#include "sequence/text_window.hpp"

namespace trawl::map {

class LociFinder {
 public:
  /// Reads to search together: enough to fill the SIMD lanes, but so few that their loci stay in the cache.
  static constexpr std::size_t kGroupReads = 256;
  /// Reads to scan together: enough to fill the SIMD lanes, but few, because there may be millions of loci.
  static constexpr std::size_t kScannedReads = 16;

  LociFinder(const sequence::Reference& reference, const seed::SeedIndex& index, const Options& options);

  /// Whether scan() keeps all loci. Otherwise it keeps those that matter for a single read.
  void keep_all(bool all) { kept_strata_ = all ? kMaxEdits : strata_; }
  /// From now on all loci are kept, and their runs, too. The strands are parts of reads of up to `longest_read` bases,
  /// so what the reads lean on is not known.
  void keep_runs(std::size_t longest_read) {
    with_runs_ = true;
    longest_whole_ = longest_read;
  }

  /// Searches `strands` by seeds. Strands come in pairs of one read, the forward strand first. Each read must be longer
  /// than its max_edits. After this, loci(s) are those of strand s, unless left_to_scan(s) is true.
  void find(const std::vector<Strand>& strands);
  /// True if the read of strand s cannot be seeded, or if a scan is cheaper. Then call scan() with both its strands.
  bool left_to_scan(std::size_t strand) const { return left_to_scan_[strand]; }

  /// Searches `strands`, in pairs as above, by a scan of the whole reference. Such reads may have very many loci, so
  /// pass only a few reads at a time.
  void scan(const std::vector<Strand>& strands);

  /// The loci of a strand, ascending. Strands come in pairs, the forward one first: `align::Locus::reverse` is
  /// true for odd numbers.
  std::span<const align::Locus> loci(std::size_t strand) const {
    return std::span(loci_).subspan(ranges_[strand].first, ranges_[strand].count);
  }

  /// The runs of loci(strand), after keep_runs().
  std::span<const align::EndRange> runs(std::size_t strand) const {
    return std::span(runs_).subspan(ranges_[strand].first, ranges_[strand].count);
  }

  /// True if the loci of strand s are the same as those that a search for all allowed edits would find up to max_edits.
  /// If false, search the strand again for all allowed edits.
  bool proven(std::size_t strand) const { return separation_.proven(static_cast<std::uint32_t>(strand)); }

  const engine::StageSeconds& seconds() const { return seconds_; }

 private:
  struct Range {
    std::size_t first = 0;
    std::size_t count = 0;
  };
  // Windows of one band width that wait for verification.
  struct Queue {
    unsigned band = 0;
    std::vector<Window> windows;
  };
  // A strand between its seeds and its candidates.
  struct Slot {
    std::uint32_t strand = 0;
    seed::SeedSelection selection;
    CandidateFinder candidates;
  };

  void seed_strands(const std::vector<Strand>& strands);
  bool add_exact(const Strand& strand, std::uint32_t s, std::int64_t diagonal);
  void leave_to_scan(const std::vector<Strand>& strands, std::uint32_t strand);
  void seed_group(const std::vector<Strand>& strands, std::span<Slot> slots);
  void verify_sharing(const std::vector<Strand>& strands, std::uint32_t first,
                      const std::vector<std::int64_t>& diagonals);
  bool set_gate(const std::vector<Strand>& strands, std::uint32_t first);
  void measure_at_gate(const std::vector<std::int64_t>& diagonals);
  void count_mismatches(const std::vector<Strand>& strands, std::uint32_t strand,
                        const std::vector<std::int64_t>& diagonals);
  std::optional<std::uint32_t> mismatches_at(const Strand& strand, std::int64_t begin);
  void verify_strand(const std::vector<Strand>& strands, std::uint32_t strand,
                     const std::vector<std::int64_t>& diagonals);
  void add_windows(const std::vector<Strand>& strands, std::uint32_t strand, const std::vector<std::int64_t>& diagonals,
                   std::vector<Window>& windows);
  void verify(const std::vector<Strand>& strands, Queue& queue);
  void verify_wide(const Strand& strand, const std::vector<std::int64_t>& diagonals,
                   std::vector<align::EndDistance>& found);
  void scan_around_ambiguous(const std::vector<Strand>& strands);
  // Whether an end can be none because it leans on ambiguous bases.
  bool may_lean() const { return reference_matches_more_ && !with_runs_; }
  std::uint64_t deepest(const std::vector<Strand>& strands) const;
  void drop_leaning(const Strand& strand, std::vector<align::EndDistance>& ends) const;
  void start(const std::vector<Strand>& strands);
  void start_builder(const Strand& strand, bool reverse);
  void separate(const std::vector<Strand>& strands);
  void drop_repeats();
  void build_loci(const std::vector<Strand>& strands, std::uint32_t strand, std::vector<align::EndDistance>& found);
  // `hits`: the number of hits of the seeds of both strands.
  bool scan_is_cheaper(const Strand& strand, std::uint64_t hits) const;

  const sequence::Reference& reference_;
  const seed::SeedIndex& index_;
  Search search_;
  std::uint32_t strata_;  // loci up to this many edits worse than the best of their strand are needed too
  std::uint32_t kept_strata_;
  bool ambiguous_matches_;
  sequence::AmbiguousLimit max_ambiguous_;
  bool gaps_;                    // false: mismatches only, and every end is a locus
  bool reference_matches_more_;  // ambiguous reference bases match, so seeds alone do not find everything

  bool with_runs_ = false;
  std::size_t longest_whole_ = 0;

  std::vector<align::Locus> loci_;
  std::vector<align::EndRange> runs_;  // of loci_, if they are wanted
  std::vector<Range> ranges_;
  align::LocusBuilder builder_;

  std::vector<std::uint32_t> order_;
  std::vector<Slot> slots_;
  std::array<Queue, 3> queues_{Queue{16, {}}, Queue{32, {}}, Queue{64, {}}};
  std::vector<BandDistances> verified_;
  std::vector<Strand> gate_{1};  // the bases that all strands with the same seeds hold
  sequence::EncodedRead gate_bases_;
  std::vector<Window> gate_windows_;
  std::vector<std::uint32_t> gate_distances_;  // per diagonal: the fewest edits of these bases there
  std::vector<std::int64_t> passed_;           // diagonals
  std::vector<bool> left_to_scan_;
  std::vector<std::vector<align::EndDistance>> ends_;  // per strand, if windows do not come in ascending order
  sequence::TextWindow text_;
  ColumnScan columns_;
  Separation separation_;
  engine::StageSeconds seconds_;
};

}  // namespace trawl::map
