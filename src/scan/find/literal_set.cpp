#include "scan/find/literal_set.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "scan/find/partition.hpp"
#include "sequence/plane_window.hpp"

namespace trawl::scan {

namespace {

// Bits of the bitmap for each gram: so few grams of the text pass by chance.
constexpr std::uint64_t kBitsAGram = 16;
constexpr unsigned kLeastBitmapBits = 15;  // 4 KiB
constexpr unsigned kMostBitmapBits = 30;
// Entries that are sorted into buckets together: buckets and entries stay in the cache.
constexpr std::uint64_t kTogether = std::uint64_t{1} << 15;
constexpr std::size_t kMostShares = 2048;
// Grams whose memory is asked for at the same time; a core waits for 10 to 16 lines of memory at once.
constexpr std::size_t kAtOnce = 32;

constexpr std::uint32_t low_letters(unsigned count) {
  return count >= 16 ? ~std::uint32_t{0} : (std::uint32_t{1} << (2 * count)) - 1;
}

// The grams at every step-th offset from `first` to `last` that the bitmap may have. Returns their number.
template <unsigned kStep>
std::size_t find_candidates(const LiteralTable& table, const PackedText& text, std::uint64_t first, std::uint64_t last,
                            GramAt* found) {
  const std::uint32_t mask = low_letters(table.gram());
  std::size_t count = 0;
  const bool large = table.bitmap_is_large();
  constexpr std::uint64_t kAhead = 64;
  for (std::uint64_t at = first; at < last; at += kStep) {
    if (large) {
      __builtin_prefetch(table.bitmap_word(
          static_cast<std::uint32_t>(text.letters(std::min(at + kAhead * kStep, PackedText::kMost))) & mask));
    }
    const auto code = static_cast<std::uint32_t>(text.letters(at)) & mask;
    found[count] = {static_cast<std::uint32_t>(at), code};
    count += table.may_have(code);
  }
  return count;
}

}  // namespace

void PackedText::load(const sequence::Reference& reference, std::uint64_t begin, std::uint64_t end) {
  const auto planes = reference.planes();
  begin_ = begin;
  is_plain_ = true;
  std::uint64_t* out = words_;
  for (std::uint64_t b = begin / 64; b < std::min<std::uint64_t>(planes.size(), end / 64 + 2); ++b) {
    const auto& [high, low] = planes[b];
    *out++ = spread_bits(static_cast<std::uint32_t>(low)) | spread_bits(static_cast<std::uint32_t>(high)) << 1;
    *out++ = spread_bits(static_cast<std::uint32_t>(low >> 32)) | spread_bits(static_cast<std::uint32_t>(high >> 32))
                                                                      << 1;
    is_plain_ &= b * 64 >= end || !reference.block_has_ambiguous(b);
  }
}

LiteralTable::LiteralTable(LiteralGroup group) : group_(std::move(group)) {
  make_known();
  make_tables();
}

void LiteralTable::make_known() {
  known_ = sequence::HugeArray<Known>(group_.size());
  bool has_several = false;
  for (std::size_t i = 0; i < group_.size(); ++i) {
    has_several |= group_.literals[i + 1].ids - group_.literals[i].ids > 1;
  }
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, group_.size(), 4096), [&](const auto& range) {
    for (std::size_t i = range.begin(); i < range.end(); ++i) {
      const LiteralGroup::Different& literal = group_.literals[i];
      const bool several = group_.literals[i + 1].ids - literal.ids > 1;
      known_[i] = {group_.last_letters(i), literal.length | (several ? kSeveral : 0), group_.ids[literal.ids]};
    }
  });
  // What is not needed any more is a third of the memory of a large set.
  if (group_.longest <= 32) {
    group_.blocks = std::vector<sequence::PlaneBlock>();
    if (!has_several) {
      group_.literals = std::vector<LiteralGroup::Different>();
      group_.ids = std::vector<std::uint32_t>();
    }
  }
}

