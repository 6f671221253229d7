#include "sequence/packed_letters.hpp"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "sequence/alphabet.hpp"

namespace trawl::sequence {

void PackedLetters::append(std::string_view letters) {
  constexpr std::size_t kBlocks = 16;
  std::array<LetterMasks, kBlocks> masks;
  std::array<char, 64> last{};
  while (!letters.empty()) {
    const char* text = letters.data();
    std::size_t size = std::min<std::size_t>(letters.size() / 64, kBlocks) * 64;
    if (size == 0) {
      size = letters.size();
      std::memcpy(last.data(), text, size);
      text = last.data();
    }
    find_letters(text, (size + 63) / 64, masks.data());
    for (std::size_t at = 0; at < size; at += 64) {
      const LetterMasks& m = masks[at / 64];
      const std::uint64_t which = low_ones(static_cast<unsigned>(std::min<std::size_t>(64, size - at)));
      append(text + at, m, which, which & ~(m.bases | m.n));
    }
    letters.remove_prefix(size);
  }
}

// N at the letters `at`, counted from size_.
void PackedLetters::add_ns(std::uint64_t at) {
  while (at != 0) {
    const auto first = static_cast<unsigned>(std::countr_zero(at));
    const auto length = static_cast<unsigned>(std::countr_one(at >> first));
    add_run(runs_, {size_ + first, length, 'N'});
    at &= ~(low_ones(length) << first);
  }
}

// The characters `in_text` become the letters `at`, counted from size_.
void PackedLetters::add_ambiguous(const char* text, std::uint64_t in_text, std::uint64_t at) {
  for (; at != 0; at &= at - 1, in_text &= in_text - 1) {
    const char letter = upper_base(text[std::countr_zero(in_text)]);
    add_run(runs_, {size_ + static_cast<unsigned>(std::countr_zero(at)), 1, letter});
  }
}

namespace {

// Texts that one thread writes at a time.
constexpr std::size_t kTextsAPiece = 512;
// A smaller reference is written by one thread. So is its summary.
constexpr std::uint64_t kLarge = std::uint64_t{1} << 24;

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
    contig.topology = texts[t].topology;
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
  const auto pack = [&](std::size_t p) {
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
  };
  if (64 * words > kLarge) {
    tbb::parallel_for(std::size_t{0}, pieces, pack);
  } else {
    for (std::size_t p = 0; p < pieces; ++p) {
      pack(p);
    }
  }
  for (const auto& of_piece : runs) {
    parts.runs.insert(parts.runs.end(), of_piece.begin(), of_piece.end());
  }
  parts.summary = summarise({parts.ambiguous.data(), words});
  return Reference(std::move(parts));
}

}  // namespace trawl::sequence
