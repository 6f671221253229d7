#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <vector>

#include "bench/simulate.hpp"

namespace trawl::bench {

namespace {

constexpr std::uint64_t kShortestGenome = 20000;  // some repeats do not fit into less
constexpr char kContig[] = "synth1";
constexpr std::size_t kLineWidth = 60;

enum class RepeatClass : std::uint8_t { unique, ltr, l1, alu, microsat, minisat, alphasat, segdup, unknown };
constexpr std::array<const char*, 9> kClassNames = {"unique",  "LTR/DNA",  "L1",     "Alu", "microsat",
                                                    "minisat", "alphasat", "segdup", "N"};

// Each random number is drawn in its own statement where the order matters, because the output depends on it.
class Chromosome {
 public:
  Chromosome(std::size_t length, std::uint64_t seed)
      : length_(length), bases_(length, 'N'), classes_(length, RepeatClass::unique), random_(seed) {
    draw_isochores();
    insert_ltr();
    insert_l1();
    insert_alu();
    insert_microsatellites();
    insert_minisatellites();
    insert_alpha_satellite();
    insert_segmental_duplications();
    insert_gap();
  }

  void write_fasta(const std::string& path) const {
    Output output(path);
    output.buffer() = '>' + std::string(kContig) + '\n';
    for (std::size_t i = 0; i < length_; i += kLineWidth) {
      output.buffer().append(bases_, i, kLineWidth);
      output.buffer() += '\n';
      output.write_if_large();
    }
    output.finish();
  }

  void write_bed(const std::string& path) const {
    Output output(path);
    output.buffer() = bed_;
    output.finish();
  }

  void write_summary(std::FILE* out) const {
    std::array<std::size_t, kClassNames.size()> counts{};
    for (const RepeatClass c : classes_) {
      ++counts[static_cast<std::size_t>(c)];
    }
    for (std::size_t c = 0; c < counts.size(); ++c) {
      std::fprintf(out, "%s %.2f%%\n", kClassNames[c], percent(counts[c], length_));
    }
    const auto is_gc = [](char base) { return base == 'G' || base == 'C'; };
    const auto gc = static_cast<std::size_t>(std::count_if(bases_.begin(), bases_.end(), is_gc));
    const auto unknown = static_cast<std::size_t>(std::count(bases_.begin(), bases_.end(), 'N'));
    std::fprintf(out, "GC %.2f%% of ACGT\n", percent(gc, length_ - unknown));
  }

 private:
  static double percent(std::size_t part, std::size_t whole) {
    return 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  }

  double share_of_length(double share) const { return share * static_cast<double>(length_); }
  std::size_t bases_for(double share) const { return static_cast<std::size_t>(share_of_length(share)); }

  char random_base(double gc) {
    const double u = random_.unit();
    return u < gc / 2 ? 'G' : u < gc ? 'C' : u < gc + (1 - gc) / 2 ? 'A' : 'T';
  }

  std::string random_bases(std::size_t length, double gc) {
    std::string out(length, 'N');
    for (char& base : out) {
      base = random_base(gc);
    }
    return out;
  }

  char other_base(char base) {
    for (;;) {
      const char drawn = "ACGT"[random_.below(4)];
      if (drawn != base) {
        return drawn;
      }
    }
  }

  // -ln(1 - u) times the scale: exponential distribution, rounded down.
  std::size_t exponential(double scale) { return static_cast<std::size_t>(-std::log(1 - random_.unit()) * scale); }

  // `divergence` events per base: 90% substitutions, 5% deletions, 5% insertions, with geometric lengths (mean 1.67).
  std::string mutated(const std::string& bases, double divergence) {
    std::string out;
    out.reserve(bases.size() + 64);
    for (std::size_t i = 0; i < bases.size();) {
      if (!random_.chance(divergence)) {
        out += bases[i++];
        continue;
      }
      const double kind = random_.unit();
      if (kind < 0.9) {
        out += other_base(bases[i++]);
        continue;
      }
      std::size_t gap = 1;
      while (random_.chance(0.4)) {
        ++gap;
      }
      if (kind < 0.95) {
        i += gap;
      } else {
        for (std::size_t k = 0; k < gap; ++k) {
          out += random_base(0.41);
        }
        out += bases[i++];
      }
    }
    return out;
  }

  std::string either_strand(std::string bases) {
    return random_.below(2) != 0 ? reverse_complement(bases) : std::move(bases);
  }

