#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/stopwatch.hpp"
#include "map/cpu_engine.hpp"
#include "map/loci_finder.hpp"
#include "map/word_finder.hpp"
#include "sequence/encoded_read.hpp"

namespace trawl::map {

namespace {

void append(std::span<const align::EndRange> ranges, engine::EndRanges& out) {
  out.ranges.insert(out.ranges.end(), ranges.begin(), ranges.end());
}

class CpuRangeFinder final : public engine::RangeFinder {
 public:
  CpuRangeFinder(const sequence::Reference& reference, const seed::SeedIndex& index, const MapOptions& options)
      : ambiguous_matches_(options.ambiguous == Ambiguous::match),
        options_(options),
        q_(index.q()),
        finder_(reference, index, options),
        word_finder_(reference, index),
        encoded_(2 * LociFinder::kGroupReads),
        regions_(2 * LociFinder::kGroupReads) {}

  void find(std::span<const engine::RangeQuery> queries, engine::EndRanges& out) override {
    out.ranges.clear();
    out.first.assign(1, 0);
    to_scan_.clear();
    read_ = {};
    std::size_t longest = 0;
    for (const engine::RangeQuery& query : queries) {
      longest = std::max({longest, query.read.size(), query.bases.size()});
    }
    finder_.keep_runs(longest);
    for (std::uint32_t begin = 0; begin < queries.size();) {
      if (is_word(queries[begin])) {
        begin += find_words(queries.subspan(begin), out);
        continue;
      }
      group_.clear();
      const std::uint32_t group_begin = begin;
      for (; begin < queries.size() && !is_word(queries[begin]) && group_.size() < LociFinder::kGroupReads; ++begin) {
        if (queries[begin].bases.size() > queries[begin].max_edits) {
          group_.push_back(begin);
        }
      }
      encode(queries, group_);
      share_seeds(queries, group_);
      finder_.find(strands_);
      std::size_t s = 0;
      for (std::uint32_t q = group_begin; q < begin; ++q) {
        const bool searched = s < strands_.size() && group_[s / 2] == q;
        const bool left = searched && finder_.left_to_scan(s);
        if (left) {
          to_scan_.push_back(q);
        }
        for (unsigned strand = 0; strand < 2; ++strand) {
          if (searched && !left) {
            append(finder_.runs(s + strand), out);
          }
          out.first.push_back(out.ranges.size());
        }
        s += searched ? 2 : 0;
      }
    }
    scan(queries);
    out.put(to_scan_, scanned_);
  }

  bool shares_seeds() const override { return true; }

  engine::StageSeconds seconds() const override {
    engine::StageSeconds sum = finder_.seconds();
    sum += word_finder_.seconds();
    sum.seed += encode_seconds_;
    return sum;
  }

 private:
  bool is_word(const engine::RangeQuery& query) const {
    return !ambiguous_matches_ && query.max_edits == 0 && query.most_ranges != engine::RangeQuery{}.most_ranges &&
           word_finder_.can_find(query.bases.size());
  }

  // Finds the words of the first query's read. Returns how many of the queries these are.
  std::size_t find_words(std::span<const engine::RangeQuery> queries, engine::EndRanges& out) {
    Stopwatch watch;
    const std::string_view read = queries[0].read.empty() ? queries[0].bases : queries[0].read;
    encode_read(read);
    words_.clear();
    for (const engine::RangeQuery& query : queries) {
      const bool of_read = words_.empty() || (query.read.data() == read.data() && query.read.size() == read.size());
      if (!of_read || !is_word(query)) {
        break;
      }
      const auto begin = static_cast<std::uint32_t>(query.bases.data() - read.data());
      const auto length = static_cast<std::uint32_t>(query.bases.size());
      const WordFinder::Word before = words_.empty() ? WordFinder::Word{} : words_.back();
      if (begin < before.begin || begin + length < before.begin + before.length) {
        break;
      }
      words_.push_back({begin, length, query.most_ranges});
    }
    watch.lap(encode_seconds_);
    const bool searched[] = {options_.searches(false, queries[0].second_mate),
                             options_.searches(true, queries[0].second_mate)};
    word_finder_.find(read_strands_[0], read_strands_[1], words_, searched);
    for (std::size_t w = 0; w < words_.size(); ++w) {
      for (const bool reverse : {false, true}) {
        if (searched[reverse]) {
          append(word_finder_.of(w, reverse), out);
        }
        out.first.push_back(out.ranges.size());
      }
    }
    return words_.size();
  }

  // The result is in scanned_.
  void scan(std::span<const engine::RangeQuery> queries) {
    scanned_.ranges.clear();
    scanned_.first.assign(1, 0);
    // A SIMD group takes as many steps as the longest read in it needs.
    std::stable_sort(to_scan_.begin(), to_scan_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return queries[a].bases.size() < queries[b].bases.size();
    });
    for (std::size_t first = 0; first < to_scan_.size(); first += LociFinder::kScannedReads) {
      encode(queries, std::span(to_scan_).subspan(first, std::min(LociFinder::kScannedReads, to_scan_.size() - first)));
      finder_.scan(strands_);
      for (std::size_t s = 0; s < strands_.size(); ++s) {
        append(finder_.runs(s), scanned_);
        scanned_.first.push_back(scanned_.ranges.size());
      }
    }
  }

