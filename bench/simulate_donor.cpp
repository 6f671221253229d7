#include "bench/simulate_donor.hpp"

#include <algorithm>
#include <cmath>

namespace trawl::bench {

namespace {

constexpr double kHomozygous = 1.0 / 3;
constexpr std::size_t kLongestUnit = 6;

// A run of letters with this period is a short tandem repeat from this length on: 9 letters of one base, 12 of two.
constexpr std::size_t shortest_repeat(std::size_t unit) { return 3 * unit + 6; }

unsigned draw_haplotypes(SplitMix64& random) { return random.chance(kHomozygous) ? 3 : 1u << random.below(2); }

}  // namespace

Donor::Donor(const SourceGenome& genome, std::size_t begin, std::size_t end, const DonorModel& model,
             std::uint64_t seed)
    : genome_(genome), begin_(begin), end_(end) {
  SplitMix64 random(seed);
  draw_small_variants(model, random);
  draw_str_changes(model.str_changes, random);
  keep_separate_ones();
  for (unsigned h = 0; h < 2; ++h) {
    Haplotype& haplotype = haplotypes_[h];
    haplotype.length = end - begin;
    for (std::uint32_t i = 0; i < variants_.size(); ++i) {
      const Variant& variant = variants_[i];
      if ((variant.haplotypes >> h & 1) != 0) {
        haplotype.variants.push_back(i);
        haplotype.starts.push_back(variant.position - begin + haplotype.length - (end - begin));
        haplotype.length += variant.inserted.size() - variant.removed;
      }
    }
  }
}

bool Donor::draw(SplitMix64& random, std::size_t length, Stretch& out) const {
  const Haplotype& haplotype = haplotypes_[random.below(2)];
  const std::size_t start = random.below(haplotype.length);
  // The last variant that does not begin after the start; the start may lie in its inserted letters.
  auto next = static_cast<std::size_t>(std::upper_bound(haplotype.starts.begin(), haplotype.starts.end(), start) -
                                       haplotype.starts.begin());
  std::size_t position = begin_ + start;
  std::size_t skipped = 0;  // inserted letters
  if (next > 0) {
    const Variant& variant = variants_[haplotype.variants[next - 1]];
    const std::size_t beyond = start - haplotype.starts[next - 1];
    position = variant.position + variant.removed + beyond - std::min(beyond, variant.inserted.size());
    if (beyond < variant.inserted.size()) {
      position = variant.position;
      skipped = beyond;
      --next;
    }
  }
  const std::size_t contig_end = genome_.contig_end(position);
  out.bases.clear();
  out.positions.clear();
  out.edits.clear();
  const auto add = [&](char base, std::uint32_t edits) {
    out.bases += base;
    out.positions.push_back(position);
    out.edits.push_back(edits);
  };
  std::uint32_t deleted = 0;
  while (out.bases.size() < length) {
    const Variant* const variant = next < haplotype.variants.size() ? &variants_[haplotype.variants[next]] : nullptr;
    if (variant != nullptr && variant->position == position) {
      for (; skipped < variant->inserted.size() && out.bases.size() < length; ++skipped) {
        add(variant->inserted[skipped], 1);
      }
      skipped = 0;
      position += variant->removed;
      deleted = variant->inserted.empty() ? variant->edits() : 0;
      ++next;
      continue;
    }
    if (position >= contig_end || genome_.bases[position] == 'N') {
      return false;
    }
    add(genome_.bases[position], out.bases.empty() ? 0 : deleted);
    deleted = 0;
    ++position;
  }
  return true;
}

void Donor::write_vcf(const std::string& path) const {
  Output output(path);
  std::string& text = output.buffer();
  text = "##fileformat=VCFv4.2\n";
  for (std::size_t c = 0; c < genome_.names.size(); ++c) {
    text += "##contig=<ID=" + genome_.names[c] +
            ",length=" + std::to_string(genome_.starts[c + 1] - genome_.starts[c]) + ">\n";
  }
  text +=
      "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">\n"
      "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tdonor\n";
  for (const Variant& variant : variants_) {
    const bool anchored = variant.removed != 1 || variant.inserted.size() != 1;  // an indel: with the letter before
    const std::size_t first = variant.position - (anchored ? 1 : 0);
    const std::size_t contig = genome_.contig_of(first);
    const std::string anchor = anchored ? genome_.bases.substr(first, 1) : "";
    text += genome_.names[contig] + '\t' + std::to_string(first - genome_.starts[contig] + 1) + "\t.\t" + anchor +
            genome_.bases.substr(variant.position, variant.removed) + '\t' + anchor + variant.inserted +
            "\t100\tPASS\t.\tGT\t" + ((variant.haplotypes & 1) != 0 ? '1' : '0') + '|' +
            ((variant.haplotypes & 2) != 0 ? '1' : '0') + '\n';
    output.write_if_large();
  }
  output.finish();
}

void Donor::draw_small_variants(const DonorModel& model, SplitMix64& random) {
  const EventGap gap(model.variant_rate);
  for (std::size_t i = begin_ + gap.draw(random); i < end_; i += 1 + gap.draw(random)) {
    Variant variant{i, 1, {}, 0};
    if (random.chance(model.indel_share)) {
      variant = draw_indel(i, model, random);
    } else if (genome_.bases[i] != 'N') {
      variant.inserted = other_base(genome_.bases[i], random);
    }
    variant.haplotypes = draw_haplotypes(random);
    variants_.push_back(std::move(variant));
  }
}

Donor::Variant Donor::draw_indel(std::size_t position, const DonorModel& model, SplitMix64& random) const {
  const double longest = static_cast<double>(model.longest_indel) + 1;
  const auto size = static_cast<std::size_t>(1 / (1 - random.unit() * (1 - 1 / longest)));
  switch (random.below(4)) {
    case 0: {
      std::string letters(size, 'N');
      std::generate(letters.begin(), letters.end(), [&] { return random_base(random); });
      return {position, 0, letters, 0};
    }
    case 1:
      return {position, 0, position < size ? "N" : genome_.bases.substr(position - size, size), 0};
    default:
      return {position, size, "", 0};
  }
}

void Donor::draw_str_changes(double share, SplitMix64& random) {
  if (share <= 0) {
    return;
  }
  for (std::size_t unit = 1; unit <= kLongestUnit; ++unit) {
    std::size_t start = begin_;  // of the run of letters that equal those a unit before
    for (std::size_t i = begin_ + unit; i <= end_; ++i) {
      const bool goes_on = i < end_ && genome_.bases[i] == genome_.bases[i - unit];
      if (goes_on) {
        continue;
      }
      if (i - start >= shortest_repeat(unit) && random.chance(share)) {
        add_str_change(start, i, unit, random);
      }
      start = i + 1 - unit;
    }
  }
}

// Units go, or come, at the first letter: leftmost, as VCF wants it.
void Donor::add_str_change(std::size_t start, std::size_t end, std::size_t unit, SplitMix64& random) {
  for (std::size_t shorter = 1; shorter < unit; ++shorter) {
    if (unit % shorter == 0 && std::equal(genome_.bases.begin() + static_cast<std::ptrdiff_t>(start + shorter),
                                          genome_.bases.begin() + static_cast<std::ptrdiff_t>(start + unit),
                                          genome_.bases.begin() + static_cast<std::ptrdiff_t>(start))) {
      return;  // found with the shorter unit
    }
  }
  std::size_t units = 1;
  while (units < (end - start) / unit - 1 && random.chance(0.5)) {
    ++units;
  }
  Variant variant{start, units * unit, "", 0};
  if (random.below(2) != 0) {
    variant.inserted = genome_.bases.substr(start, variant.removed);
    variant.removed = 0;
  }
  variant.haplotypes = draw_haplotypes(random);
  variants_.push_back(std::move(variant));
}

// Between two variants lie letters without one: else one could be told in two ways. Each has letters of its contig on
// both sides.
void Donor::keep_separate_ones() {
  std::stable_sort(variants_.begin(), variants_.end(),
                   [](const Variant& a, const Variant& b) { return a.position < b.position; });
  std::vector<Variant> kept;
  std::size_t free = begin_ + 1;
  for (Variant& variant : variants_) {
    const std::size_t last = variant.position + variant.removed;
    if (variant.position >= free && last < end_ && is_known(variant.position - 1, last) &&
        variant.inserted.find('N') == std::string::npos) {
      free = last + 2;
      kept.push_back(std::move(variant));
    }
  }
  variants_.swap(kept);
}

bool Donor::is_known(std::size_t first, std::size_t last) const {
  return last < genome_.contig_end(first) &&
         std::find(genome_.bases.begin() + static_cast<std::ptrdiff_t>(first),
                   genome_.bases.begin() + static_cast<std::ptrdiff_t>(last) + 1,
                   'N') == genome_.bases.begin() + static_cast<std::ptrdiff_t>(last) + 1;
}

}  // namespace trawl::bench
