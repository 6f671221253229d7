#include "mappability/position_loci.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "sequence/alphabet.hpp"
#include "sequence/copy_letters.hpp"

namespace trawl::mappability {

namespace {

// Neighbouring reads share seeds: parts of the bases that all of them hold. These are fewer, the more reads share them,
// and must still have room for seeds that are rare.
std::uint32_t reads_that_share(const ReferenceReads& reads) {
  constexpr std::uint32_t kBasesOfSeed = 28;  // docs/record/mappability.md
  const std::uint32_t needed = (reads.max_edits + 1) * kBasesOfSeed;
  return reads.length > needed ? reads.length - needed + 1 : 1;
}

}  // namespace

PositionLoci::PositionLoci(const sequence::Reference& reference, const ReferenceReads& reads,
                           std::unique_ptr<engine::RangeFinder> finder, KnownReads& known)
    : reference_(reference),
      reads_(reads),
      finder_(std::move(finder)),
      known_(known),
      sharing_(finder_->shares_seeds() ? reads_that_share(reads) : 1) {}

void PositionLoci::count(std::uint64_t first, std::span<std::uint64_t> counts) {
  load(first, counts.size());
  make_queries(first, counts);
  finder_->find(queries_, ranges_);
  for (std::size_t q = 0; q < queries_.size(); ++q) {
    const std::uint32_t r = places_[q];
    counts[r] = ranges_.first[2 * q + 2] - ranges_.first[2 * q];
    if (counts[r] > 1 && ambiguous_[r] == 0) {
      known_.add(hashes_[r], first + r, counts[r]);
    }
  }
}

// The text of all reads, and what it says about each of them.
void PositionLoci::load(std::uint64_t first, std::uint64_t reads) {
  text_.resize(reads + reads_.length - 1);
  sequence::copy_letters(reference_, first, text_.size(), text_.data());
  ambiguous_.resize(reads);
  hashes_.resize(reads);
  ReadHash hash(reads_.length);
  std::uint32_t ambiguous = 0;
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (i >= reads_.length) {
      const std::uint8_t out = sequence::base_code(text_[i - reads_.length]);
      ambiguous -= out == sequence::kAmbiguous ? 1 : 0;
      hash.remove(out);
    }
    const std::uint8_t in = sequence::base_code(text_[i]);
    ambiguous += in == sequence::kAmbiguous ? 1 : 0;
    hash.add(in);
    if (i + 1 >= reads_.length) {
      const std::size_t r = i + 1 - reads_.length;
      ambiguous_[r] = ambiguous;
      hashes_[r] = hash.value();
      known_.prefetch(hashes_[r]);
    }
  }
}

// Of the reads that are not known. A read with more ambiguous bases than edits has no locus.
void PositionLoci::make_queries(std::uint64_t first, std::span<std::uint64_t> counts) {
  const std::string_view text = text_;
  queries_.clear();
  places_.clear();
  std::size_t group = 0;  // its first query
  for (std::uint32_t r = 0; r < counts.size(); ++r) {
    counts[r] = 0;
    if (ambiguous_[r] > reads_.max_edits) {
      continue;
    }
    if (const auto known = ambiguous_[r] == 0 ? known_.find(hashes_[r], first + r) : std::nullopt) {
      counts[r] = *known;
      continue;
    }
    if (group < queries_.size() && r - places_[group] >= sharing_) {
      share_seeds(group);
      group = queries_.size();
    }
    engine::RangeQuery query{text.substr(r, reads_.length), reads_.max_edits};
    query.read = text;
    queries_.push_back(query);
    places_.push_back(r);
  }
  share_seeds(group);
}

// The queries from this one on share seeds in the bases that all of them hold.
void PositionLoci::share_seeds(std::size_t first_query) {
  if (queries_.size() < first_query + 2) {
    return;
  }
  const std::string_view begin = queries_[first_query].bases;
  const std::string_view end = queries_.back().bases;
  for (std::size_t q = first_query; q < queries_.size(); ++q) {
    queries_[q].region = {end.data(), static_cast<std::size_t>(begin.data() + begin.size() - end.data())};
    queries_[q].seeds = reads_.max_edits + 1;
    queries_[q].seed_length = 1;
  }
}

}  // namespace trawl::mappability
