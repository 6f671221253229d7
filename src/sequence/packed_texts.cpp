#include "sequence/packed_texts.hpp"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "sequence/packed_letters.hpp"

namespace trawl::sequence {

namespace {

// Texts that one thread writes at a time.
constexpr std::size_t kTextsAPiece = 512;

std::uint64_t next_word(std::uint64_t position) { return (position + 63) / 64 * 64; }

}  // namespace

Reference pack_texts(std::span<const NamedText> texts, std::uint64_t gap) {
  Reference::Parts parts;
  parts.contigs.resize(texts.size());
  std::uint64_t end = 0;
  for (std::size_t t = 0; t < texts.size(); ++t) {
    Contig& contig = parts.contigs[t];
    contig.offset = next_word(end + (t == 0 ? kContigGap : gap));
    contig.length = texts[t].letters.size();
    end = contig.offset + contig.length;
  }
  const std::uint64_t words = next_word(end + kContigGap) / 64;
  parts.planes = HugeArray<PlaneBlock>(words);
  parts.ambiguous = HugeArray<std::uint64_t>(words);
  const auto fill_gap = [&](std::uint64_t from, std::uint64_t to) {
    std::fill(parts.planes.data() + from, parts.planes.data() + to, PlaneBlock{});
    std::fill(parts.ambiguous.data() + from, parts.ambiguous.data() + to, ~std::uint64_t{0});
  };
  fill_gap(0, texts.empty() ? words : parts.contigs.front().offset / 64);
  const std::size_t pieces = (texts.size() + kTextsAPiece - 1) / kTextsAPiece;
  std::vector<std::vector<AmbiguousRun>> runs(pieces);
  tbb::parallel_for(std::size_t{0}, pieces, [&](std::size_t p) {
    PackedLetters letters;
    const std::size_t last = std::min(texts.size(), (p + 1) * kTextsAPiece);
    for (std::size_t t = p * kTextsAPiece; t < last; ++t) {
      Contig& contig = parts.contigs[t];
      contig.name = texts[t].name;
      letters.clear();
      letters.append(texts[t].letters);
      std::uint64_t word = contig.offset / 64;
      for (std::uint64_t at = 0; at < contig.length; at += 64, ++word) {
        const PackedWord packed =
            letters.at(at, static_cast<unsigned>(std::min<std::uint64_t>(64, contig.length - at)));
        parts.planes[word] = {packed.high, packed.low};
        parts.ambiguous[word] = ~packed.bases;
      }
      fill_gap(word, t + 1 < texts.size() ? parts.contigs[t + 1].offset / 64 : words);
      for (const AmbiguousRun& run : letters.runs()) {
        runs[p].push_back({contig.offset + run.begin, run.length, run.letter});
      }
    }
  });
  for (const auto& of_piece : runs) {
    parts.runs.insert(parts.runs.end(), of_piece.begin(), of_piece.end());
  }
  parts.summary = summarise({parts.ambiguous.data(), words});
  return Reference(std::move(parts));
}

}  // namespace trawl::sequence
