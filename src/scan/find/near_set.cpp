#include "scan/find/near_set.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "base/stop.hpp"
#include "scan/find/search_plan.hpp"

namespace trawl::scan {

namespace {

// Nanoseconds for each word that is looked up, among 7,000,000 on a core of 4 GHz.
constexpr double kNearWord = 5;
// Each has a table of its own.
constexpr std::size_t kMostNearLengths = 8;
constexpr std::uint32_t kMostNearEdits = 2;
// Words whose memory is asked for at the same time.
constexpr std::size_t kWordsAtOnce = 512;

// The words of `length` letters that end a text with few edits, as last_letters_of(), letter by letter from the end.
class NearWords {
 public:
  struct Word {
    std::uint64_t letters;
    std::uint32_t offset;
    std::uint32_t distance;
  };

  NearWords(std::uint32_t length, bool no_gaps) : length_(length), no_gaps_(no_gaps) {}

  /// Appends those of the text that ends at `offset` with these letters, of which some are unknown.
  void add(std::uint32_t offset, std::uint64_t text, std::uint64_t unknown, std::uint32_t edits) {
    offset_ = offset;
    add(text, unknown, 0, 0, edits, 0);
  }
  std::vector<Word>& all() { return all_; }

 private:
  // The last `done` letters are those of `word`; `text` is what is before.
  void add(std::uint64_t text, std::uint64_t unknown, std::uint64_t word, std::uint32_t done, std::uint32_t left,
           std::uint32_t distance) {
    const std::uint32_t rest = 2 * (length_ - done);
    if (rest == 0) {
      all_.push_back({word, offset_, distance});
    } else if (unknown >> (64 - rest) == 0) {
      all_.push_back({word | text >> (64 - rest) << (64 - rest) >> 2 * done, offset_, distance});
    }
    for (; left > 0 && done < length_; ++done) {
      const std::uint64_t letter = text >> 62;
      const bool is_known = unknown >> 62 == 0;
      const auto with = [&](std::uint64_t base) { return word | base << (62 - 2 * done); };
      // The last edit may as well be at the other end of a run of one letter.
      const bool is_last = left == 1 && is_known;
      for (std::uint64_t base = 0; base < 4; ++base) {
        if (!is_known || base != letter) {
          add(text << 2, unknown << 2, with(base), done + 1, left - 1, distance + 1);
        }
        if (!no_gaps_ && done + 1 < length_ && !(is_last && base == letter)) {
          add(text, unknown, with(base), done + 1, left - 1, distance + 1);
        }
      }
      if (!no_gaps_ && !(is_last && unknown << 2 >> 62 == 0 && text << 2 >> 62 == letter)) {
        add(text << 2, unknown << 2, word, done, left - 1, distance + 1);
      }
      if (!is_known) {
        return;
      }
      word = with(letter);
      text <<= 2;
      unknown <<= 2;
    }
  }

  std::uint32_t length_;
  bool no_gaps_;
  std::uint32_t offset_ = 0;
  std::vector<Word> all_;
};

// Appends the hits of the words.
void look_up_words(const LiteralTable& table, std::uint64_t origin, std::vector<NearWords::Word>& words,
                   std::vector<Hit>& hits) {
  for (const NearWords::Word& word : words) {
    table.fetch_gram(word.letters);
  }
  std::erase_if(words, [&](const NearWords::Word& word) { return !table.may_have_gram(word.letters); });
  for (const NearWords::Word& word : words) {
    table.fetch_bucket(word.letters);
  }
  for (const NearWords::Word& word : words) {
    table.for_equal(word.letters, [&](std::uint32_t id) {
      hits.push_back({origin + word.offset, id, static_cast<std::uint16_t>(word.distance)});
    });
  }
  words.clear();
}

}  // namespace

double NearSet::estimated_cost(const std::vector<Query>& queries, const ScanOptions& options) {
  const std::uint32_t k = options.max_edits;
  if (queries.empty() || k == 0 || k > kMostNearEdits || options.ambiguous_matches ||
      options.search == ScanMethod::rows) {
    return INFINITY;
  }
  std::map<std::uint32_t, double> costs;  // by length
  for (const Query& query : queries) {
    const std::uint32_t length = query.length();
    if (!query.is_literal || query.has_pam() || length <= k + 1 || length + k > 32) {
      return INFINITY;
    }
    if (costs.contains(length)) {
      continue;
    }
    const double words = static_cast<double>(most_near_words(length, query.no_gaps));
    costs[length] = kNearWord * (k == 1 ? words : words * words / 2);
    if (costs.size() > kMostNearLengths) {
      return INFINITY;
    }
  }
  double sum = 0;
  for (const auto& [length, cost] : costs) {
    sum += cost;
  }
  return sum;
}

std::unique_ptr<const NearSet> NearSet::choose(const std::vector<Query>& queries, const ScanOptions& options) {
  const double cost = estimated_cost(queries, options);
  return std::isinf(cost) || cost > scan::estimated_cost(queries, options, false)
             ? nullptr
             : std::make_unique<const NearSet>(queries, options);
}

NearSet::NearSet(const std::vector<Query>& queries, const ScanOptions& options)
    : max_edits_(options.max_edits), no_gaps_(!options.has_gaps()) {
  std::map<std::uint32_t, std::vector<Literal>> by_length;
  for (std::uint32_t q = 0; q < queries.size(); ++q) {
    by_length[queries[q].length()].push_back({q, queries[q].bases});
  }
  for (auto& [length, literals] : by_length) {
    const GramPlan plan{std::min<unsigned>(LiteralGroup::kLongestGram, length), 1, false};
    lengths_.push_back({length, LiteralTable(literals, 0, plan)});
    literals = {};
  }
}

std::uint64_t NearSet::scan(const sequence::Reference& reference, const HitRoom& room, std::uint64_t begin,
                            std::uint64_t end, std::vector<Hit>& hits) const {
  static thread_local PackedText text;
  const std::size_t first_hit = hits.size();
  for (std::uint64_t at = begin; at < end;) {
    const std::uint64_t next = std::min(end, at / PackedText::kMost * PackedText::kMost + PackedText::kMost);
    const std::size_t before = hits.size();
    const std::uint64_t origin = (at - std::min(at, PackedText::kBefore)) / 64 * 64;
    Stop::look();
    text.load(reference, origin, next);
    for (const auto& [length, table] : lengths_) {
      NearWords words(length, no_gaps_);
      for (std::uint64_t i = at - origin; i < next - origin; ++i) {
        const std::uint64_t unknown = text.is_plain() ? 0 : unknown_letters(reference, origin + i);
        // More unknown letters than edits among those that each match has.
        if (static_cast<unsigned>(std::popcount(unknown >> (64 - 2 * (length - max_edits_)))) <= 2 * max_edits_) {
          words.add(static_cast<std::uint32_t>(i), text.last_letters(i), unknown, max_edits_);
        }
        if (words.all().size() >= kWordsAtOnce || i + 1 == next - origin) {
          look_up_words(table, origin, words.all(), hits);
        }
      }
    }
    if (hits.size() - first_hit > room.room) {
      hits.resize(before);
      return at;
    }
    at = next;
    if (hits.size() - first_hit >= room.most_hits) {
      return at;
    }
  }
  return end;
}

}  // namespace trawl::scan
