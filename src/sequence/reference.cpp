#include "sequence/reference.hpp"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <utility>

#include "sequence/alphabet.hpp"

namespace trawl::sequence {

HugeArray<std::uint64_t> summarise(std::span<const std::uint64_t> ambiguous) {
  HugeArray<std::uint64_t> summary((ambiguous.size() + 63) / 64);
  const tbb::blocked_range<std::size_t> all(0, summary.size(), 4096);
  const auto fill = [&](const tbb::blocked_range<std::size_t>& range) {
    for (std::size_t i = range.begin(); i < range.end(); ++i) {
      const auto words = ambiguous.subspan(64 * i, std::min<std::size_t>(64, ambiguous.size() - 64 * i));
      std::uint64_t bits = 0;
      for (std::size_t b = 0; b < words.size(); ++b) {
        bits |= std::uint64_t{words[b] != 0} << b;
      }
      summary[i] = bits;
    }
  };
  // One task costs a microsecond, which is much for a short text.
  if (all.is_divisible()) {
    tbb::parallel_for(all, fill);
  } else {
    fill(all);
  }
  return summary;
}

Reference::Reference(Parts parts) : parts_(std::move(parts)) {
  for (const Contig& contig : parts_.contigs) {
    bases_ += contig.length - 2 * contig.topology.repeated;
    has_repeats_ |= contig.topology.repeated > 0;
  }
  const std::span<const std::uint64_t> summary(parts_.summary.data(), parts_.summary.size());
  stretches_.assign(summary.size() / 64 + 1, 0);
  for (std::size_t w = 0; w < summary.size(); ++w) {
    stretches_[w / 64] |= std::uint64_t{summary[w] != 0} << (w % 64);
  }
}

Reference Reference::without_repeats(Reference text) {
  if (!text.has_repeats()) {
    return text;
  }
  const auto owner = std::make_shared<const Reference>(std::move(text));
  const Parts& all = owner->parts_;
  Parts parts;
  parts.planes = HugeArray<PlaneBlock>::view(owner, all.planes.data(), all.planes.size());
  parts.ambiguous = HugeArray<std::uint64_t>::view(owner, all.ambiguous.data(), all.ambiguous.size());
  parts.summary = HugeArray<std::uint64_t>::view(owner, all.summary.data(), all.summary.size());
  auto run = all.runs.begin();
  for (const Contig& contig : all.contigs) {
    const std::uint64_t begin = contig.origin(), end = contig.origin_again();
    parts.contigs.push_back({contig.name, begin, end - begin, {contig.topology.circular, 0}});
    for (; run != all.runs.end() && run->begin < contig.offset + contig.length; ++run) {
      const std::uint64_t from = std::max(run->begin, begin), to = std::min(run->begin + run->length, end);
      if (from < to) {
        parts.runs.push_back({from, to - from, run->letter});
      }
    }
  }
  Reference reference(std::move(parts));
  reference.text_ = owner;
  return reference;
}

char Reference::letter(std::uint64_t position) const {
  const std::uint64_t word = position / 64;
  const unsigned bit = position % 64;
  if (((parts_.ambiguous[word] >> bit) & 1) == 0) {
    const auto& block = parts_.planes[word];
    return kBaseLetters[((block.high >> bit) & 1) << 1 | ((block.low >> bit) & 1)];
  }
  auto after = std::upper_bound(parts_.runs.begin(), parts_.runs.end(), position,
                                [](std::uint64_t p, const AmbiguousRun& run) { return p < run.begin; });
  if (after == parts_.runs.begin()) {
    return '\0';
  }
  const AmbiguousRun& run = *std::prev(after);
  return position < run.begin + run.length ? run.letter : '\0';
}

std::size_t Reference::contig_at(std::uint64_t position) const {
  auto after = std::upper_bound(parts_.contigs.begin(), parts_.contigs.end(), position,
                                [](std::uint64_t p, const Contig& contig) { return p < contig.offset; });
  return after == parts_.contigs.begin() ? 0 : static_cast<std::size_t>(after - parts_.contigs.begin()) - 1;
}

}  // namespace trawl::sequence
