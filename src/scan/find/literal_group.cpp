#include "scan/find/literal_group.hpp"

#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <compare>
#include <cstring>
#include <iterator>
#include <span>
#include <tuple>

#include "sequence/alphabet.hpp"
#include "sequence/partition.hpp"
#include "sequence/plane_window.hpp"

namespace trawl::scan {

namespace {

// The shortest literal of a group decides its grams. Group g has the lengths [kBorders[g], kBorders[g + 1]).
constexpr std::uint32_t kBorders[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 19};
constexpr std::size_t kGroups = std::size(kBorders);

// A literal in a form that is fast to compare.
struct Key {
  std::uint64_t last;  // last_letters_of()
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
void add(const Key& key, std::string_view bases, LiteralGroup& group) {
  group.longest = std::max(group.longest, key.length);
  group.literals.push_back(
      {key.length, static_cast<std::uint32_t>(group.blocks.size()), static_cast<std::uint32_t>(group.ids.size())});
  if (key.length <= 32) {
    const unsigned before = 32 - key.length;
    group.blocks.push_back({gather_bits(key.last >> 1) >> before, gather_bits(key.last) >> before});
    return;
  }
  append_blocks(bases, group.blocks);
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
  return sequence::partition<Literal>(literals.size(), kGroups, first, [&](std::size_t i, auto&& put) {
    put(group_of(literals[i].bases.size()), literals[i]);
  });
}

std::vector<LiteralGroup> group_literals(const std::vector<Literal>& literals) {
  std::vector<std::uint64_t> first;
  const auto sorted = sort_by_group(literals, first);
  std::vector<LiteralGroup> groups;
  for (std::size_t g = 0; g < kGroups; ++g) {
    const std::span of(sorted.data() + first[g], sorted.data() + first[g + 1]);
    if (of.empty()) {
      continue;
    }
    // Equal literals become neighbours.
    std::vector<Key> keys(of.size());
    tbb::parallel_for(std::size_t{0}, keys.size(), [&](std::size_t i) {
      const std::string_view bases = of[i].bases;
      keys[i] = {last_letters_of(bases), static_cast<std::uint32_t>(bases.size()), static_cast<std::uint32_t>(i)};
    });
    const auto order = [&](const Key& a, const Key& b) {
      if (a.last != b.last || a.length != b.length) {
        return std::tie(a.last, a.length) <=> std::tie(b.last, b.length);
      }
      return a.length > 32 ? of[a.index].bases <=> of[b.index].bases : std::strong_ordering::equal;
    };
    tbb::parallel_sort(keys, [&](const Key& a, const Key& b) {
      const auto of_letters = order(a, b);
      return of_letters < 0 || (of_letters == 0 && a.index < b.index);
    });
    LiteralGroup& group = groups.emplace_back();
    group.shortest = std::ranges::min(keys, {}, &Key::length).length;
    group.literals.reserve(keys.size() + 1);
    group.blocks.reserve(keys.size());
    group.ids.reserve(keys.size());
    for (std::size_t k = 0; k < keys.size(); ++k) {
      if (k == 0 || order(keys[k], keys[k - 1]) != 0) {
        add(keys[k], of[keys[k].index].bases, group);
      }
      group.ids.push_back(of[keys[k].index].id);
    }
    group.literals.push_back({0, 0, static_cast<std::uint32_t>(group.ids.size())});
  }
  return groups;
}

}  // namespace trawl::scan
