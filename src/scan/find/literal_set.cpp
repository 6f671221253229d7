#include "scan/find/literal_set.hpp"

#include <tbb/parallel_sort.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>
#include <span>

#include "sequence/alphabet.hpp"
#include "sequence/plane_window.hpp"

namespace trawl::scan {

namespace {

// Positions that are packed at a time. Their letters and candidates stay in the level 1 cache.
constexpr std::uint64_t kBlock = 4096;
// No gram that is looked up begins further before the end of its literal.
constexpr std::uint64_t kMostReach = 64;
// Bits of the bitmap for each gram: so few grams of the text pass by chance.
constexpr std::uint64_t kBitsAGram = 16;
constexpr unsigned kLeastBitmapBits = 15;  // 4 KiB
constexpr unsigned kMostBitmapBits = 30;

// Bit i of `bits` becomes bit 2 i.
std::uint64_t spread(std::uint32_t bits) {
  std::uint64_t x = bits;
  x = (x | x << 16) & 0x0000FFFF0000FFFFu;
  x = (x | x << 8) & 0x00FF00FF00FF00FFu;
  x = (x | x << 4) & 0x0F0F0F0F0F0F0F0Fu;
  x = (x | x << 2) & 0x3333333333333333u;
  return (x | x << 1) & 0x5555555555555555u;
}

constexpr std::uint32_t low_letters(unsigned count) {
  return count >= 16 ? ~std::uint32_t{0} : (std::uint32_t{1} << (2 * count)) - 1;
}

// The letters from a multiple of 64 on, 2 bits each.
class PackedBlock {
 public:
  void load(const sequence::Reference& reference, std::uint64_t begin, std::uint64_t end) {
    const auto planes = reference.planes();
    std::uint64_t* out = words_.data();
    for (std::uint64_t b = begin / 64; b < std::min<std::uint64_t>(planes.size(), end / 64 + 2); ++b) {
      const auto& [high, low] = planes[b];
      *out++ = spread(static_cast<std::uint32_t>(low)) | spread(static_cast<std::uint32_t>(high)) << 1;
      *out++ = spread(static_cast<std::uint32_t>(low >> 32)) | spread(static_cast<std::uint32_t>(high >> 32)) << 1;
    }
  }
  // The letters from offset i on; at least 29 of them.
  std::uint64_t letters(std::uint64_t i) const {
    std::uint64_t word;
    std::memcpy(&word, reinterpret_cast<const char*>(words_.data()) + i / 4, sizeof word);
    return word >> (2 * (i % 4));
  }