void LiteralTable::make_tables() {
  const std::uint64_t grams = known_.size() * group_.step;
  bitmap_bits_ = std::clamp(static_cast<unsigned>(std::bit_width(grams * kBitsAGram - 1)), kLeastBitmapBits,
                            std::min(kMostBitmapBits, std::max(kLeastBitmapBits, 2 * group_.gram)));
  bucket_bits_ = std::max(1u, std::min(static_cast<unsigned>(std::bit_width(grams)), bitmap_bits_));
  bitmap_ = sequence::HugeArray<std::uint64_t>((std::size_t{1} << bitmap_bits_) / 64);
  buckets_ = sequence::HugeArray<std::uint32_t>((std::size_t{1} << bucket_bits_) + 1);
  entries_ = sequence::HugeArray<std::uint32_t>(grams);
  // A share has the same first bits of the hash, and so its own part of the bitmap, of the buckets and of the entries.
  const std::size_t most_shares = std::min((std::size_t{1} << bitmap_bits_) / 64, std::size_t{1} << bucket_bits_);
  const std::size_t shares = std::min({std::bit_ceil(grams / kTogether + 1), kMostShares, most_shares});
  const auto share_bits = static_cast<unsigned>(std::bit_width(shares) - 1);
  struct Item {
    std::uint32_t hash;
    std::uint32_t entry;
  };
  std::vector<std::uint64_t> first;
  const auto items = partition<Item>(known_.size(), shares, first, [&](std::size_t i, auto&& put) {
    for (unsigned after = 0; after < group_.step; ++after) {
      const std::uint32_t h = hash(static_cast<std::uint32_t>(known_[i].last >> (2 * (32 - group_.gram - after))) &
                                   low_letters(group_.gram));
      put(static_cast<std::size_t>(std::uint64_t{h} >> (32 - share_bits)),
          Item{h, static_cast<std::uint32_t>(i * LiteralGroup::kLargestStep + after)});
    }
  });
  tbb::parallel_for(std::size_t{0}, shares, [&](std::size_t share) {
    const std::size_t words = (std::size_t{1} << bitmap_bits_) / 64 / shares;
    std::uint64_t* const bitmap = bitmap_.data() + share * words;
    std::fill_n(bitmap, words, 0);
    const std::size_t count = (std::size_t{1} << bucket_bits_) / shares;
    std::uint32_t* const buckets = buckets_.data() + share * count;
    std::fill_n(buckets, count, 0);
    const auto bucket_of = [&](const Item& item) { return (item.hash >> (32 - bucket_bits_)) - share * count; };
    for (std::uint64_t i = first[share]; i < first[share + 1]; ++i) {
      const std::uint32_t bit = items[i].hash >> (32 - bitmap_bits_);
      bitmap_[bit / 64] |= std::uint64_t{1} << (bit % 64);
      ++buckets[bucket_of(items[i])];
    }
    // Each bucket gets its end, which then moves down to its beginning.
    auto end = static_cast<std::uint32_t>(first[share]);
    for (std::size_t b = 0; b < count; ++b) {
      buckets[b] = end += buckets[b];
    }
    for (std::uint64_t i = first[share + 1]; i-- > first[share];) {
      entries_[--buckets[bucket_of(items[i])]] = items[i].entry;
    }
  });
  buckets_[std::size_t{1} << bucket_bits_] = static_cast<std::uint32_t>(grams);
}

bool LiteralTable::occurs(const sequence::Reference& reference, const LiteralGroup::Different& literal,
                          std::uint64_t begin) const {
  const sequence::PlaneBlock* planes = reference.planes().data();
  const std::uint64_t* ambiguous = reference.ambiguous().data();
  for (std::uint32_t i = 0; i < literal.length; i += 64) {
    const std::uint64_t at = begin + i;
    const std::uint32_t left = literal.length - i;
    const std::uint64_t unknown = sequence::funnel_shift_right(ambiguous[at / 64], ambiguous[at / 64 + 1], at % 64);
    std::uint64_t differs = unknown;
    if (literal.length > 32) {
      const sequence::PlaneBlock text = sequence::planes_at(planes, at);
      const sequence::PlaneBlock& pattern = group_.blocks[literal.block + i / 64];
      differs |= (text.high ^ pattern.high) | (text.low ^ pattern.low);
    }
    if ((left >= 64 ? differs : differs << (64 - left)) != 0) {
      return false;
    }
  }
  return true;
}

