#include "mappability/position_loci.hpp"

#include <algorithm>
#include <bit>
#include <string_view>
#include <utility>

#include "base/bits.hpp"
#include "sequence/alphabet.hpp"
#include "sequence/copy_letters.hpp"
#include "sequence/packed_letters.hpp"
#include "sequence/plane_window.hpp"

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

// A human genome has about as many slots as reads with several loci.
KnownReads::KnownReads(const sequence::Reference& reference, std::uint32_t length, std::uint64_t reads)
    : reference_(reference),
      length_(length),
      slots_(std::bit_ceil(std::clamp<std::uint64_t>(reads / 16, std::uint64_t{1} << 10, std::uint64_t{1} << 25))) {}

std::optional<std::uint64_t> KnownReads::find(std::uint64_t hash, std::uint64_t position) const {
  const std::uint64_t entry = slot(hash).load(std::memory_order_relaxed);
  if (entry == 0 || entry >> (kPositionBits + kLociBits) != hash >> (64 - kHashBits)) {
    return std::nullopt;
  }
  const std::uint64_t known = entry & ((std::uint64_t{1} << kPositionBits) - 1);
  if (!has_bases_of(known, position, false) && !has_bases_of(known, position, true)) {
    return std::nullopt;
  }
  return entry >> kPositionBits & kMostLoci;
}

void KnownReads::add(std::uint64_t hash, std::uint64_t position, std::uint64_t loci) {
  if (loci <= kMostLoci && position >> kPositionBits == 0) {
    slots_[hash & (slots_.size() - 1)].store(
        hash >> (64 - kHashBits) << (kPositionBits + kLociBits) | loci << kPositionBits | position,
        std::memory_order_relaxed);
  }
}

// Whether the read at `a` is the one at `b`, or its reverse complement. A contig has a gap before it.
bool KnownReads::has_bases_of(std::uint64_t a, std::uint64_t b, bool reverse) const {
  const sequence::PlaneBlock* const planes = reference_.planes().data();
  for (std::uint32_t i = 0; i < length_; i += 64) {
    const auto first = sequence::planes_at(planes, a + i);
    auto second = sequence::planes_at(planes, reverse ? b + length_ - i - 64 : b + i);
    if (reverse) {
      second = {~reverse_bits(second.high), ~reverse_bits(second.low)};
    }
    const std::uint64_t inside = sequence::low_ones(std::min(64u, length_ - i));
    if ((((first.high ^ second.high) | (first.low ^ second.low)) & inside) != 0) {
      return false;
    }
  }
  return true;
}

PositionLoci::PositionLoci(const sequence::Reference& reference, const ReferenceReads& reads,
                           std::unique_ptr<engine::RangeFinder> finder, KnownReads& known)
    : reference_(reference),
      rule_(reads),
      finder_(std::move(finder)),
      known_(known),
      sharing_(finder_->shares_seeds() ? reads_that_share(reads) : 1),
      together_(reads_together(reads)) {}

// The reads must share enough bases that these have one place where the reads have one.
std::uint32_t PositionLoci::reads_together(const ReferenceReads& reads) {
  constexpr std::uint32_t kBasesOfSeed = 14;
  const std::uint32_t bases = std::max((reads.max_edits + 1) * kBasesOfSeed, reads.length - reads.length / 3);
  return reads.length > bases ? reads.length - bases + 1 : 1;
}

void PositionLoci::count(std::span<const ReadStarts> starts, std::span<std::uint64_t> counts) {
  text_.clear();
  reads_.clear();
  for (const ReadStarts& some : starts) {
    load(some);
  }
  count_known(counts);
  // Where reads share seeds, it costs more to try fewer of them together.
  const std::uint32_t fewest = finder_->shares_seeds() ? together_ : 4;
  for (std::uint32_t together = together_; together > 1 && together >= fewest; together /= 4) {
    count_unique(together, counts);
  }
  make_queries();
  finder_->count(queries_, ranges_);
  for (std::size_t q = 0; q < queries_.size(); ++q) {
    const std::uint32_t r = places_[q];
    counts[r] = ranges_.first[2 * q + 2] - ranges_.first[2 * q];
    if (counts[r] > 1 && reads_[r].ambiguous == 0) {
      known_.add(reads_[r].hash, reads_[r].position, counts[r]);
    }
  }
}

