// Where reads may lie that fit nowhere with the edits and the penalty that are searched: stretches of the reference
// that have words of the read, one by one without an edit. A place without such a word is not found.
//
//   with: const sequence::Reference& reference, engine::RangeFinder& finder
//   with: const sequence::ReadBatch& batch, const std::vector<std::uint32_t>& reads
//   Anchors anchors(reference, finder);
//   anchors.find(batch, reads);
//   for (const Anchors::AnchorStretch& stretch : anchors.of(0)) { ... }       // for the first of `reads`
//
//   reference   ...................................................
//   words               ====    ====  ====         ====                those of one stretch lie on diagonals that
//   stretch       [-----------------------------------------]          differ by at most a fifth of the read
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/engine.hpp"
#include "sequence/read_batch.hpp"
#include "sequence/reference.hpp"

namespace trawl::rescue {

class Anchors {
 public:
  /// A word has kWord bases, and begins kStep bases after the one before. In a read with N the words begin anew
  /// after each of them, and are shorter where there are fewer bases up to the next one.
  static constexpr std::uint32_t kWord = 20;
  static constexpr std::uint32_t kShortestWord = 16;
  static constexpr std::uint32_t kStep = 4;
  /// A word that lies at more places says nothing.
  static constexpr std::size_t kMostPlaces = 100;
  /// The best stretches of a read; one more shows that there are others.
  static constexpr std::size_t kMostStretches = 4;
  static constexpr std::uint64_t kLongestStretch = 7500;

  /// Positions [begin, end) of the coordinate space, on one contig.
  struct AnchorStretch {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    bool reverse = false;        // strand of the read
    std::uint32_t words = 0;     // different words that lie there
    std::uint32_t separate = 0;  // of them: how many can be chosen that do not overlap
  };

  /// Both must outlive this object.
  Anchors(const sequence::Reference& reference, engine::RangeFinder& finder) : reference_(reference), finder_(finder) {}

  /// Finds the stretches of these reads of the batch.
  void find(const sequence::ReadBatch& batch, std::span<const std::uint32_t> reads);

  /// Those of the i-th read: most words first, then the forward strand, then the leftmost. At most kMostStretches + 1.
  std::span<const AnchorStretch> of(std::size_t i) const {
    return std::span(stretches_).subspan(first_[i], first_[i + 1] - first_[i]);
  }
  /// Whether words of the i-th read lie at more than kMostPlaces places.
  bool has_frequent(std::size_t i) const { return has_frequent_[i]; }

 private:
  // A word of a read.
  struct ReadWord {
    std::size_t begin = 0;
    std::size_t length = 0;
  };
  struct WordHit {
    bool reverse = false;  // strand of the read
    std::size_t contig = 0;
    std::int64_t diagonal = 0;  // position of the first base of the read, if there is no gap
    std::size_t word = 0;
  };

  static void add_words(std::string_view bases, std::vector<ReadWord>& words);
  static void drop_repeated(std::string_view bases, std::size_t first, std::vector<ReadWord>& words);
  // Appends the stretches of a read with the words that are queries `first` .. `last` - 1.
  void add_stretches(std::size_t length, std::size_t first, std::size_t last);
  void collect_hits(std::size_t length, std::size_t first, std::size_t last);
  void add_stretches_of_hits(std::size_t length);

  const sequence::Reference& reference_;
  engine::RangeFinder& finder_;
  std::vector<AnchorStretch> stretches_;
  std::vector<std::size_t> first_;
  std::vector<bool> has_frequent_;
  std::vector<ReadWord> of_queries_;
  std::vector<engine::RangeQuery> queries_;
  engine::EndRanges places_;
  std::vector<WordHit> hits_;
  std::vector<std::size_t> words_;
};

}  // namespace trawl::rescue