bool LiteralTable::check(const sequence::Reference& reference, const PackedText& text, std::span<const GramAt> grams,
                         std::size_t most, std::vector<Hit>& hits) const {
  struct Listed {
    std::uint32_t first;
    std::uint32_t last;
  };
  std::array<Listed, kAtOnce> listed;
  while (!grams.empty()) {
    const auto some = grams.first(std::min(grams.size(), kAtOnce));
    grams = grams.subspan(some.size());
    for (const GramAt& gram : some) {
      __builtin_prefetch(&buckets_[hash(gram.code) >> (32 - bucket_bits_)]);
    }
    for (std::size_t g = 0; g < some.size(); ++g) {
      const std::uint32_t bucket = hash(some[g].code) >> (32 - bucket_bits_);
      listed[g] = {buckets_[bucket], buckets_[bucket + 1]};
      __builtin_prefetch(entries_.data() + listed[g].first);
    }
    for (std::size_t g = 0; g < some.size(); ++g) {
      for (std::uint32_t e = listed[g].first; e < listed[g].last; ++e) {
        __builtin_prefetch(&known_[entries_[e] / LiteralGroup::kLargestStep]);
      }
    }
    for (std::size_t g = 0; g < some.size(); ++g) {
      for (std::uint32_t e = listed[g].first; e < listed[g].last; ++e) {
        const std::uint32_t index = entries_[e] / LiteralGroup::kLargestStep;
        const Known& known = known_[index];
        const std::uint32_t length = known.length & ~kSeveral;
        const std::uint64_t offset = some[g].offset + group_.gram - 1 + entries_[e] % LiteralGroup::kLargestStep;
        const std::uint64_t differs = text.last_letters(offset) ^ known.last;
        const std::uint64_t end = text.begin() + offset;
        // There is a gap before the first contig, so a literal that begins before it does not occur.
        if ((length >= 32 ? differs : differs >> (64 - 2 * length)) != 0 || end + 1 < length) {
          continue;
        }
        if (length > 32 || !text.is_plain()) {
          const LiteralGroup::Different whole =
              length > 32 ? group_.literals[index] : LiteralGroup::Different{length, 0, 0};
          if (!occurs(reference, whole, end + 1 - length)) {
            continue;
          }
        }
        hits.push_back({end, known.id, 0});
        if ((known.length & kSeveral) != 0) {
          for (std::uint32_t i = group_.literals[index].ids + 1; i < group_.literals[index + 1].ids; ++i) {
            hits.push_back({end, group_.ids[i], 0});
          }
        }
        if (hits.size() > most) {
          return false;
        }
      }
    }
  }
  return true;
}

LiteralSet::LiteralSet(std::vector<Literal> literals) {
  for (LiteralGroup& group : group_literals(std::move(literals))) {
    tables_.emplace_back(std::move(group));
  }
}

std::uint64_t literal_scan(const sequence::Reference& reference, const LiteralSet& set,
                           const LiteralScanOptions& options, std::uint64_t begin, std::uint64_t end,
                           std::vector<Hit>& hits) {
  static thread_local PackedText text;
  static thread_local std::array<GramAt, PackedText::kMost + 2 * PackedText::kBefore> candidates;
  const std::size_t first_hit = hits.size();
  const std::size_t most = options.room > SIZE_MAX - first_hit ? SIZE_MAX : first_hit + options.room;
  for (std::uint64_t at = begin; at < end;) {
    const std::uint64_t next = std::min(end, at / PackedText::kMost * PackedText::kMost + PackedText::kMost);
    const std::size_t before = hits.size();
    // A literal that ends in [at, next) has a gram that begins at most kBefore letters before `at`.
    const std::uint64_t from = at - std::min(at, PackedText::kBefore);
    const std::uint64_t origin = from / 64 * 64;
    text.load(reference, origin, next);
    for (const LiteralTable& table : set.tables()) {
      const unsigned step = table.step(), gram = table.gram();
      const std::uint64_t first = (from + step - 1) / step * step - origin;
      const std::uint64_t last = next - origin + 1 - std::min<std::uint64_t>(gram, next - origin + 1);
      const std::size_t count = step == 1   ? find_candidates<1>(table, text, first, last, candidates.data())
                                : step == 2 ? find_candidates<2>(table, text, first, last, candidates.data())
                                            : find_candidates<4>(table, text, first, last, candidates.data());
      if (!table.check(reference, text, {candidates.data(), count}, most, hits)) {
        hits.resize(before);
        return at;
      }
    }
    hits.erase(std::remove_if(hits.begin() + static_cast<std::ptrdiff_t>(before), hits.end(),
                              [&](const Hit& hit) { return hit.end < at || hit.end >= next; }),
               hits.end());
    at = next;
    if (hits.size() - first_hit >= options.most_hits) {
      return at;
    }
  }
  return end;
}

}  // namespace trawl::scan