  // Overwrites the bases from `start` on; returns the number of bases written.
  std::size_t put(const std::string& bases, std::size_t start, RepeatClass repeat_class, const std::string& name) {
    const std::size_t end = std::min(length_, start + bases.size());
    std::copy_n(bases.begin(), end - start, bases_.begin() + static_cast<std::ptrdiff_t>(start));
    note(start, end, repeat_class, name);
    return end - start;
  }

  std::size_t put_anywhere(const std::string& bases, RepeatClass repeat_class, const std::string& name) {
    return put(bases, random_.below(length_ - bases.size()), repeat_class, name);
  }

  void note(std::size_t start, std::size_t end, RepeatClass repeat_class, const std::string& name) {
    std::fill(classes_.begin() + static_cast<std::ptrdiff_t>(start),
              classes_.begin() + static_cast<std::ptrdiff_t>(end), repeat_class);
    bed_ += std::string(kContig) + '\t' + std::to_string(start) + '\t' + std::to_string(end) + '\t' + name + '\n';
  }

  // Unique sequence. Its GC share changes every 200 kbp.
  void draw_isochores() {
    double gc = 0.41;
    for (std::size_t i = 0; i < length_; ++i) {
      if (i % 200000 == 0) {
        gc = .393 + .05 * (random_.unit() + random_.unit() + random_.unit() - 1.5);
      }
      bases_[i] = random_base(gc);
    }
  }

  // Retroviral and DNA transposons: 60 old families, copies cut at random positions, 6-25% diverged.
  void insert_ltr() {
    constexpr std::size_t kFamilies = 60;
    const std::size_t wanted = bases_for(.19);
    std::vector<std::string> families;
    for (std::size_t i = 0; i < kFamilies; ++i) {
      const double gc = .38 + .1 * random_.unit();
      const std::size_t length = random_.between(200, 6000);
      families.push_back(random_bases(length, gc));
    }
    for (std::size_t done = 0; done < wanted;) {
      const std::size_t i = random_.below(kFamilies);
      const std::string& family = families[i];
      const std::size_t length = std::min(family.size(), 120 + exponential(900));
      const std::size_t offset = random_.below(family.size() - length + 1);
      const double divergence = .06 + .19 * random_.unit();
      const std::string copy = either_strand(mutated(family.substr(offset, length), divergence));
      done += put_anywhere(copy, RepeatClass::ltr, "LTR" + std::to_string(i));
    }
  }

  // LINE-1: 10 subfamilies of one 6 kbp element with a poly-A tail. Most copies lack their 5' end.
  void insert_l1() {
    constexpr std::size_t kSubfamilies = 10;
    const std::size_t wanted = bases_for(.245);
    const std::string element = random_bases(6000, .42);
    std::vector<std::string> subfamilies;
    for (std::size_t i = 0; i < kSubfamilies; ++i) {
      subfamilies.push_back(mutated(element, .01 + .012 * static_cast<double>(i)));
    }
    for (std::size_t done = 0; done < wanted;) {
      const std::size_t i = random_.below(kSubfamilies);
      const std::string& subfamily = subfamilies[i];
      const double divergence = (.01 + .02 * static_cast<double>(i)) * (.6 + .8 * random_.unit());
      const bool complete = random_.chance(.06);
      const std::size_t length = complete ? subfamily.size() : std::min(subfamily.size(), 150 + exponential(1100));
      const std::string tail(random_.below(20), 'A');
      const std::string copy = either_strand(mutated(subfamily.substr(subfamily.size() - length), divergence) + tail);
      done += put_anywhere(copy, RepeatClass::l1, "L1_" + std::to_string(i));
    }
  }

  // Alu: 14 subfamilies of one 295 bp element with a poly-A tail; one copy in 20 is young, one in 5 is cut short.
  void insert_alu() {
    constexpr std::size_t kSubfamilies = 14;
    const std::size_t wanted = bases_for(.116);
    std::string element = random_bases(282, .62);
    element.insert(120, "AAAAATACAAAAA");
    std::vector<std::string> subfamilies;
    for (std::size_t i = 0; i < kSubfamilies; ++i) {
      subfamilies.push_back(mutated(element, .01 + .007 * static_cast<double>(i)));
    }
    for (std::size_t done = 0; done < wanted;) {
      const std::size_t i = random_.below(kSubfamilies);
      double divergence = .05 + .15 * random_.unit();
      if (random_.chance(.05)) {
        divergence = .01 + .04 * random_.unit();
      }
      std::string copy = subfamilies[i];
      if (random_.chance(.2)) {
        copy = copy.substr(random_.below(copy.size() - 60));
      }
      copy += std::string(random_.between(8, 30), 'A');
      copy = either_strand(mutated(copy, divergence));
      done += put_anywhere(copy, RepeatClass::alu, "ALU_" + std::to_string(i));
    }
  }

