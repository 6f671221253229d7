#include "scan/find/scan_memory.hpp"

#include "scan/find/guide_set.hpp"
#include "scan/find/literal_group.hpp"
#include "scan/find/query.hpp"
#include "scan/find/search_plan.hpp"

namespace trawl::scan {

namespace {

constexpr std::uint64_t kChunksAndRecords = std::uint64_t{256} << 20;
constexpr std::uint64_t kThread = std::uint64_t{8} << 20;

// Of a pattern: its entry, while the list grows, and its hashed name.
constexpr std::uint64_t kPattern = 48 + 16;
// Of a literal when its tables are made: its place in the group, the letters to compare (twice), its bucket, and its
// gram with the bits.
constexpr std::uint64_t kLiteral = 32 + 2 * 16 + 8 + 8 + 4;
// Of a query with parts: its costs, and its bases for the check; of each part: the part itself and its literal before
// the tables are made.
constexpr std::uint64_t kQueryWithParts = 80;
constexpr std::uint64_t kPart = sizeof(QueryPart) + 24;
// Of a word that a part with an edit stands for: its literal twice, before and while the tables are made, and its
// letters.
constexpr std::uint64_t kWord = kLiteral + 2 * 24 + 24;
// Of a letter in the row-wise scan: its row, while programs are made.
constexpr std::uint64_t kRow = 3 * sizeof(PatternRow);

}  // namespace

std::uint64_t scan_memory_without_patterns(const ScanOptions& options) {
  return kChunksAndRecords + 2 * (held_bytes(options.threads) - held_bytes(1)) + options.threads * kThread;
}

std::uint64_t scan_memory(const PatternList& patterns, const ScanOptions& options, bool counts) {
  const std::uint64_t strands = options.strands == Strands::both ? 2 : 1;
  const std::uint64_t parts = options.max_edits + std::uint64_t{1};
  std::uint64_t bytes = scan_memory_without_patterns(options) + GuideSet::most_memory(patterns.size(), options);
  std::uint64_t words = 0;
  for (const auto [name, bases] : patterns) {
    words += options.max_edits > 0 ? strands * parts * most_near_words(bases.size(), false) : 0;
    const std::uint64_t length = bases.size() + options.pam.bases.size();
    const std::uint64_t literals = parts * kLiteral + length / 4 + (parts > 1 ? kQueryWithParts + parts * kPart : 0);
    bytes += kPattern + name.size() + bases.size() + (counts ? 8 * parts : 0);
    bytes += strands * (sizeof(Query) + length + literals + length * kRow * (parts > 1 ? 1 : 0));
  }
  return bytes + std::min(words, kMostWords) * kWord;
}

}  // namespace trawl::scan
