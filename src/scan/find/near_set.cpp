#include "scan/find/near_set.hpp"

#include <algorithm>
#include <bit>

#include "base/stop.hpp"
#include "scan/find/search_plan.hpp"

namespace trawl::scan {

namespace {

// Nanoseconds for each word that is looked up, among 7,000,000 on a core of 4 GHz.
constexpr double kNearWord = 5;
// Words whose memory is asked for at the same time.
constexpr std::size_t kWordsAtOnce = 512;

// The words of `length` letters that end a text with few edits, as last_letters_of(), made letter by letter from the
// end.
struct NearWords {
  struct NearWord {
    std::uint64_t letters;
    std::uint64_t end;
    std::uint32_t distance;
  };
  std::uint32_t length;
  bool no_gaps;
  std::vector<NearWord> all = {};

  // Appends those that end at `end`, with up to `left` edits more. The last `done` letters are those of `word`; `text`
  // is what is before, where some letters are unknown.
  void add(std::uint64_t end, std::uint64_t text, std::uint64_t unknown, std::uint32_t left, std::uint64_t word = 0,
           std::uint32_t done = 0, std::uint32_t distance = 0) {
    const std::uint32_t rest = 2 * (length - done);
    if (rest == 0 || unknown >> (64 - rest) == 0) {
      all.push_back({rest == 0 ? word : word | text >> (64 - rest) << (64 - rest) >> 2 * done, end, distance});
    }
    for (; left > 0 && done < length; ++done, text <<= 2, unknown <<= 2) {
      const std::uint64_t letter = text >> 62;
      const bool is_known = unknown >> 62 == 0;
      // The last edit may as well be at the other end of a run of one letter.
      const bool is_last = left == 1 && is_known;
      for (std::uint64_t base = 0; base < 4; ++base) {
        const std::uint64_t with = word | base << (62 - 2 * done);
        if (!is_known || base != letter) {
          add(end, text << 2, unknown << 2, left - 1, with, done + 1, distance + 1);
        }
        if (!no_gaps && done + 1 < length && !(is_last && base == letter)) {
          add(end, text, unknown, left - 1, with, done + 1, distance + 1);
        }
      }
      if (!no_gaps && !(is_last && unknown << 2 >> 62 == 0 && text << 2 >> 62 == letter)) {
        add(end, text << 2, unknown << 2, left - 1, word, done, distance + 1);
      }
      if (!is_known) {
        return;
      }
      word |= letter << (62 - 2 * done);
    }
  }
};

std::vector<Literal> literals_of(const std::vector<Query>& queries) {
  std::vector<Literal> literals;
  literals.reserve(queries.size());
  for (const Query& query : queries) {
    literals.push_back({static_cast<std::uint32_t>(literals.size()), query.bases});
  }
  return literals;
}

}  // namespace

double NearSet::estimated_cost(const std::vector<Query>& queries, const ScanOptions& options) {
  const std::uint32_t k = options.max_edits, length = queries.empty() ? 0 : queries.front().length();
  const auto fits = [&](const Query& query) {
    return query.is_literal && !query.has_pam() && query.length() == length;
  };
  if (k == 0 || k > 2 || length <= k + 1 || length + k > 32 || options.ambiguous_matches ||
      options.search == ScanMethod::rows || !std::all_of(queries.begin(), queries.end(), fits)) {
    return INFINITY;
  }
  const auto words = static_cast<double>(most_near_words(length, queries.front().no_gaps));
  return kNearWord * (k == 1 ? words : words * words / 2);
}

NearSet::NearSet(const std::vector<Query>& queries, const ScanOptions& options)
    : length_(queries.front().length()),
      max_edits_(options.max_edits),
      no_gaps_(queries.front().no_gaps),
      table_(literals_of(queries), 0, {std::min<unsigned>(LiteralGroup::kLongestGram, length_), 1, false}) {}

std::uint64_t NearSet::scan(const sequence::Reference& reference, const HitRoom& room, std::uint64_t begin,
                            std::uint64_t end, std::vector<Hit>& hits) const {
  static thread_local PackedText text;
  const std::size_t first_hit = hits.size();
  NearWords words{length_, no_gaps_};
  for (std::uint64_t first = begin, next; first < end; first = next) {
    next = std::min(end, first / PackedText::kMost * PackedText::kMost + PackedText::kMost);
    const std::size_t before = hits.size();
    const std::uint64_t origin = (first - std::min(first, PackedText::kBefore)) / 64 * 64;
    Stop::look();
    text.load(reference, origin, next);
    for (std::uint64_t at = first; at < next; ++at) {
      const std::uint64_t unknown = text.is_plain() ? 0 : unknown_letters(reference, at);
      // More unknown letters than edits among those that each match has?
      if (static_cast<unsigned>(std::popcount(unknown >> (64 - 2 * (length_ - max_edits_)))) <= 2 * max_edits_) {
        words.add(at, text.last_letters(at - origin), unknown, max_edits_);
      }
      if (words.all.size() < kWordsAtOnce && at + 1 < next) {
        continue;
      }
      for (const NearWords::NearWord& word : words.all) {
        table_.fetch_gram(word.letters);
      }
      std::erase_if(words.all, [&](const NearWords::NearWord& word) { return !table_.may_have_gram(word.letters); });
      for (const NearWords::NearWord& word : words.all) {
        table_.fetch_bucket(word.letters);
      }
      for (const NearWords::NearWord& word : words.all) {
        table_.for_equal(word.letters, [&](std::uint32_t id) {
          hits.push_back({word.end, id, static_cast<std::uint16_t>(word.distance)});
        });
      }
      words.all.clear();
    }
    if (hits.size() - first_hit > room.room) {
      hits.resize(before);
      return first;
    }
    if (hits.size() - first_hit >= room.most_hits) {
      return next;
    }
  }
  return end;
}

}  // namespace trawl::scan
