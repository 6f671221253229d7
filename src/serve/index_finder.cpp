#include "serve/index_finder.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/stop.hpp"
#include "scan/find/query.hpp"
#include "sequence/alphabet.hpp"
#include "sequence/plane_window.hpp"

namespace trawl::serve {

namespace {

constexpr std::uint32_t kLongestQuery = 64;   // one word
constexpr std::uint32_t kShortestPart = 8;    // shorter words occur too often
constexpr std::uint32_t kMostMismatches = 3;  // in a part
// A place costs about as much as a scan of this number of bases.
constexpr std::uint64_t kBasesAPlace = 24;
constexpr std::uint64_t kBasesAWord = 100;
constexpr std::size_t kAhead = 16;  // places are fetched this far ahead

// The places of one word.
struct WordPlaces {
  std::uint32_t query = 0;
  std::uint32_t at = 0;  // of the word in the query
  std::uint64_t begin = 0;
  std::span<const std::uint32_t> positions;
};

// A query as the sets of positions at which each base matches.
class Comparison {
 public:
  explicit Comparison(const scan::Query& query) {
    for (std::uint32_t i = 0; i < query.length(); ++i) {
      for (unsigned code = 0; code < 4; ++code) {
        matches_[code] |= std::uint64_t{(query.set(i) >> code) & 1u} << i;
      }
      const bool is_guide = i >= query.pam_first && i + query.pam_last < query.length();
      (is_guide ? guide_ : pam_) |= std::uint64_t{1} << i;
    }
  }

  // The mismatches in the guide at a place; any number above 64 if the PAM does not match.
  std::uint32_t mismatches(const sequence::Reference& reference, std::uint64_t place) const {
    const auto [high, low] = sequence::planes_at(reference.planes().data(), place);
    const std::uint64_t none = sequence::bits_at(reference.ambiguous().data(), place);
    const std::uint64_t match = ((~high & ~low & matches_[0]) | (~high & low & matches_[1]) |
                                 (high & ~low & matches_[2]) | (high & low & matches_[3])) &
                                ~none;
    return (~match & pam_) != 0 ? 100 : static_cast<std::uint32_t>(std::popcount(~match & guide_));
  }

 private:
  std::array<std::uint64_t, 4> matches_{};
  std::uint64_t guide_ = 0;
  std::uint64_t pam_ = 0;
};

// Calls take(key) for a word and its neighbours: those with up to `left` other letters from letter `from` on.
template <class Take>
void for_neighbours(std::uint32_t key, unsigned q, std::uint32_t from, std::uint32_t length, std::uint32_t left,
                    const Take& take) {
  take(key);
  if (left == 0) {
    return;
  }
  for (std::uint32_t i = from; i < length; ++i) {
    const unsigned shift = 2 * (q - 1 - i);
    for (std::uint32_t other = 1; other < 4; ++other) {
      for_neighbours(key ^ (other << shift), q, i + 1, length, left - 1, take);
    }
  }
}

class IndexFinder final : public scan::Finder {
 public:
  IndexFinder(const sequence::Reference& reference, const seed::SeedIndex& seeds,
              const std::vector<scan::Query>& queries, const scan::ScanOptions& options)
      : reference_(reference), seeds_(seeds), queries_(queries), options_(options) {}

  // False: a scan is quicker, or the index is not for these queries.
  bool look_up() {
    if ((options_.has_gaps() && options_.max_edits > 0) || options_.ambiguous_matches) {
      return false;
    }
    for (std::uint32_t q = 0; q < queries_.size(); ++q) {
      if (!look_up(q)) {
        return false;
      }
      if (options_.max_edits > 0) {
        cost_ += kBasesAPlace * reference_.ambiguous_runs().size() * 2 * (queries_[q].length() + options_.max_edits);
      }
    }
    return cost_ <= reference_.bases();
  }

  void load(const sequence::Reference&) override {
    ends_.clear();
    for (const WordPlaces& words : words_) {
      Stop::look();
      compare(words);
    }
    for (std::uint32_t q = 0; q < queries_.size(); ++q) {
      compare_beside_ambiguous(q);
    }
    scan::tidy_ends(reference_, queries_, options_, ends_);
  }

  std::uint64_t find(const scan::Region& region, std::size_t most, std::vector<scan::Hit>& ends) override {
    const auto count = [&](const scan::Region& part) {
      return static_cast<std::size_t>(std::count_if(ends_.begin(), ends_.end(), [&](const scan::Hit& hit) {
        return hit.end >= part.begin && hit.end < part.end;
      }));
    };
    const std::uint64_t stop = scan::shrink_until_fits(
        region, [&](const scan::Region& part) { return part.end <= part.begin + 1 || count(part) <= most; });
    ends.clear();
    std::copy_if(ends_.begin(), ends_.end(), std::back_inserter(ends),
                 [&](const scan::Hit& hit) { return hit.end >= region.begin && hit.end < stop; });
    return stop;
  }

