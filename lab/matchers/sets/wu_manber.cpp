#include "lab/matchers/sets/wu_manber.hpp"

#include <numeric>
#include <string_view>

namespace trawl::matchers::sets {

namespace {

// A block's hash has at most so many bits, so that SHIFT stays in a cache.
constexpr std::uint32_t kMostBlockBits = 22;
// At most so many buckets for a pattern, as a power of 2, beyond those that the blocks need.
constexpr std::uint32_t kBucketsPerPatternBits = 4;

std::uint32_t bits_of_letters(const PatternSet& set) {
  return std::max(1u, static_cast<std::uint32_t>(std::bit_width(letter_classes(set).count - 1u)));
}

}  // namespace

void WuManber::fill(const PatternSet& set, std::uint32_t block, Tables<HostArray>& tables) {
  const LetterClasses classes = letter_classes(set);
  tables.codes.assign(256, 0);
  for (unsigned c = 0; c < 256; ++c) {
    tables.codes[c] = static_cast<std::uint8_t>(classes.of[c] == classes.count ? 0 : classes.of[c]);
  }
  tables.window = static_cast<std::uint32_t>(set.shortest());
  tables.longest = set.longest();
  tables.letter_bits = bits_of_letters(set);
  tables.block = std::min(block, tables.window);
  tables.prefix = std::min(2u, tables.window - tables.block);
  const std::uint32_t block_bits = std::min(tables.block * tables.letter_bits, kMostBlockBits);
  tables.block_mask = (1u << block_bits) - 1;
  const std::uint32_t most_bits = static_cast<std::uint32_t>(std::bit_width(set.size())) + kBucketsPerPatternBits;
  tables.prefix_bits =
      std::min(tables.prefix * tables.letter_bits, most_bits > block_bits ? most_bits - block_bits : 0);

  const std::uint32_t farthest = std::min(tables.window - tables.block + 1, 255u);
  tables.shift.assign(std::size_t{1} << block_bits, static_cast<std::uint8_t>(farthest));
  tables.bucket.assign((std::size_t{1} << (block_bits + tables.prefix_bits)) + 1, 0);
  std::vector<std::uint32_t> buckets(set.size());
  for (std::uint32_t p = 0; p < set.size(); ++p) {
    struct {
      std::string_view letters;
      unsigned char operator[](std::uint64_t i) const { return static_cast<unsigned char>(letters[i]); }
    } const text{set[p]};
    for (std::uint32_t j = tables.block - 1; j < tables.window; ++j) {
      std::uint8_t& shift = tables.shift[hash(tables, text, j, tables.block)];
      shift = static_cast<std::uint8_t>(std::min<std::uint32_t>(shift, tables.window - 1 - j));
    }
    buckets[p] = bucket_of(tables, text, 0, hash(tables, text, tables.window - 1, tables.block));
    ++tables.bucket[buckets[p] + 1];
  }
  std::partial_sum(tables.bucket.begin(), tables.bucket.end(), tables.bucket.begin());

  tables.pattern.resize(set.size());
  std::vector<std::uint32_t> next(tables.bucket.begin(), tables.bucket.end() - 1);
  for (std::uint32_t p = 0; p < set.size(); ++p) {
    tables.pattern[next[buckets[p]]++] = p;
  }
  tables.letters.reserve(set.letters().size());
  for (const std::uint32_t p : tables.pattern) {
    tables.offset.push_back(tables.letters.size());
    tables.letters.insert(tables.letters.end(), set[p].begin(), set[p].end());
  }
  tables.offset.push_back(tables.letters.size());
}

void WuManberLong::prepare(const PatternSet& set, Tables<HostArray>& tables) {
  const std::uint64_t letters = std::max<std::uint64_t>(2, letter_classes(set).count);
  const std::uint64_t all = 2 * set.size() * set.shortest();
  std::uint32_t block = 1;
  for (std::uint64_t blocks = letters; blocks < all && (block + 1) * bits_of_letters(set) <= kMostBlockBits;
       blocks *= letters) {
    ++block;
  }
  fill(set, block, tables);
}

}  // namespace trawl::matchers::sets