// The text of neighbouring reads, and what it says about each of them.
void PositionLoci::load(const ReadStarts& starts) {
  const std::size_t begin = text_.size();
  text_.resize(begin + starts.count + rule_.length - 1);
  sequence::copy_letters(reference_, starts.first, text_.size() - begin, text_.data() + begin);
  ReadHash hash(rule_.length);
  std::uint32_t ambiguous = 0;
  for (std::size_t i = begin; i < text_.size(); ++i) {
    if (i >= begin + rule_.length) {
      const std::uint8_t out = sequence::base_code(text_[i - rule_.length]);
      ambiguous -= out == sequence::kAmbiguous ? 1 : 0;
      hash.remove(out);
    }
    const std::uint8_t in = sequence::base_code(text_[i]);
    ambiguous += in == sequence::kAmbiguous ? 1 : 0;
    hash.add(in);
    if (i + 1 >= begin + rule_.length) {
      const std::size_t of_read = i + 1 - rule_.length;
      reads_.push_back(
          {static_cast<std::uint32_t>(of_read), ambiguous, starts.first + (of_read - begin), hash.value()});
      known_.prefetch(hash.value());
    }
  }
}

// A read with more ambiguous bases than edits has no locus.
void PositionLoci::count_known(std::span<std::uint64_t> counts) {
  open_.clear();
  for (std::uint32_t r = 0; r < counts.size(); ++r) {
    counts[r] = 0;
    const ReferenceRead& read = reads_[r];
    if (read.ambiguous > rule_.max_edits) {
      continue;
    }
    if (const auto known = read.ambiguous == 0 ? known_.find(read.hash, read.position) : std::nullopt) {
      counts[r] = *known;
    } else {
      open_.push_back(r);
    }
  }
}

// Counts reads whose neighbours, up to `together` of them, have bases in common that have one place. Where a read
// matches, these bases match, too, with no more edits. So if they match only at their own place, the read does:
//
//   common bases        [-----------------)  E           ends at E - e to E + e, with exactly as many edits
//   read             [----------------------)   E + 3    ends there, and up to e further or before
//
// For D changes by at most 1 from one end to the next, and it is above e at E - e - 1 and at E + e + 1. So the common
// bases have at least s edits where they end at E + s, and the read, whose other bases may shift it back for more
// edits, has at least t where it ends t further. Its ends are one run. Without gaps each end is a place by itself.
void PositionLoci::count_unique(std::uint32_t together, std::span<std::uint64_t> counts) {
  const std::string_view text = text_;
  queries_.clear();
  groups_.clear();
  left_.clear();
  for (std::size_t i = 0; i < open_.size();) {
    std::size_t last = i;
    // Reads that are not neighbours begin further apart in the text.
    while (last < open_.size() && reads_[open_[last]].ambiguous == 0 &&
           reads_[open_[last]].begin - reads_[open_[i]].begin < together) {
      ++last;
    }
    if (last < i + 2) {
      left_.push_back(open_[i++]);
      continue;
    }
    const std::uint32_t begin = reads_[open_[last - 1]].begin;
    queries_.push_back({text.substr(begin, reads_[open_[i]].begin + rule_.length - begin), rule_.max_edits});
    queries_.back().read = text;
    groups_.push_back(static_cast<std::uint32_t>(i));
    groups_.push_back(static_cast<std::uint32_t>(last));
    i = last;
  }
  if (queries_.empty()) {
    return;
  }
  if (rule_.gaps) {
    finder_->find(queries_, ranges_);
  } else {
    finder_->count(queries_, ranges_);
  }
  for (std::size_t q = 0; q < queries_.size(); ++q) {
    const auto group = std::span(open_).subspan(groups_[2 * q], groups_[2 * q + 1] - groups_[2 * q]);
    if (has_one_place(q, reads_[group.front()].position + rule_.length - 1)) {
      for (const std::uint32_t r : group) {
        counts[r] = 1;
      }
    } else {
      left_.insert(left_.end(), group.begin(), group.end());
    }
  }
  std::sort(left_.begin(), left_.end());
  open_.swap(left_);
}

// Whether a query, whose own place ends at `end`, matches there and nowhere else, as count_unique() says it.
bool PositionLoci::has_one_place(std::size_t query, std::uint64_t end) const {
  if (!rule_.gaps) {
    return ranges_.first[2 * query + 2] - ranges_.first[2 * query] == 1;
  }
  const std::uint64_t e = rule_.max_edits;
  const sequence::Contig& contig = reference_.contigs()[reference_.contig_at(end)];
  const auto forward = ranges_.of(query, false);
  return forward.size() == 1 && forward[0] == engine::EndRange{end - e, end + e} && ranges_.of(query, true).empty() &&
         end + e + 1 < contig.offset + contig.length;
}

// Of the reads that are not counted yet.
void PositionLoci::make_queries() {
  const std::string_view text = text_;
  queries_.clear();
  places_.clear();
  std::size_t group = 0;  // its first query
  for (const std::uint32_t r : open_) {
    if (group < queries_.size() && reads_[r].begin - reads_[places_[group]].begin >= sharing_) {
      share_seeds(group);
      group = queries_.size();
    }
    engine::RangeQuery query{text.substr(reads_[r].begin, rule_.length), rule_.max_edits};
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
    queries_[q].seeds = rule_.max_edits + 1;
    queries_[q].seed_length = 1;
  }
}

}  // namespace trawl::mappability
