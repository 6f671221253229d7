#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bench/simulate.hpp"

namespace trawl::bench {

namespace {

constexpr std::size_t kLongestTiny = 69;
constexpr std::size_t kRemembered = 1000;  // fragments of which one is sequenced again
constexpr double kTailErrors = 0.25;

class LibrarySimulator {
 public:
  LibrarySimulator(const SourceGenome& genome, const Donor& donor, const LibraryModel& model, std::uint64_t seed)
      : genome_(genome), donor_(donor), model_(model), random_(seed) {}

  // Appends one FASTQ record to each output.
  void append(std::uint64_t number, std::string& first, std::string& second) {
    const Fragment& fragment = draw_fragment(number);
    sequence(fragment, 0);
    sequence(fragment, 1);
    name_ = '@' + std::string(fragment.kind) + std::to_string(number);
    name_ += fragment.number != number ? '.' + std::to_string(fragment.number) + '_' : "_";
    append_places(mates_[0]);
    name_ += '~';
    append_places(mates_[1]);
    append_fastq(name_, mates_[0].bases, mates_[0].qualities, first);
    append_fastq(name_, mates_[1].bases, mates_[1].qualities, second);
  }

 private:
  struct Fragment {
    const char* kind = nullptr;
    std::uint64_t number = 0;
    Stretch stretch;
    bool turned = false;  // mate 1 is from the reverse strand
    // Of a chimera: mate 1 goes on with `other` after so many bases.
    std::size_t border = 0;
    Stretch other;
    bool other_turned = false;
  };

  // Consecutive bases of a mate, and where they are from.
  struct Part {
    const Stretch* stretch;
    std::size_t first;  // letters [first, last) of the stretch
    std::size_t last;
    bool reverse;
    std::size_t before;  // bases of the mate before this part
    std::uint64_t errors = 0;
  };

  struct Mate {
    std::string bases;
    std::string qualities;
    std::vector<Part> parts;
  };

  const Fragment& draw_fragment(std::uint64_t number) {
    if (!fragments_.empty() && random_.chance(model_.duplicates)) {
      return fragments_[random_.below(fragments_.size())];
    }
    if (fragments_.size() < kRemembered) {
      fragments_.emplace_back();
    }
    Fragment& fragment = fragments_[drawn_++ % kRemembered];
    fragment.number = number;
    fragment.turned = random_.below(2) != 0;
    fragment.border = 0;
    const std::size_t length = draw_length();
    fragment.kind = length <= kLongestTiny ? "tiny" : length < model_.length ? "short" : "long";
    draw_window([&] { return donor_.draw(random_, length, fragment.stretch); });
    if (length >= model_.length && random_.chance(model_.chimeras)) {
      fragment.kind = "chimera";
      const std::size_t least = std::max<std::size_t>(1, model_.length / 5);
      fragment.border = random_.between(least, model_.length - least);
      fragment.other_turned = random_.below(2) != 0;
      draw_window([&] { return donor_.draw(random_, model_.length - fragment.border, fragment.other); });
    }
    return fragment;
  }

  std::size_t draw_length() {
    if (random_.chance(model_.short_fragments)) {
      return random_.between(model_.short_length);
    }
    double length = 0;
    draw_window([&] {
      length = std::floor(model_.fragments.mean + model_.fragments.deviation * draw_normal(random_) + 0.5);
      return length >= static_cast<double>(model_.length);
    });
    return static_cast<std::size_t>(length);
  }

  void sequence(const Fragment& fragment, unsigned which) {
    Mate& mate = mates_[which];
    mate.bases.clear();
    mate.parts.clear();
    const bool reverse = fragment.turned != (which == 1);
    const bool is_chimeric = which == 0 && fragment.border > 0;
    add_part(mate, fragment.stretch, is_chimeric ? fragment.border : model_.length, reverse);
    if (is_chimeric) {
      add_part(mate, fragment.other, model_.length - fragment.border, fragment.other_turned);
    }
    mate.bases.append(model_.adapters[which], 0, model_.length - mate.bases.size());
    mate.bases.resize(model_.length, model_.beyond);
    add_faults(mate);
  }

