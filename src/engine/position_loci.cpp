#include "engine/position_loci.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "sequence/alphabet.hpp"

namespace trawl::engine {

namespace {

// Neighbouring reads share seeds: parts of the bases that all of them hold. These are fewer, the more reads share them,
// and must still have room for seeds that are rare.
std::uint32_t reads_that_share(const ReferenceReads& reads) {
  constexpr std::uint32_t kBasesOfSeed = 24;
  const std::uint32_t needed = (reads.max_edits + 1) * kBasesOfSeed;
  return reads.length > needed ? reads.length - needed + 1 : 1;
}

}  // namespace

PositionLoci::PositionLoci(const sequence::Reference& reference, const ReferenceReads& reads,
                           std::unique_ptr<RangeFinder> finder)
    : reference_(reference),
      reads_(reads),
      finder_(std::move(finder)),
      sharing_(finder_->shares_seeds() ? reads_that_share(reads) : 1) {}

void PositionLoci::count(std::uint64_t first, std::span<std::uint64_t> counts) {
  make_queries(first, counts.size());
  finder_->find(queries_, ranges_);
  std::fill(counts.begin(), counts.end(), 0);
  for (std::size_t q = 0; q < queries_.size(); ++q) {
    counts[places_[q]] = ranges_.first[2 * q + 2] - ranges_.first[2 * q];
  }
}

// A read with more ambiguous bases than edits has no locus, and needs no query.
void PositionLoci::make_queries(std::uint64_t first, std::uint64_t reads) {
  text_.clear();
  reference_.append_letters(first, first + reads + reads_.length - 1, text_);
  const std::string_view text = text_;
  queries_.clear();
  places_.clear();
  const auto is_ambiguous = [&](std::uint64_t at) { return sequence::base_code(text[at]) == sequence::kAmbiguous; };
  std::uint64_t ambiguous = 0;  // in the read
  for (std::uint64_t i = 0; i + 1 < reads_.length; ++i) {
    ambiguous += is_ambiguous(i) ? 1 : 0;
  }
  for (std::uint64_t r = 0; r < reads; ++r) {
    ambiguous += is_ambiguous(r + reads_.length - 1) ? 1 : 0;
    if (ambiguous <= reads_.max_edits) {
      RangeQuery query{text.substr(r, reads_.length), reads_.max_edits};
      query.read = text;
      if (sharing_ > 1) {
        const std::uint64_t last = std::min(reads, (r / sharing_ + 1) * sharing_) - 1;
        query.region = text.substr(last, r / sharing_ * sharing_ + reads_.length - last);
        query.seeds = reads_.max_edits + 1;
        query.seed_length = 1;
      }
      queries_.push_back(query);
      places_.push_back(static_cast<std::uint32_t>(r));
    }
    ambiguous -= is_ambiguous(r) ? 1 : 0;
  }
}

}  // namespace trawl::engine
