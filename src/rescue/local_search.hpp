// What is found by local alignment: a read where some of its words lie, and its mate near it. Here e does not count:
// the best piece may have any edits, and leave out any bases.
//
//   with: const sequence::Reference& reference, const map::MapOptions& options, align::ReadReporter& reporter
//   with: const std::vector<std::uint32_t>& reads, const Anchors& anchors
//   with: const align::InsertModel& inserts, const sequence::ReadBatch& batch, align::AlignmentBatch& results
//   LocalSearch search(reference, options, reporter, inserts);
//   search.place(batch, reads, anchors, results);
//   search.find_mates(batch, results);                          // the mates that have a new alignment
//
//   reference   ...[ first mate ------>]......................................................
//                  [ window: as long as the largest insert and the read   ]
//                                           [<---- second mate, 12 edits and 30 bases left out ]
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "align/alignment.hpp"
#include "align/read_reporter.hpp"
#include "map/options.hpp"
#include "rescue/anchors.hpp"
#include "rescue/window_scores.hpp"
#include "sequence/encoded_read.hpp"
#include "sequence/read_batch.hpp"
#include "sequence/reference.hpp"
#include "sequence/text_window.hpp"

namespace trawl::rescue {

class LocalSearch {
 public:
  /// A mate has at least this score. Random bases have so good a piece in one of a million windows of 1,000 positions.
  static constexpr std::int32_t kLeastScore = 20;
  /// What a place that does not fit the mate costs: three edits.
  static constexpr std::int32_t kUnpaired = 3 * static_cast<std::int32_t>(align::kEditPoints);
  /// The most positions of a window: those nearest to the mate.
  static constexpr std::uint32_t kLargestWindow = 5000;

  /// All must outlive this object.
  LocalSearch(const sequence::Reference& reference, const map::MapOptions& options, align::ReadReporter& reporter,
              const align::InsertModel& inserts)
      : reference_(reference), options_(options), reporter_(reporter), inserts_(inserts) {}

  /// Searches the mates of pairs that are not concordant near their partners: a mate without a place, with a poor one,
  /// with one of several that are as good, or with one by its words that is less sure than the partner's. The best
  /// piece in the window becomes the mate's alignment if it makes the pair concordant, its score is kLeastScore or
  /// more, and it is better than that of the mate's other place, which counts kUnpaired less if it is not surer than
  /// the partner. Its MAPQ is at most the partner's. Returns these mates, in ascending order: no pair has two. Their
  /// pairs do not change.
  const std::vector<std::uint32_t>& find_mates(const sequence::ReadBatch& batch, align::AlignmentBatch& results);

  /// Gives these reads the best piece in the stretches of their anchors, if its score is large enough; of equal ones
  /// one by the read's name. What they had is lost. Returns the reads that have such a place now. Pairs do not change.
  const std::vector<std::uint32_t>& place(const sequence::ReadBatch& batch, std::span<const std::uint32_t> reads,
                                          const Anchors& anchors, align::AlignmentBatch& results);

  /// Whether the penalty of a read at its place is larger than align::most_well_penalty.
  static bool is_poor(const sequence::ReadBatch& batch, std::size_t r, const align::Alignment& place);

 private:
  // Positions [begin, end) of the coordinate space.
  struct SearchWindow {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  // The best piece in a window; its alignment ends with position `last`. Unknown bases of the read (N) are no edits.
  struct LocalHit {
    LocalPiece piece;
    std::int32_t score = 0;  // the best one around it, with gaps as events
    std::uint64_t last = 0;
    std::uint32_t edits = 0;
    std::uint32_t unknown = 0;
    bool reverse = false;
  };

  bool exclude_each_other(const LocalHit& a, const LocalHit& b) const;
  // Whether the place of a read is one of several that are as good.
  static bool is_tied(std::size_t r, const align::AlignmentBatch& results);
  bool is_sought(const sequence::ReadBatch& batch, std::size_t r, const align::AlignmentBatch& results) const;
  // Whether read r at this place and its partner are concordant.
  bool fits(std::size_t r, const align::Alignment& place, const align::Alignment& partner) const;
  // Longer than the largest insert by one read, so that a read that goes on behind it is seen whole.
  SearchWindow window_near(std::size_t r, std::size_t length, bool reverse, const align::Alignment& partner) const;
  void load(const sequence::ReadBatch& batch, std::size_t r, bool reverse, const SearchWindow& window);
  // Without the unknown bases of the piece.
  std::uint32_t edits_of(const LocalPiece& piece) const;
  std::uint32_t unknown_of(const LocalPiece& piece) const;
  // The best piece where the best score lies, if that is `least` or more.
  LocalHit find(const sequence::ReadBatch& batch, std::size_t r, bool reverse, const SearchWindow& window,
                std::int32_t least);
  // The record of what find() has found.
  align::Alignment describe(const LocalHit& found, align::AlignmentBatch& results);
  // Makes an alignment the primary one of read r.
  static void put(const align::Alignment& alignment, std::size_t r, align::FoundBy by, align::AlignmentBatch& results);
  // The best score of the bases of the piece found at other positions of the window, which is loaded.
  std::int32_t rival_in(const SearchWindow& window, const LocalHit& found, std::uint64_t begin);
  // The quality of a piece that is the best one in this number of positions.
  std::int64_t quality(const LocalHit& found, double positions, std::int64_t rival) const;
  static std::int64_t quality_beside_frequent(const LocalHit& found, const Anchors::AnchorStretch& stretch);
  bool place_read(const sequence::ReadBatch& batch, std::size_t r, std::span<const Anchors::AnchorStretch> stretches,
                  bool has_frequent, align::AlignmentBatch& results);
  bool find_near(const sequence::ReadBatch& batch, std::size_t r, align::AlignmentBatch& results);

  const sequence::Reference& reference_;
  const map::MapOptions& options_;
  align::ReadReporter& reporter_;
  const align::InsertModel& inserts_;
  std::vector<std::uint32_t> mates_;
  std::vector<std::uint32_t> placed_;
  sequence::EncodedRead strands_[2];
  sequence::TextWindow text_;
  std::vector<std::uint8_t> read_sets_, text_sets_;
  WindowScores scores_;
};

}  // namespace trawl::rescue