  // The first `length` letters as they are read from one strand, or as many as there are.
  static void add_part(Mate& mate, const Stretch& stretch, std::size_t length, bool reverse) {
    const std::size_t all = stretch.bases.size();
    length = std::min(length, all);
    const std::size_t first = reverse ? all - length : 0;
    std::string bases = stretch.bases.substr(first, length);
    if (reverse) {
      turn(bases);
    }
    mate.parts.push_back({&stretch, first, first + length, reverse, mate.bases.size()});
    mate.bases += bases;
  }

  void add_faults(Mate& mate) {
    const std::size_t length = mate.bases.size();
    mate.qualities.resize(length);
    qualities_.draw(random_, mate.qualities);
    const std::size_t tail = random_.chance(model_.tails) ? std::min<std::size_t>(random_.between(10, 69), length) : 0;
    for (std::size_t i = 0; i < length; ++i) {
      const bool in_tail = i + tail >= length;
      const double rate = model_.error_rate * (0.5 + static_cast<double>(i) / static_cast<double>(length));
      if (random_.chance(in_tail ? kTailErrors : rate)) {
        change(mate, i, other_base(mate.bases[i], random_));
        mate.qualities[i] = qualities_.draw_wrong(random_);
      }
      if (in_tail) {
        mate.qualities[i] = '#';
      }
    }
    for (std::uint64_t n = random_.chance(model_.unknown) ? random_.between(1, 4) : 0; n > 0; --n) {
      const std::size_t i = random_.below(length);
      change(mate, i, 'N');
      mate.qualities[i] = '#';
    }
  }

  static void change(Mate& mate, std::size_t i, char base) {
    mate.bases[i] = base;
    for (Part& part : mate.parts) {
      part.errors += part.before <= i && i - part.before < part.last - part.first ? 1 : 0;
    }
  }

  void append_places(const Mate& mate) {
    for (const Part& part : mate.parts) {
      const std::size_t start = part.stretch->positions[part.first];
      std::uint64_t edits = part.errors;
      for (std::size_t i = part.first; i < part.last; ++i) {
        edits += part.stretch->edits[i];
      }
      name_ += (&part == mate.parts.data() ? "" : "&") + genome_.contig_name(start);
      genome_.append_place(start, part.stretch->positions[part.last - 1] + 1, part.reverse, edits, name_);
      const std::size_t length = part.last - part.first;
      name_ += '_' + std::to_string(part.reverse ? mate.bases.size() - part.before - length : part.before);
    }
  }

  const SourceGenome& genome_;
  const Donor& donor_;
  const LibraryModel& model_;
  SplitMix64 random_;
  BaseQualities qualities_;
  std::vector<Fragment> fragments_;  // the last ones
  std::size_t drawn_ = 0;
  Mate mates_[2];
  std::string name_;
};

// CONTIG or CONTIG:FIRST-LAST, from 1; a contig's name may have colons.
std::pair<std::size_t, std::size_t> find_region(const SourceGenome& genome, const std::string& region) {
  if (region.empty()) {
    return {0, genome.bases.size()};
  }
  for (std::size_t c = 0; c < genome.names.size(); ++c) {
    const std::string& name = genome.names[c];
    const std::size_t length = genome.starts[c + 1] - genome.starts[c];
    if (region == name) {
      return {genome.starts[c], genome.starts[c + 1]};
    }
    if (region.starts_with(name + ':')) {
      const auto [first, last] = parse_range("--region", region.substr(name.size() + 1));
      if (first == 0 || first > last || last > length) {
        throw std::runtime_error("--region " + region + ": the contig has " + std::to_string(length) + " bases");
      }
      return {genome.starts[c] + first - 1, genome.starts[c] + last};
    }
  }
  throw std::runtime_error("--region " + region + ": no such contig");
}

}  // namespace

void write_library(const std::string& reference_path, std::uint64_t count, std::uint64_t seed,
                   const LibraryModel& model, const std::string& first_path, const std::string& second_path,
                   const std::string& vcf_path) {
  const SourceGenome genome(reference_path);
  const auto [begin, end] = find_region(genome, model.region);
  const Donor donor(genome, begin, end, model.donor, seed);
  if (!vcf_path.empty()) {
    donor.write_vcf(vcf_path);
  }
  LibrarySimulator simulator(genome, donor, model, seed + 1);
  write_two(count, first_path, second_path.empty() ? "/dev/null" : second_path,
            [&](std::uint64_t i, std::string& first, std::string& second) { simulator.append(i, first, second); });
}

}  // namespace trawl::bench