  // Tandem repeats with units of 1-6 bases.
  void insert_microsatellites() {
    const std::size_t wanted = bases_for(.008);
    for (std::size_t done = 0; done < wanted;) {
      const std::string unit = random_bases(random_.between(1, 6), .3);
      const auto length = static_cast<std::size_t>(20 - std::log(1 - random_.unit()) * 25);
      std::string repeat;
      while (repeat.size() < length) {
        repeat += unit;
      }
      repeat = mutated(repeat, .08 * random_.unit());
      done += put_anywhere(repeat, RepeatClass::microsat, "uSAT");
    }
  }

  // Tandem repeats with units of 10-60 bases.
  void insert_minisatellites() {
    const std::size_t wanted = bases_for(.005);
    for (std::size_t done = 0; done < wanted;) {
      const std::string unit = random_bases(random_.between(10, 60), .5);
      const std::size_t copies = random_.between(4, 40);
      std::string repeat;
      for (std::size_t k = 0; k < copies; ++k) {
        repeat += unit;
      }
      repeat = mutated(repeat, .02 + .08 * random_.unit());
      done += put_anywhere(repeat, RepeatClass::minisat, "mSAT");
    }
  }

  // Centromere: a higher-order repeat of twelve diverged 171-mers, with copies that differ by 0.5-2%; and three old
  // monomeric arrays.
  void insert_alpha_satellite() {
    const std::string monomer = random_bases(171, .38);
    std::string higher_order;
    for (int i = 0; i < 12; ++i) {
      higher_order += mutated(monomer, .25);
    }
    const std::size_t wanted = bases_for(.012);
    std::string centromere;
    while (centromere.size() < wanted) {
      centromere += mutated(higher_order, .005 + .015 * random_.unit());
    }
    put(centromere, bases_for(.41), RepeatClass::alphasat, "ASAT");
    for (int i = 0; i < 3; ++i) {
      std::string array;
      while (static_cast<double>(array.size()) < share_of_length(.0015)) {
        array += mutated(monomer, .10 + .2 * random_.unit());
      }
      put_anywhere(array, RepeatClass::alphasat, "ASATmono");
    }
  }

  // Copies of 10-50 kbp of the chromosome made so far, 1-3% diverged; a quarter of them twice.
  void insert_segmental_duplications() {
    const std::size_t wanted = bases_for(.045);
    for (std::size_t done = 0; done < wanted;) {
      const std::size_t length = std::min<std::size_t>(random_.between(10000, 50000), length_ / 20);
      const std::size_t source = random_.below(length_ - length);
      const int copies = random_.below(4) == 0 ? 2 : 1;
      for (int k = 0; k < copies; ++k) {
        const double divergence = .01 + .02 * random_.unit();
        const std::string copy = either_strand(mutated(bases_.substr(source, length), divergence));
        done += put_anywhere(copy, RepeatClass::segdup,
                             "SD_from_" + std::to_string(source) + "_" + std::to_string(source + length));
      }
    }
  }

  // The assembly gap next to the centromere.
  void insert_gap() {
    const std::size_t start = bases_for(.40);
    const std::size_t end = start + length_ / 100;
    std::fill(bases_.begin() + static_cast<std::ptrdiff_t>(start), bases_.begin() + static_cast<std::ptrdiff_t>(end),
              'N');
    note(start, end, RepeatClass::unknown, "N");
  }

  std::size_t length_;
  std::string bases_;
  std::vector<RepeatClass> classes_;
  SplitMix64 random_;
  std::string bed_;
};

}  // namespace

void write_genome(std::uint64_t length, std::uint64_t seed, const std::string& fasta_path,
                  const std::string& bed_path) {
  if (length < kShortestGenome) {
    throw std::runtime_error("LENGTH must be at least " + std::to_string(kShortestGenome));
  }
  const Chromosome chromosome(length, seed);
  chromosome.write_fasta(fasta_path);
  if (!bed_path.empty()) {
    chromosome.write_bed(bed_path);
  }
  chromosome.write_summary(stderr);
}

}  // namespace trawl::bench