  // Queries of one read follow each other, so it is encoded once.
  void encode_read(std::string_view read) {
    if (read.data() != read_.data() || read.size() != read_.size()) {
      read_strands_[0].encode(read, ambiguous_matches_);
      read_strands_[1].encode_reverse_complement(read_strands_[0]);
      read_ = read;
    }
  }

  // Encodes a part of a query's read.
  void encode_part(const engine::RangeQuery& query, std::string_view part, sequence::EncodedRead& forward,
                   sequence::EncodedRead& reverse) {
    const std::string_view read = query.read.empty() ? part : query.read;
    encode_read(read);
    const auto begin = static_cast<std::size_t>(part.data() - read.data());
    const std::size_t end = begin + part.size();
    forward.encode_part(read_strands_[0], begin, end);
    reverse.encode_part(read_strands_[1], read.size() - end, read.size() - begin);
  }

  // Makes strands_ of the chosen queries.
  void encode(std::span<const engine::RangeQuery> queries, std::span<const std::uint32_t> chosen) {
    Stopwatch watch;
    strands_.clear();
    for (const std::uint32_t q : chosen) {
      sequence::EncodedRead& forward = encoded_[strands_.size()];
      sequence::EncodedRead& reverse = encoded_[strands_.size() + 1];
      encode_part(queries[q], queries[q].bases, forward, reverse);
      for (const sequence::EncodedRead* const strand : {&forward, &reverse}) {
        strands_.push_back({strand, queries[q].max_edits, queries[q].max_edits});
        strands_.back().is_searched = options_.searches(strand == &reverse, queries[q].second_mate);
      }
    }
    watch.lap(encode_seconds_);
  }

  // Seeds shorter than the caller thinks of would not find all places.
  bool may_share(const engine::RangeQuery& query, const sequence::EncodedRead& region) const {
    return region.ambiguous == 0 && seed::longest_seed_length(region, query.seeds, q_) >= query.seed_length;
  }

  void share_seeds(std::span<const engine::RangeQuery> queries, std::span<const std::uint32_t> chosen) {
    Stopwatch watch;
    const auto same_region = [](const engine::RangeQuery& a, const engine::RangeQuery& b) {
      return a.region.data() == b.region.data() && a.region.size() == b.region.size() && a.seeds == b.seeds;
    };
    for (std::size_t first = 0; first < chosen.size();) {
      const engine::RangeQuery& query = queries[chosen[first]];
      std::size_t last = first + 1;
      while (last < chosen.size() && same_region(query, queries[chosen[last]])) {
        ++last;
      }
      sequence::EncodedRead* const region = &regions_[2 * first];
      if (!query.region.empty()) {
        encode_part(query, query.region, region[0], region[1]);
      }
      if (!query.region.empty() && may_share(query, region[0])) {
        for (std::size_t i = first; i < last; ++i) {
          const std::string_view bases = queries[chosen[i]].bases;
          const std::int64_t before = bases.data() - query.region.data();
          const std::int64_t after = std::ssize(query.region) - std::ssize(bases) - before;
          for (const bool reverse : {false, true}) {
            Strand& strand = strands_[2 * i + reverse];
            strand.region = &region[reverse];
            strand.offset = reverse ? after : before;
            strand.seeds = query.seeds;
            strand.sharing = i == first ? static_cast<std::uint32_t>(last - first) : 0;
          }
        }
      }
      first = last;
    }
    watch.lap(encode_seconds_);
  }

  bool ambiguous_matches_;
  MapOptions options_;
  unsigned q_;  // of the index
  LociFinder finder_;
  WordFinder word_finder_;
  std::vector<WordFinder::Word> words_;
  double encode_seconds_ = 0;
  std::string_view read_;  // what read_strands_ are; its text stays during a call of find()
  sequence::EncodedRead read_strands_[2];
  std::vector<sequence::EncodedRead> encoded_;
  std::vector<sequence::EncodedRead> regions_;  // both strands of each
  std::vector<Strand> strands_;                 // of the queries that are searched now
  std::vector<std::uint32_t> group_;            // the queries that are searched now
  std::vector<std::uint32_t> to_scan_;
  engine::EndRanges scanned_;  // of to_scan_
};

}  // namespace

std::unique_ptr<engine::RangeFinder> make_cpu_range_finder(const sequence::Reference& reference,
                                                           const seed::SeedIndex& index, const MapOptions& options) {
  return std::make_unique<CpuRangeFinder>(reference, index, options);
}

}  // namespace trawl::map