  std::string description() const override { return "cpu (seeds)"; }

 private:
  bool look_up(std::uint32_t q) {
    const scan::Query& query = queries_[q];
    const std::string_view guide = query.bases.substr(query.pam_first, query.guide_length());
    const auto half = static_cast<std::uint32_t>(guide.size() / 2);
    const std::uint32_t length = std::min<std::uint32_t>(half, seeds_.q());
    const std::uint32_t left = options_.max_edits / 2;
    if (query.length() > kLongestQuery || half < kShortestPart || left > kMostMismatches ||
        guide.find_first_not_of("ACGT") != std::string_view::npos) {
      return false;
    }
    for (const std::uint32_t at : {0u, half}) {
      std::uint32_t key = 0;
      for (std::uint32_t i = 0; i < length; ++i) {
        key |= std::uint32_t{sequence::base_code(guide[at + i])} << (2 * (seeds_.q() - 1 - i));
      }
      for_neighbours(key, seeds_.q(), 0, length, left, [&](std::uint32_t word) {
        cost_ += kBasesAWord;
        if (cost_ > reference_.bases()) {
          return;
        }
        for (const seed::SeedIndex::Shard& shard : seeds_.shards()) {
          words_.push_back({q, query.pam_first + at, shard.begin, seeds_.find(shard, word, length)});
          cost_ += kBasesAPlace * words_.back().positions.size();
        }
      });
      if (cost_ > reference_.bases()) {
        return false;
      }
    }
    return true;
  }

  void compare(const WordPlaces& words) {
    const Comparison comparison(queries_[words.query]);
    const std::uint32_t length = queries_[words.query].length();
    const auto& positions = words.positions;
    for (std::size_t i = 0; i < positions.size(); ++i) {
      if (i + kAhead < positions.size()) {
        const std::uint64_t block = (words.begin + positions[i + kAhead]) / 64;
        __builtin_prefetch(reference_.planes().data() + std::min<std::uint64_t>(block, reference_.planes().size() - 1));
        __builtin_prefetch(reference_.ambiguous().data() +
                           std::min<std::uint64_t>(block, reference_.ambiguous().size() - 1));
      }
      compare(comparison, words.query, length, words.begin + positions[i] - words.at);
    }
  }

  void compare(const Comparison& comparison, std::uint32_t q, std::uint32_t length, std::uint64_t place) {
    if (place >= reference_.size() || place + 128 > reference_.size()) {
      return;  // of a damaged index, also before the beginning
    }
    const std::uint32_t distance = comparison.mismatches(reference_, place);
    if (distance <= options_.max_edits) {
      ends_.push_back({place + length - 1, q, static_cast<std::uint16_t>(distance)});
    }
  }

  // The index has no words over an ambiguous letter, which may be one of the mismatches. So all places are compared
  // that hold up to max_edits of a run of them.
  void compare_beside_ambiguous(std::uint32_t q) {
    const Comparison comparison(queries_[q]);
    const std::uint32_t length = queries_[q].length();
    const std::uint64_t most = options_.max_edits;
    for (const sequence::AmbiguousRun& run : reference_.ambiguous_runs()) {
      const std::uint64_t end = run.begin + run.length;
      const std::uint64_t before = std::min(end, run.begin + most + 1);
      const std::uint64_t after = std::max(before, end - std::min(end, most));
      for (std::uint64_t place = run.begin + 1 - length; most > 0 && place < before; ++place) {
        compare(comparison, q, length, place);
      }
      for (std::uint64_t place = after; most > 0 && place < end; ++place) {
        compare(comparison, q, length, place);
      }
    }
  }

  const sequence::Reference& reference_;
  const seed::SeedIndex& seeds_;
  const std::vector<scan::Query>& queries_;
  const scan::ScanOptions& options_;
  std::uint64_t cost_ = 0;  // in bases that are scanned in the same time
  std::vector<WordPlaces> words_;
  std::vector<scan::Hit> ends_;
};

}  // namespace

std::unique_ptr<scan::Finder> make_index_finder(const sequence::Reference& reference, const seed::SeedIndex& seeds,
                                                const std::vector<scan::Query>& queries,
                                                const scan::ScanOptions& options) {
  auto finder = std::make_unique<IndexFinder>(reference, seeds, queries, options);
  if (!finder->look_up()) {
    return nullptr;
  }
  return finder;
}

}  // namespace trawl::serve
