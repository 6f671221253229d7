#include "scan/find/literal_group.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>

#include "scan/find/partition.hpp"
#include "sequence/alphabet.hpp"
#include "sequence/plane_window.hpp"

namespace trawl::scan {

namespace {

// The shortest literal of a group decides its grams. Group g has the lengths [kBorders[g], kBorders[g + 1]).
constexpr std::uint32_t kBorders[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 19};
constexpr std::size_t kGroups = std::size(kBorders);

// About how many literals are sorted together: their keys stay in the cache.
constexpr std::size_t kTogether = 4096;
constexpr std::size_t kMostShares = 1024;

// A literal in a form that is fast to compare.
struct Key {
  std::uint64_t last;  // as LiteralGroup::last_letters()
  std::uint32_t length;
  std::uint32_t index;
};

std::size_t group_of(std::size_t length) {
  return static_cast<std::size_t>(std::upper_bound(std::begin(kBorders), std::end(kBorders), length) -
                                  std::begin(kBorders)) -
         1;
}

// The opposite of spread_bits().
std::uint32_t gather_bits(std::uint64_t x) {
  x &= 0x5555555555555555u;
  x = (x | x >> 1) & 0x3333333333333333u;
  x = (x | x >> 2) & 0x0F0F0F0F0F0F0F0Fu;
  x = (x | x >> 4) & 0x00FF00FF00FF00FFu;
  x = (x | x >> 8) & 0x0000FFFF0000FFFFu;
  return static_cast<std::uint32_t>(x | x >> 16);
}

// Appends a literal with its first id.
void add(const Key& key, const std::vector<Literal>& literals, LiteralGroup& group) {
  group.longest = std::max(group.longest, key.length);
  group.literals.push_back(
      {key.length, static_cast<std::uint32_t>(group.blocks.size()), static_cast<std::uint32_t>(group.ids.size())});
  if (key.length <= 32) {
    const unsigned before = 32 - key.length;
    group.blocks.push_back({gather_bits(key.last >> 1) >> before, gather_bits(key.last) >> before});
    return;
  }
  append_blocks(literals[key.index].bases, group.blocks);
}

}  // namespace

std::uint64_t last_letters_of(std::string_view bases) {
  if (bases.size() < 32) {
    std::uint64_t last = 0;
    for (const char base : bases) {
      last = last >> 2 | std::uint64_t{sequence::base_code(base)} << 62;
    }
    return last;
  }
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < 32; i += 8) {
    std::uint64_t letters;
    std::memcpy(&letters, bases.data() + bases.size() - 32 + i, sizeof letters);
    // Bits 1 to 3 of a letter tell its code: A 000, C 001, G 011, T and U 010 in the first three.
    std::uint64_t codes = (letters >> 1 ^ letters >> 2) & 0x0303030303030303;
    codes = (codes | codes >> 6) & 0x000F000F000F000F;
    codes = (codes | codes >> 12) & 0x000000FF000000FF;
    last |= ((codes | codes >> 24) & 0xFFFF) << (2 * i);
  }
  return last;
}

void append_blocks(std::string_view bases, std::vector<sequence::PlaneBlock>& blocks) {
  for (std::size_t j = 0; j < bases.size(); j += 64) {
    blocks.push_back(sequence::planes_of(bases.substr(j, 64)));
  }
}

sequence::HugeArray<Literal> sort_by_group(const std::vector<Literal>& literals, std::vector<std::uint64_t>& first) {
  return partition<Literal>(literals.size(), kGroups, first,
                            [&](std::size_t i, auto&& put) { put(group_of(literals[i].bases.size()), literals[i]); });
}

std::uint64_t LiteralGroup::last_letters(std::size_t literal) const {
  const Different& of = literals[literal];
  const std::uint32_t count = std::min(of.length, 32u);
  const std::uint32_t first = of.length - count;
  const sequence::PlaneBlock* const block = &blocks[of.block + first / 64];
  const auto last_of = [&](std::uint64_t sequence::PlaneBlock::*plane) {
    std::uint64_t bits = block->*plane >> (first % 64);
    if (first % 64 > 32) {
      bits |= block[1].*plane << (64 - first % 64);
    }
    return static_cast<std::uint32_t>(bits << (32 - count));
  };
  return spread_bits(last_of(&sequence::PlaneBlock::low)) | spread_bits(last_of(&sequence::PlaneBlock::high)) << 1;
}

std::vector<LiteralGroup> group_literals(std::vector<Literal> literals) {
  // Equal literals come into the same share, and are neighbours when the share is sorted.
  const std::size_t shares = std::clamp(std::bit_ceil(literals.size() / kTogether + 1), std::size_t{1}, kMostShares);
  std::vector<std::uint64_t> first;
  auto keys = partition<Key>(literals.size(), kGroups * shares, first, [&](std::size_t i, auto&& put) {
    const std::string_view bases = literals[i].bases;
    const std::uint64_t last = last_letters_of(bases);
    const std::size_t share = (last * 0x9E3779B97F4A7C15u >> 32) * shares >> 32;
    put(group_of(bases.size()) * shares + share,
        Key{last, static_cast<std::uint32_t>(bases.size()), static_cast<std::uint32_t>(i)});
  });
  const auto differ = [&](const Key& a, const Key& b) {
    return a.last != b.last || a.length != b.length ||
           (a.length > 32 && literals[a.index].bases != literals[b.index].bases);
  };
  tbb::parallel_for(std::size_t{0}, kGroups * shares, [&](std::size_t share) {
    std::sort(keys.data() + first[share], keys.data() + first[share + 1], [&](const Key& a, const Key& b) {
      if (a.last != b.last) {
        return a.last < b.last;
      }
      if (a.length != b.length) {
        return a.length < b.length;
      }
      const int order = a.length > 32 ? literals[a.index].bases.compare(literals[b.index].bases) : 0;
      return order != 0 ? order < 0 : a.index < b.index;
    });
  });
  std::vector<LiteralGroup> groups;
  for (std::size_t g = 0; g < kGroups; ++g) {
    const Key* const begin = keys.data() + first[g * shares];
    const Key* const end = keys.data() + first[(g + 1) * shares];
    if (begin == end) {
      continue;
    }
    std::uint32_t shortest = begin->length;
    std::for_each(begin, end, [&](const Key& key) { shortest = std::min(shortest, key.length); });
    LiteralGroup& group = groups.emplace_back();
    group.shortest = shortest;
    const auto count = static_cast<std::size_t>(end - begin);
    group.literals.reserve(count + 1);
    group.blocks.reserve(count);
    group.ids.reserve(count);
    for (const Key* key = begin; key < end; ++key) {
      if (key == begin || differ(*key, key[-1])) {
        add(*key, literals, group);
      }
      group.ids.push_back(literals[key->index].id);
    }
    group.literals.push_back({0, 0, static_cast<std::uint32_t>(group.ids.size())});
  }
  return groups;
}

}  // namespace trawl::scan