 private:
  std::array<std::uint64_t, 2 * (kBlock / 64 + 4)> words_{};
};

struct Candidate {
  std::uint32_t offset;
  std::uint32_t code;
};

// The grams at every step-th offset from `first` to `last` that the bitmap may have. Returns their number.
template <unsigned kStep>
std::size_t find_candidates(const LiteralTable& table, const PackedBlock& text, std::uint64_t first, std::uint64_t last,
                            Candidate* found) {
  const std::uint32_t mask = low_letters(table.gram());
  std::size_t count = 0;
  const bool large = table.bitmap_is_large();
  constexpr std::uint64_t kAhead = 64;
  for (std::uint64_t at = first; at < last; at += kStep) {
    if (large) {
      __builtin_prefetch(
          table.bitmap_word(static_cast<std::uint32_t>(text.letters(std::min(at + kAhead * kStep, kBlock))) & mask));
    }
    const auto code = static_cast<std::uint32_t>(text.letters(at)) & mask;
    found[count] = {static_cast<std::uint32_t>(at), code};
    count += table.may_have(code);
  }
  return count;
}

}  // namespace

std::uint64_t LiteralGroup::last_letters(std::size_t literal) const {
  const Different& of = literals[literal];
  const std::uint32_t first = of.length - std::min(of.length, 32u);
  std::uint32_t high = 0, low = 0;
  for (std::uint32_t i = first; i < of.length; ++i) {
    const sequence::PlaneBlock& block = blocks[of.block + i / 64];
    high |= static_cast<std::uint32_t>((block.high >> (i % 64)) & 1) << (32 - of.length + i);
    low |= static_cast<std::uint32_t>((block.low >> (i % 64)) & 1) << (32 - of.length + i);
  }
  return spread(low) | spread(high) << 1;
}

LiteralTable::LiteralTable(LiteralGroup group) : group_(std::move(group)) {
  for (std::size_t i = 0; i < group_.size(); ++i) {
    const std::uint64_t letters = group_.last_letters(i);
    for (unsigned after = 0; after < group_.step; ++after) {
      entries_.push_back({static_cast<std::uint32_t>(letters >> (2 * (32 - group_.gram - after))) & low_letters(group_.gram),
                          static_cast<std::uint32_t>(i * LiteralGroup::kLargestStep + after)});
    }
  }
  const std::uint64_t grams = entries_.size();
  bitmap_bits_ = std::clamp(static_cast<unsigned>(std::bit_width(grams * kBitsAGram - 1)), kLeastBitmapBits,
                            std::min(kMostBitmapBits, std::max(kLeastBitmapBits, 2 * group_.gram)));
  bitmap_.assign((std::uint64_t{1} << bitmap_bits_) / 64, 0);
  bucket_bits_ = std::max(1u, std::min(static_cast<unsigned>(std::bit_width(grams)), bitmap_bits_));
  tbb::parallel_sort(entries_.begin(), entries_.end(), [&](const Entry& a, const Entry& b) {
    const std::uint32_t ha = hash(a.code, 32), hb = hash(b.code, 32);
    return ha != hb ? ha < hb : a.literal < b.literal;
  });
  buckets_.assign((std::size_t{1} << bucket_bits_) + 1, 0);
  for (const Entry& entry : entries_) {
    const std::uint32_t h = hash(entry.code, bitmap_bits_);
    bitmap_[h / 64] |= std::uint64_t{1} << (h % 64);
    ++buckets_[hash(entry.code, bucket_bits_) + 1];
  }
  std::partial_sum(buckets_.begin(), buckets_.end(), buckets_.begin());
}

bool LiteralTable::occurs(const sequence::Reference& reference, const LiteralGroup::Different& literal,
                          std::uint64_t begin) const {
  const sequence::PlaneBlock* planes = reference.planes().data();
  const std::uint64_t* ambiguous = reference.ambiguous().data();
  for (std::uint32_t i = 0; i < literal.length; i += 64) {
    const std::uint64_t at = begin + i;
    const sequence::PlaneBlock text = sequence::planes_at(planes, at);
    const sequence::PlaneBlock& pattern = group_.blocks[literal.block + i / 64];
    const std::uint64_t unknown = sequence::funnel_shift_right(ambiguous[at / 64], ambiguous[at / 64 + 1], at % 64);
    const std::uint64_t differs = (text.high ^ pattern.high) | (text.low ^ pattern.low) | unknown;
    const std::uint32_t left = literal.length - i;
    if ((left >= 64 ? differs : differs << (64 - left)) != 0) {
      return false;
    }
  }
  return true;
}

void LiteralTable::check(const sequence::Reference& reference, std::uint32_t code, std::uint64_t gram_end,
                         std::vector<Hit>& hits) const {
  const std::uint32_t bucket = hash(code, bucket_bits_);
  for (std::uint32_t e = buckets_[bucket]; e < buckets_[bucket + 1]; ++e) {
    const Entry& entry = entries_[e];
    if (entry.code != code) {
      continue;
    }
    const std::size_t index = entry.literal / LiteralGroup::kLargestStep;
    const LiteralGroup::Different& literal = group_.literals[index];
    const std::uint64_t end = gram_end + entry.literal % LiteralGroup::kLargestStep;
    // There is a gap before the first contig, so a literal that begins before it does not occur.
    if (end + 1 >= literal.length && occurs(reference, literal, end + 1 - literal.length)) {
      for (std::uint32_t i = literal.ids; i < group_.literals[index + 1].ids; ++i) {
        hits.push_back({end, group_.ids[i], 0});
      }
    }
  }
}

namespace {

LiteralGroup make_group(std::span<Literal> literals, unsigned gram, unsigned step) {
  LiteralGroup group;
  group.gram = gram;
  group.step = step;
  for (std::size_t i = 0; i < literals.size(); ++i) {
    const std::string_view bases = literals[i].bases;
    if (i == 0 || bases != literals[i - 1].bases) {
      group.longest = std::max(group.longest, static_cast<std::uint32_t>(bases.size()));
      group.literals.push_back({static_cast<std::uint32_t>(bases.size()),
                                static_cast<std::uint32_t>(group.blocks.size()),
                                static_cast<std::uint32_t>(group.ids.size())});
      for (std::size_t j = 0; j < bases.size(); j += 64) {
        sequence::PlaneBlock block;
        for (std::size_t k = j; k < std::min(bases.size(), j + 64); ++k) {
          const std::uint64_t code = sequence::base_code(bases[k]);
          block.high |= (code >> 1) << (k - j);
          block.low |= (code & 1) << (k - j);
        }
        group.blocks.push_back(block);
      }
    }
    group.ids.push_back(literals[i].id);
  }
  group.literals.push_back({0, 0, static_cast<std::uint32_t>(group.ids.size())});
  return group;
}

}  // namespace

std::vector<LiteralGroup> group_literals(std::vector<Literal> literals) {
  tbb::parallel_sort(literals.begin(), literals.end(), [](const Literal& a, const Literal& b) {
    if (a.bases.size() != b.bases.size()) {
      return a.bases.size() < b.bases.size();
    }
    const int order = a.bases.compare(b.bases);
    return order != 0 ? order < 0 : a.id < b.id;
  });
  // The shortest literal of a group decides its grams.
  constexpr std::size_t kBorders[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 19};
  std::vector<LiteralGroup> groups;
  for (auto first = literals.begin(); first != literals.end();) {
    const std::size_t shortest = first->bases.size();
    const auto border = std::upper_bound(std::begin(kBorders), std::end(kBorders), shortest);
    const auto last = border == std::end(kBorders)
                          ? literals.end()
                          : std::partition_point(first, literals.end(),
                                                 [&](const Literal& a) { return a.bases.size() < *border; });
    const unsigned step = shortest < 12 ? 1 : shortest < 14 ? 2 : 4;
    const auto gram = static_cast<unsigned>(std::min<std::size_t>(LiteralGroup::kLongestGram, shortest - step + 1));
    groups.push_back(make_group({first, last}, gram, step));
    first = last;
  }
  return groups;
}

LiteralSet::LiteralSet(std::vector<Literal> literals) {
  for (LiteralGroup& group : group_literals(std::move(literals))) {
    tables_.emplace_back(std::move(group));
  }
}

std::uint64_t literal_scan(const sequence::Reference& reference, const LiteralSet& set,
                           const LiteralScanOptions& options, std::uint64_t begin, std::uint64_t end,
                           std::vector<Hit>& hits) {
  static thread_local PackedBlock text;
  static thread_local std::array<Candidate, kBlock + 2 * kMostReach> candidates;
  const std::size_t first_hit = hits.size();
  for (std::uint64_t at = begin; at < end;) {
    const std::uint64_t next = std::min(end, at / kBlock * kBlock + kBlock);
    const std::size_t before = hits.size();
    // A literal that ends in [at, next) has a gram that begins at most kMostReach letters before `at`.
    const std::uint64_t from = at - std::min(at, kMostReach);
    const std::uint64_t origin = from / 64 * 64;
    text.load(reference, origin, next);
    for (const LiteralTable& table : set.tables()) {
      const unsigned step = table.step(), gram = table.gram();
      const std::uint64_t first = (from + step - 1) / step * step - origin;
      const std::uint64_t last = next - origin + 1 - std::min<std::uint64_t>(gram, next - origin + 1);
      const std::size_t count = step == 1   ? find_candidates<1>(table, text, first, last, candidates.data())
                                : step == 2 ? find_candidates<2>(table, text, first, last, candidates.data())
                                            : find_candidates<4>(table, text, first, last, candidates.data());
      for (std::size_t c = 0; c < count; ++c) {
        table.check(reference, candidates[c].code, origin + candidates[c].offset + gram - 1, hits);
        if (hits.size() - first_hit > options.room) {
          hits.resize(before);
          return at;
        }
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
