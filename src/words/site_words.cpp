#include "words/site_words.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>

#include "base/error.hpp"
#include "base/radix_sort.hpp"
#include "sequence/partition.hpp"
#include "words/word_runs.hpp"

namespace trawl::words {

GuideSiteFinder::GuideSiteFinder(const sequence::Reference& reference, const SiteRule& rule)
    : reference_(reference), rule_(rule) {
  for (const bool reverse : {false, true}) {
    for (const scan::Pam& pam : rule.pams) {
      const scan::PamSites sites(pam, reverse);
      motifs_[reverse].insert(motifs_[reverse].end(), sites.motifs().begin(), sites.motifs().end());
    }
  }
}

// The starts in a block where the PAM matches; an ambiguous letter matches no PAM.
std::uint64_t GuideSiteFinder::pam_starts(std::size_t block, bool reverse) const {
  const std::uint64_t first = 64 * block + (rule_.is_last() != reverse ? rule_.length : 0);
  std::uint64_t found = 0;
  for (const auto& motif : motifs_[reverse]) {
    std::uint64_t matches = ~std::uint64_t{0};
    for (std::size_t j = 0; j < motif.size() && matches != 0; ++j) {
      matches &= sequence::letters_of_set(sequence::planes_at(reference_.planes().data(), first + j), motif[j]) &
                 ~sequence::bits_at(reference_.ambiguous().data(), first + j);
    }
    found |= matches;
  }
  return found;
}

std::uint64_t GuideSiteFinder::count() const {
  std::atomic<std::uint64_t> all = 0;
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, blocks()), [&](const auto& range) {
    std::uint64_t some = 0;
    for (std::size_t block = range.begin(); block < range.end(); ++block) {
      some += popcount(pam_starts(block, false)) + popcount(pam_starts(block, true));
    }
    all += some;
  });
  return all;
}

GuideSite GuideSiteFinder::at(std::uint64_t start, bool reverse) const {
  const unsigned length = rule_.length, pam = rule_.pam_size();
  const sequence::PlaneBlock text = sequence::planes_at(reference_.planes().data(), start);
  const unsigned guide = rule_.is_last() != reverse ? 0 : pam;
  const std::uint64_t mask = sequence::low_ones(length);
  std::uint64_t ambiguous = sequence::bits_at(reference_.ambiguous().data(), start) >> guide & mask;
  std::uint64_t high = text.high >> guide & mask & ~ambiguous, low = text.low >> guide & mask & ~ambiguous;
  // What hangs over the end of a contig is no site. A circular one has its letters once more beside its ends.
  if (ambiguous != 0 || reference_.searched().has_repeats()) {
    const sequence::Contig& contig = reference_.contigs()[reference_.contig_at(start)];
    const std::uint64_t last = contig.topology.circular ? 1 : length + pam;
    if (start < contig.offset || start + last > contig.offset + contig.length) {
      return {start, reverse, 0, ~std::uint32_t{0}};
    }
  }
  const auto code = [&](unsigned i) { return static_cast<unsigned>((text.high >> i & 1) << 1 | (text.low >> i & 1)); };
  unsigned pair = 0;
  if (rule_.has_scores()) {
    pair = reverse ? 4 * (3 - code(1)) + (3 - code(0)) : 4 * code(length + 1) + code(length + 2);
  }
  if (reverse) {
    const WordPlanes turned = reverse_complement({high, low, ambiguous}, length);
    ambiguous = turned.ambiguous;
    high = turned.high & ~ambiguous;
    low = turned.low & ~ambiguous;
  }
  return {start, reverse, GuideWord::of(high, low, pair), static_cast<std::uint32_t>(ambiguous)};
}

