#include "scan/find/literal_table.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/bits.hpp"
#include "base/stop.hpp"
#include "sequence/partition.hpp"
#include "sequence/plane_window.hpp"

namespace trawl::scan {

namespace {

constexpr unsigned kLeastBitmapBits = 12;
constexpr unsigned kMostBitmapBits = 30;
// Larger bitmaps do not stay in the cache of level 1, 2 and 3.
constexpr unsigned kNearBits = 17, kMiddleBits = 22, kFarBits = 26;
// Literals that are sorted into buckets together: they stay in the cache.
constexpr std::uint64_t kInOneShare = std::uint64_t{1} << 13;
constexpr std::size_t kMostTableShares = 2048;
// Places whose memory is asked for at the same time.
constexpr std::size_t kAtOnce = 64;

constexpr std::uint32_t low_letters(unsigned count) {
  return count >= 16 ? ~std::uint32_t{0} : (std::uint32_t{1} << (2 * count)) - 1;
}

std::size_t shares_for(std::uint64_t elements, std::size_t most) {
  return std::min({std::bit_ceil(elements / kInOneShare + 1), kMostTableShares, most});
}

// The size of a bitmap for this number of grams; with 2 gram bits or more it has one bit for each gram that there can
// be.
unsigned bitmap_bits(std::uint64_t grams, unsigned gram) {
  const auto for_each = [&](std::uint64_t bits) { return static_cast<unsigned>(std::bit_width(grams * bits - 1)); };
  // The more bits, the fewer other grams pass: one in 1,000 with 64, in 60 with 16.
  const unsigned bits =
      std::max({std::min(for_each(64), kNearBits), std::min(for_each(32), kMiddleBits), for_each(16)});
  return std::clamp(std::min(bits, 2 * gram), kLeastBitmapBits, kMostBitmapBits);
}

std::size_t shortest_of(std::span<const Literal> literals) {
  return std::ranges::min(literals, {}, [](const Literal& literal) { return literal.bases.size(); }).bases.size();
}

}  // namespace

std::uint64_t unknown_letters(const sequence::Reference& reference, std::uint64_t end) {
  const std::uint64_t* ambiguous = reference.ambiguous().data();
  const std::uint64_t begin = end + 1 - std::min<std::uint64_t>(end + 1, 32);
  // After the word of `end` there may be none.
  const std::uint64_t bits = sequence::funnel_shift_right(ambiguous[begin / 64], ambiguous[end / 64], begin % 64)
                             << (32 - (end + 1 - begin));
  return 3 * spread_bits(bits);
}

GramPlan LiteralTable::choose_plan(std::uint64_t literals, std::uint32_t shortest) {
  // Nanoseconds: choosing grams by rank, a look-up in a bitmap of each size, the comparisons at a place whose gram has
  // passed, and putting a gram into the bitmap, as a share of a text of 100 Mbp. Measured with 2,000,000 literals of
  // 16, 20 and 32 letters and windows of 1 to 16, on a core with 1 MiB of level 2 and 32 MiB of level 3.
  constexpr double kRank = 0.4, kNear = 1.3, kMiddle = 1.6, kFar = 2.1, kFarthest = 3.2, kPlace = 12, kPut = 9 / 1e8;
  GramPlan best;
  double least = 0;
  for (unsigned window = 1; window <= std::min(shortest, TextGrams::kLongestWindow); ++window) {
    for (const bool by_rank : {false, true}) {
      const GramPlan plan{std::min(LiteralGroup::kLongestGram, shortest - window + 1), window, by_rank};
      const std::uint64_t grams = by_rank ? literals : literals * window;
      const unsigned bits = bitmap_bits(grams, plan.gram);
      const double look_up = bits <= kNearBits     ? kNear
                             : bits <= kMiddleBits ? kMiddle
                             : bits <= kFarBits    ? kFar
                                                   : kFarthest;
      const double equal = std::ldexp(static_cast<double>(grams), -2 * static_cast<int>(plan.gram));
      const double by_chance =
          2 * plan.gram <= bits ? 0 : std::pow(std::ldexp(2.0 * grams, -static_cast<int>(bits)), 2);
      const double cost = static_cast<double>(grams) * kPut +
                          (by_rank ? kRank + look_up * 2 / (window + 1) : look_up / window) +
                          kPlace * std::min(1.0, equal + by_chance);
      if (least == 0 || cost < least) {
        best = plan;
        least = cost;
      }
    }
  }
  return best;
}

LiteralTable::LiteralTable(std::span<const Literal> literals, unsigned most_unknown)
    : LiteralTable(literals, most_unknown,
                   choose_plan(literals.size(), static_cast<std::uint32_t>(shortest_of(literals)))) {}

LiteralTable::LiteralTable(std::span<const Literal> literals, unsigned most_unknown, const GramPlan& plan)
    : most_unknown_(most_unknown), plan_(plan) {
  make_buckets(literals);
  make_bitmap();
}

void LiteralTable::make_buckets(std::span<const Literal> literals) {
  const std::uint64_t count = literals.size();
  const std::size_t shortest = shortest_of(literals);
  // By literal; empty if none is long.
  std::vector<std::uint32_t> index_of_long;
  for (std::size_t i = 0; i < count; ++i) {
    if (literals[i].bases.size() > 32) {
      index_of_long.resize(count);
      index_of_long[i] = static_cast<std::uint32_t>(long_.size());
      long_.push_back({literals[i].id, static_cast<std::uint32_t>(blocks_.size())});
      append_blocks(literals[i].bases, blocks_);
    }
  }
  const unsigned bits = std::max(1u, static_cast<unsigned>(std::bit_width(count)));
  key_shift_ = 64 - 2 * std::min<unsigned>(static_cast<unsigned>(shortest), 32);
  bucket_shift_ = 64 - bits;
  const std::size_t buckets = std::size_t{1} << bits;
  buckets_ = sequence::HugeArray<std::uint32_t>(buckets + 1);
  known_ = sequence::HugeArray<Known>(count);
  // A share has the same first bits of the hash, and so its own part of the buckets and of the literals.
  const std::size_t shares = shares_for(count, buckets);
  const std::size_t of_share = buckets / shares;
  std::vector<std::uint64_t> first;
  const auto sorted = sequence::partition<Known>(count, shares, first, [&](std::size_t i, auto&& put) {
    const auto& [id, bases] = literals[i];
    const std::uint64_t last = last_letters_of(bases);
    put(bucket_of(last) / of_share,
        Known{last, static_cast<std::uint32_t>(bases.size()), bases.size() > 32 ? index_of_long[i] : id});
  });
  tbb::parallel_for(std::size_t{0}, shares, [&](std::size_t share) {
    std::uint32_t* const own = buckets_.data() + share * of_share;
    std::fill_n(own, of_share, 0);
    for (std::uint64_t i = first[share]; i < first[share + 1]; ++i) {
      ++buckets_[bucket_of(sorted[i].last)];
    }
    // Each bucket gets its end, which then moves down to its beginning.
    auto end = static_cast<std::uint32_t>(first[share]);
    for (std::size_t b = 0; b < of_share; ++b) {
      own[b] = end += own[b];
    }
    for (std::uint64_t i = first[share + 1]; i-- > first[share];) {
      known_[--buckets_[bucket_of(sorted[i].last)]] = sorted[i];
    }
  });
  buckets_[buckets] = static_cast<std::uint32_t>(count);
}

// Calls use(gram) for the grams of the literal's last window that are looked up.
template <class Use>
void LiteralTable::for_grams(std::uint64_t last, const Use& use) const {
  const std::uint64_t letters = last >> (2 * (32 - plan_.letters()));
  const auto gram = [&](unsigned i, unsigned size) {
    return static_cast<std::uint32_t>(letters >> 2 * i) & low_letters(size);
  };
  if (!plan_.by_rank) {
    for (unsigned i = 0; i < plan_.window; ++i) {
      use(gram(i, plan_.gram));
    }
    return;
  }
  const unsigned ranked = std::min(plan_.gram, TextGrams::kRanked);
  std::uint32_t smallest = ~std::uint32_t{0};
  for (unsigned i = 0; i < plan_.window; ++i) {
    smallest = std::min(smallest, std::uint32_t{TextGrams::rank(gram(i, ranked))} << 16 | i);
  }
  use(gram(smallest & 0xFFFF, plan_.gram));
}

void LiteralTable::make_bitmap() {
  const std::uint64_t grams = known_.size() * (plan_.by_rank ? 1 : plan_.window);
  const unsigned bits = bitmap_bits(grams, plan_.gram);
  if (2 * plan_.gram <= bits) {
    factor_ = std::uint64_t{1} << (64 - bits);
    second_bit_ = first_bit_ = 64 - bits;
  } else {
    factor_ = 0x9E3779B97F4A7C15u;
    first_bit_ = 64 - bits;
    second_bit_ = first_bit_ - 6;
  }
  word_shift_ = 70 - bits;
  bitmap_is_large_ = bits > kNearBits;
  const std::size_t words = std::size_t{1} << (bits - 6);
  bitmap_ = sequence::HugeArray<std::uint64_t>(words);
  const std::size_t shares = shares_for(grams, words);
  const std::size_t of_share = words / shares;
  std::vector<std::uint64_t> first;
  const auto hashes = sequence::partition<std::uint64_t>(known_.size(), shares, first, [&](std::size_t i, auto&& put) {
    for_grams(known_[i].last, [&](std::uint32_t gram) {
      const std::uint64_t h = hash(gram);
      put((h >> word_shift_) / of_share, h);
    });
  });
  tbb::parallel_for(std::size_t{0}, shares, [&](std::size_t share) {
    std::fill_n(bitmap_.data() + share * of_share, of_share, 0);
    for (std::uint64_t i = first[share]; i < first[share + 1]; ++i) {
      const std::uint64_t h = hashes[i];
      bitmap_[h >> word_shift_] |= std::uint64_t{1} << (h >> first_bit_ & 63) | std::uint64_t{1}
                                                                                    << (h >> second_bit_ & 63);
    }
  });
}

// The number of grams that the bitmap lets pass.
std::size_t LiteralTable::find_passed(const PackedText& text, std::uint64_t first, Room& room) const {
  const auto selected = room.grams.selected();
  const std::uint32_t mask = low_letters(plan_.gram);
  std::size_t count = 0;
  const auto hash_at = [&](std::uint16_t gram) {
    return hash(static_cast<std::uint32_t>(text.letters(first + gram)) & mask);
  };
  if (!bitmap_is_large_) {
    for (const std::uint16_t gram : selected) {
      room.passed[count] = gram;
      count += may_have(hash_at(gram));
    }
    return count;
  }
  // The core asks for the words of all grams before it waits for the first.
  constexpr std::size_t kAhead = 256;
  const auto ask = [&](std::size_t i) {
    room.hashes[i] = hash_at(selected[i]);
    __builtin_prefetch(&bitmap_[room.hashes[i] >> word_shift_]);
  };
  for (std::size_t i = 0; i < std::min(kAhead, selected.size()); ++i) {
    ask(i);
  }
  for (std::size_t i = 0; i < selected.size(); ++i) {
    if (i + kAhead < selected.size()) {
      ask(i + kAhead);
    }
    room.passed[count] = selected[i];
    count += may_have(room.hashes[i]);
  }
  return count;
}

bool LiteralTable::search(const sequence::Reference& reference, const PackedText& text, std::uint64_t first,
                          std::uint64_t last, std::size_t most, Room& room, std::vector<Hit>& hits) const {
  // Window i has the letters from offset `origin` + i on.
  const std::uint64_t letters = plan_.letters();
  const std::uint64_t begin = first + 1 - std::min(letters, first + 1);
  const std::uint64_t origin = begin / 4 * 4;
  if (last < origin + letters) {
    return true;
  }
  const std::size_t windows = last - origin - letters + 1;
  room.grams.set(plan_);
  room.grams.select(text, origin, windows);
  const std::size_t passed = find_passed(text, origin, room);
  // If a window has several grams of the smallest rank, a literal's is the first of them.
  std::size_t next = begin - origin;
  std::size_t count = 0;
  for (std::size_t p = 0; p < passed; ++p) {
    const std::size_t gram = room.passed[p];
    std::size_t window = std::max(next, gram + 1 - std::min<std::size_t>(gram + 1, plan_.window));
    const std::size_t end = std::min(gram + 1, windows);
    while (window < end && !room.grams.is_of_window(gram, window)) {
      ++window;
    }
    for (; window < end && room.grams.is_of_window(gram, window); ++window) {
      next = window + 1;
      const auto offset = static_cast<std::uint32_t>(origin + window + letters - 1);
      // In the packed text an ambiguous letter is an A: runs of N would find all literals that are runs of A.
      if (!text.is_plain() && static_cast<unsigned>(std::popcount(unknown_letters(reference, text.begin() + offset) >>
                                                                  key_shift_)) > 2 * most_unknown_) {
        continue;
      }
      const std::uint32_t bucket = bucket_of(text.last_letters(offset));
      __builtin_prefetch(&buckets_[bucket]);
      room.places[count++] = {offset, bucket};
    }
  }
  return compare(reference, text, count, most, room, hits);
}

bool LiteralTable::occurs(const sequence::Reference& reference, const Known& known, std::uint64_t begin) const {
  const sequence::PlaneBlock* planes = reference.planes().data();
  const std::uint64_t* ambiguous = reference.ambiguous().data();
  const std::uint32_t length = known.length;
  for (std::uint32_t i = 0; i < length; i += 64) {
    const std::uint64_t at = begin + i;
    const std::uint32_t left = length - i;
    const std::uint64_t unknown =
        most_unknown_ > 0 ? 0 : sequence::funnel_shift_right(ambiguous[at / 64], ambiguous[at / 64 + 1], at % 64);
    const sequence::PlaneBlock text = sequence::planes_at(planes, at);
    const sequence::PlaneBlock& pattern = blocks_[long_[known.id].block + i / 64];
    const std::uint64_t differs = unknown | (text.high ^ pattern.high) | (text.low ^ pattern.low);
    if ((left >= 64 ? differs : differs << (64 - left)) != 0) {
      return false;
    }
  }
  return true;
}

bool LiteralTable::compare(const sequence::Reference& reference, const PackedText& text, std::size_t count,
                           std::size_t most, const Room& room, std::vector<Hit>& hits) const {
  struct Listed {
    std::uint32_t offset;
    std::uint32_t first;
    std::uint32_t last;
  };
  std::array<Listed, kAtOnce + 1> listed;
  for (std::size_t done = 0; done < count; done += kAtOnce) {
    std::size_t some = 0;
    for (std::size_t p = done; p < std::min(done + kAtOnce, count); ++p) {
      const auto& [offset, bucket] = room.places[p];
      const std::uint32_t first = buckets_[bucket], last = buckets_[bucket + 1];
      listed[some] = {offset, first, last};
      __builtin_prefetch(&known_[first]);
      some += first < last;
    }
    for (std::size_t l = 0; l < some; ++l) {
      const auto& [offset, first, last] = listed[l];
      const std::uint64_t letters = text.last_letters(offset);
      const std::uint64_t end = text.begin() + offset;
      const std::uint64_t unknown = text.is_plain() || most_unknown_ > 0 ? 0 : unknown_letters(reference, end);
      for (const Known& known : std::span(&known_[first], &known_[last])) {
        const std::uint32_t length = std::min(known.length, 32u);
        // There is a gap before the first contig, so a literal that begins before it does not occur.
        if (((letters ^ known.last) | unknown) >> (64 - 2 * length) != 0 || end + 1 < known.length) {
          continue;
        }
        if (known.length <= 32) {
          hits.push_back({end, known.id, 0});
        } else if (occurs(reference, known, end + 1 - known.length)) {
          hits.push_back({end, long_[known.id].id, 0});
        }
      }
      if (hits.size() > most) {
        return false;
      }
    }
  }
  return true;
}

std::vector<LiteralTable> make_literal_tables(const std::vector<Literal>& literals, unsigned most_unknown) {
  std::vector<LiteralTable> tables;
  std::vector<std::uint64_t> first;
  const auto sorted = sort_by_group(literals, first);
  for (std::size_t g = 0; g + 1 < first.size(); ++g) {
    if (first[g] < first[g + 1]) {
      tables.emplace_back(std::span(sorted.data() + first[g], sorted.data() + first[g + 1]), most_unknown);
    }
  }
  return tables;
}

std::uint64_t literal_scan(const sequence::Reference& reference, std::span<const LiteralTable> tables,
                           const HitRoom& options, std::uint64_t begin, std::uint64_t end, std::vector<Hit>& hits) {
  static thread_local PackedText text;
  static thread_local LiteralTable::Room room;
  const std::size_t first_hit = hits.size();
  const std::size_t most = options.room > SIZE_MAX - first_hit ? SIZE_MAX : first_hit + options.room;
  for (std::uint64_t at = begin; at < end;) {
    const std::uint64_t next = std::min(end, at / PackedText::kMost * PackedText::kMost + PackedText::kMost);
    const std::size_t before = hits.size();
    // A literal that ends in [at, next) has its last letters in [at - kBefore, next).
    const std::uint64_t origin = (at - std::min(at, PackedText::kBefore)) / 64 * 64;
    Stop::look();
    text.load(reference, origin, next);
    for (const LiteralTable& table : tables) {
      if (!table.search(reference, text, at - origin, next - origin, most, room, hits)) {
        hits.resize(before);
        return at;
      }
    }
    at = next;
    if (hits.size() - first_hit >= options.most_hits) {
      return at;
    }
  }
  return end;
}

}  // namespace trawl::scan
