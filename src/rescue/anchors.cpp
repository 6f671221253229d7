#include "rescue/anchors.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "align/clip_rule.hpp"
#include "sequence/alphabet.hpp"
#include "sequence/ambiguous_limit.hpp"

namespace trawl::rescue {

namespace {

// Reads that are searched at once: where all places of their words are found, those of repeats take much memory.
constexpr std::size_t kReadsAtOnce = 512;

}  // namespace

void Anchors::find(const sequence::ReadBatch& batch, std::span<const std::uint32_t> reads) {
  stretches_.clear();
  first_.assign(1, 0);
  has_frequent_.clear();
  for (std::size_t begin = 0; begin < reads.size(); begin += kReadsAtOnce) {
    const auto now = reads.subspan(begin, std::min(kReadsAtOnce, reads.size() - begin));
    queries_.clear();
    of_queries_.clear();
    std::vector<std::size_t> ends;  // of the queries of each read
    for (const std::uint32_t r : now) {
      add_words(batch.bases(r), of_queries_);
      drop_repeated(batch.bases(r), queries_.size(), of_queries_);
      for (std::size_t w = queries_.size(); w < of_queries_.size(); ++w) {
        engine::RangeQuery query{batch.bases(r).substr(of_queries_[w].begin, of_queries_[w].length), 0};
        query.read = batch.bases(r);
        query.most_ranges = kMostPlaces;
        query.second_mate = batch.is_second(r);
        queries_.push_back(query);
      }
      ends.push_back(queries_.size());
    }
    finder_.find(queries_, places_);
    for (std::size_t i = 0; i < now.size(); ++i) {
      add_stretches(batch.length(now[i]), i == 0 ? 0 : ends[i - 1], ends[i]);
      first_.push_back(stretches_.size());
    }
  }
}

void Anchors::add_words(std::string_view bases, std::vector<ReadWord>& words) {
  const auto is_unknown = [](char letter) { return sequence::base_code(letter) == sequence::kAmbiguous; };
  for (std::size_t begin = 0; begin < bases.size();) {
    const auto end = static_cast<std::size_t>(
        std::find_if(bases.begin() + static_cast<std::ptrdiff_t>(begin), bases.end(), is_unknown) - bases.begin());
    const bool whole = begin == 0 && end == bases.size();
    if (end - begin >= kWord) {
      for (; begin + kWord <= end; begin += kStep) {
        words.push_back({begin, kWord});
      }
    } else if (!whole && end - begin >= kShortestWord) {
      words.push_back({begin, end - begin});
    }
    begin = end + 1;
  }
}

// A tail of A, say, has one word again and again: it must not count more than the words of the rest.
void Anchors::drop_repeated(std::string_view bases, std::size_t first, std::vector<ReadWord>& words) {
  const auto text_of = [&](const ReadWord& word) { return bases.substr(word.begin, word.length); };
  const auto same = [](std::string_view a, std::string_view b) {  // most differ in their first bases
    static_assert(kShortestWord >= 8);
    return std::memcmp(a.data(), b.data(), 8) == 0 && a == b;
  };
  std::size_t kept = first;
  for (std::size_t w = first; w < words.size(); ++w) {
    const bool is_known = std::any_of(words.begin() + static_cast<std::ptrdiff_t>(first),
                                      words.begin() + static_cast<std::ptrdiff_t>(kept),
                                      [&](const ReadWord& other) { return same(text_of(other), text_of(words[w])); });
    if (!is_known) {
      words[kept++] = words[w];
    }
  }
  words.resize(kept);
}

void Anchors::add_stretches(std::size_t length, std::size_t first, std::size_t last) {
  const auto begin = static_cast<std::ptrdiff_t>(stretches_.size());
  has_frequent_.push_back(false);
  collect_hits(length, first, last);
  add_stretches_of_hits(length);
  std::stable_sort(stretches_.begin() + begin, stretches_.end(),
                   [](const AnchorStretch& a, const AnchorStretch& b) { return a.words > b.words; });
  stretches_.resize(std::min(stretches_.size(), static_cast<std::size_t>(begin) + kMostStretches + 1));
}

void Anchors::collect_hits(std::size_t length, std::size_t first, std::size_t last) {
  hits_.clear();
  for (std::size_t w = first; w < last; ++w) {
    const ReadWord& word = of_queries_[w];
    const std::size_t before = hits_.size();
    for (const bool reverse : {false, true}) {
      const std::size_t end = reverse ? length - word.begin : word.begin + word.length;  // on the strand
      for (const engine::EndRange& place : places_.of(w, reverse)) {
        // With --ambiguous match all words lie in runs of N, too.
        if (sequence::count_ambiguous(reference_, place.first + 1 - word.length, place.first + 1) == 0) {
          const auto diagonal = static_cast<std::int64_t>(place.first + 1) - static_cast<std::int64_t>(end);
          hits_.push_back({reverse, reference_.contig_at(place.first), diagonal, w});
        }
      }
    }
    if (hits_.size() - before > kMostPlaces) {
      hits_.resize(before);
      has_frequent_.back() = true;
    }
  }
  std::sort(hits_.begin(), hits_.end(), [](const WordHit& a, const WordHit& b) {
    return std::tuple(a.reverse, a.contig, a.diagonal, a.word) < std::tuple(b.reverse, b.contig, b.diagonal, b.word);
  });
}

void Anchors::add_stretches_of_hits(std::size_t length) {
  const auto apart = static_cast<std::int64_t>(length / align::kEditPoints);
  for (std::size_t begin = 0, end = 0; begin < hits_.size(); begin = end) {
    words_.clear();
    do {
      words_.push_back(hits_[end].word);
      ++end;
    } while (end < hits_.size() && hits_[end].reverse == hits_[begin].reverse &&
             hits_[end].contig == hits_[begin].contig && hits_[end].diagonal - hits_[end - 1].diagonal <= apart);
    std::sort(words_.begin(), words_.end());
    words_.erase(std::unique(words_.begin(), words_.end()), words_.end());
    std::uint32_t separate = 0;
    std::size_t free_from = 0;
    for (const std::size_t w : words_) {
      if (of_queries_[w].begin >= free_from) {
        ++separate;
        free_from = of_queries_[w].begin + of_queries_[w].length;
      }
    }
    const sequence::Contig& contig = reference_.contigs()[hits_[begin].contig];
    if (!contig.is_own(static_cast<std::uint64_t>(std::max(hits_[begin].diagonal, std::int64_t{0})))) {
      continue;
    }
    const auto contig_begin = static_cast<std::int64_t>(contig.offset);
    const std::int64_t contig_end = contig_begin + static_cast<std::int64_t>(contig.length);
    const std::int64_t from = std::max(contig_begin, hits_[begin].diagonal - apart);
    const std::int64_t to = std::min({contig_end, from + static_cast<std::int64_t>(kLongestStretch),
                                      hits_[end - 1].diagonal + static_cast<std::int64_t>(length) + apart});
    stretches_.push_back({static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(to), hits_[begin].reverse,
                          static_cast<std::uint32_t>(words_.size()), separate});
  }
}

}  // namespace trawl::rescue