SiteWords::SiteWords(const sequence::Reference& reference, const SiteRule& rule) : rule_(rule) {
  const GuideSiteFinder finder(reference, rule);
  sort_words(finder);
  prefix_bits_ = std::clamp<unsigned>(static_cast<unsigned>(std::bit_width(size_)), 4, 2 * rule.length) - 3;
  first_.assign((std::size_t{1} << prefix_bits_) + 1, static_cast<std::uint32_t>(size_));
  tbb::parallel_for(std::size_t{0}, size_, [&](std::size_t i) {
    const std::uint64_t prefix = prefix_of(words_[i]);
    for (std::uint64_t p = i == 0 ? 0 : prefix_of(words_[i - 1]) + 1; p <= prefix; ++p) {
      first_[p] = static_cast<std::uint32_t>(i);
    }
  });
  finder.for_each_ambiguous(rule.max_mismatches, [this](const GuideSite& site) { ambiguous_.push_back(site); });
}

void SiteWords::sort_words(const GuideSiteFinder& finder) {
  constexpr unsigned kPartBits = 12;
  const auto give = [&](std::size_t block, auto&& put) {
    finder.for_each(block, 0, [&](const GuideSite& site) { put(first_bits(site.word, kPartBits), site.word); });
  };
  std::vector<std::uint64_t> first;
  words_ = sequence::partition<std::uint64_t>(finder.blocks(), std::size_t{1} << kPartBits, first, give);
  sites_ = sequence::HugeArray<std::uint32_t>(words_.size());
  std::vector<std::uint64_t> end(first.size() - 1);
  tbb::parallel_for(std::size_t{0}, end.size(), [&](std::size_t p) {
    std::vector<std::uint64_t> part(words_.data() + first[p], words_.data() + first[p + 1]), room;
    radix_sort(part, room, [](std::uint64_t word) { return word; });
    std::uint64_t to = first[p];
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (i == 0 || part[i] != part[i - 1]) {
        words_[to] = part[i];
        sites_[to++] = 0;
      }
      ++sites_[to - 1];
    }
    end[p] = to;
  });
  for (std::size_t p = 0; p < end.size(); ++p) {
    std::copy(words_.data() + first[p], words_.data() + end[p], words_.data() + size_);
    std::copy(sites_.data() + first[p], sites_.data() + end[p], sites_.data() + size_);
    size_ += end[p] - first[p];
  }
  if (size_ >= std::numeric_limits<std::uint32_t>::max()) {
    throw Error("the reference has " + std::to_string(size_) +
                " different guides and sites, more than 2^32; give a PAM that fewer places have");
  }
}

SiteWords::SameBases SiteWords::find(std::uint64_t word) const {
  const std::uint64_t bases = word & ~(GuideWord::kPam | GuideWord::kAsked);
  const auto bases_of = [](std::uint64_t other) { return other & ~(GuideWord::kPam | GuideWord::kAsked); };
  const std::uint64_t prefix = prefix_of(word);
  const auto [first, last] =
      std::ranges::equal_range(words_.data() + first_[prefix], words_.data() + first_[prefix + 1], bases, {}, bases_of);
  return {static_cast<std::size_t>(first - words_.data()), static_cast<std::size_t>(last - words_.data())};
}

std::size_t SiteWords::number(std::uint64_t word) const {
  std::size_t number = find(word).first;
  while ((words_[number] & GuideWord::kPam) != (word & GuideWord::kPam)) {
    ++number;
  }
  return number;
}

void SiteWords::forget_asked() { asked_.assign(size_ / 64 + 1, 0); }

void SiteWords::ask(std::size_t number) {
  std::atomic_ref(asked_[number / 64]).fetch_or(std::uint64_t{1} << (number % 64), std::memory_order_relaxed);
}

void SiteWords::end_asking() {
  asked_before_.assign(asked_.size() + 1, 0);
  for (std::size_t i = 0; i < asked_.size(); ++i) {
    asked_before_[i + 1] = asked_before_[i] + popcount(asked_[i]);
  }
  tbb::parallel_for(std::size_t{0}, size_, [&](std::size_t i) {
    const bool is_asked = (asked_[i / 64] >> (i % 64) & 1) != 0;
    words_[i] = (words_[i] & ~GuideWord::kAsked) | (is_asked ? GuideWord::kAsked : 0);
  });
}

}  // namespace trawl::words
