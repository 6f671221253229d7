#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <future>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "bench/simulate.hpp"

namespace trawl::bench {

namespace {

constexpr unsigned kWord = 14;
constexpr std::uint32_t kOften = 6;   // places of a word that is looked up
constexpr std::size_t kShared = 30;   // bases that two elements share where a chimera goes on with the other
constexpr std::size_t kWindow = 64;   // part of a repeat if other elements share half of kSamples places in it
constexpr unsigned kSamples = 4;      // elements that are too old for that are as unique
constexpr double kNew = 0.45;         // share of the bases outside repeats that are drawn anew
constexpr double kDivergence = 0.02;  // the same in a repeat, at most
constexpr std::uint64_t kPiece = 40;  // how long a chimera stays with one element, on average, after kShared bases
constexpr std::uint32_t kNone = ~std::uint32_t{0};
constexpr std::size_t kLine = 100;

// Zeros. They are read and written at random: with small pages that takes five times as long.
std::vector<std::uint32_t> make_table(std::size_t size) {
  std::vector<std::uint32_t> table;
  table.reserve(size);
  constexpr std::uintptr_t kPage = 4096;
  const std::uintptr_t begin = (reinterpret_cast<std::uintptr_t>(table.data()) + kPage - 1) / kPage * kPage;
  madvise(reinterpret_cast<void*>(begin), size * sizeof(std::uint32_t) / kPage * kPage, MADV_HUGEPAGE);
  table.resize(size);
  return table;
}

class Mosaic {
 public:
  explicit Mosaic(const std::string& bases)
      : bases_(bases), words_(find_words(bases)), first_(make_table((std::size_t{1} << (2 * kWord)) + 1)) {
    for (const std::uint32_t word : words_) {
      if (word != kNone) {
        ++first_[word];
      }
    }
    std::partial_sum(first_.begin(), first_.end(), first_.begin());  // now the ends; the places are filled in from them
    places_ = make_table(first_.back());
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (words_[i] != kNone) {
        places_[--first_[words_[i]]] = static_cast<std::uint32_t>(i);
      }
    }
    SplitMix64 random(1);
    for (std::size_t window = 0; window * kWindow < bases.size(); ++window) {
      unsigned shared = 0;
      for (std::size_t i = window * kWindow; i < std::min(bases.size(), (window + 1) * kWindow);
           i += kWindow / kSamples) {
        shared += other_element(i, random) != i ? 1 : 0;
      }
      repeats_.push_back(shared >= kSamples / 2);
    }
    for (std::size_t i = 1; i + 1 < repeats_.size(); ++i) {
      repeats_[i] = repeats_[i] || (repeats_[i - 1] && repeats_[i + 1]);
    }
  }

  std::string copy(SplitMix64 random) const {
    std::string made = bases_;
    bool inside = false;
    double divergence = 0;
    std::size_t from = 0;  // the base that is copied
    std::size_t piece = 0;
    for (std::size_t i = 0; i < made.size(); ++i, ++from) {
      if (i % kWindow == 0) {
        if (repeats_[i / kWindow] && !inside) {
          divergence = kDivergence * random.unit();
          from = other_element(i, random);
          piece = 0;
        }
        inside = repeats_[i / kWindow];
      }
      if (made[i] == 'N') {
        continue;
      }
      if (inside) {
        if (from >= bases_.size() || bases_[from] == 'N') {
          from = i;
        }
        if (++piece > kShared && random.below(kPiece) == 0) {
          const std::size_t other = other_element(from, random);
          piece = other == from ? piece : 0;
          from = other;
        }
        made[i] = bases_[from];
      }
      if (random.chance(inside ? divergence : kNew)) {
        made[i] = random_base(random);
      }
    }
    return made;
  }

 private:
  static std::vector<std::uint32_t> find_words(const std::string& bases) {
    std::vector<std::uint32_t> words(bases.size(), kNone);
    std::uint32_t word = 0;
    unsigned length = 0;
    for (std::size_t i = 0; i < bases.size(); ++i) {
      word = (word << 2 | (base_code(bases[i]) & 3)) & (kNone >> (32 - 2 * kWord));
      length = bases[i] == 'N' ? 0 : length + 1;
      if (length >= kWord) {
        words[i + 1 - kWord] = word;
      }
    }
    return words;
  }

  // Another place of the next kShared bases, if their first word repeats and one is found; otherwise `from`.
  std::size_t other_element(std::size_t from, SplitMix64& random) const {
    const std::uint32_t word = words_[from];
    const std::uint32_t count = word == kNone ? 0 : first_[word + 1] - first_[word];
    for (unsigned tries = 0; count >= kOften && tries < 30; ++tries) {
      const std::size_t place = places_[first_[word] + random.below(count)];
      if (place != from && bases_.compare(place, kShared, bases_, from, kShared) == 0) {
        return place;
      }
    }
    return from;
  }

  const std::string& bases_;
  std::vector<std::uint32_t> words_;   // the one that begins at each base, or kNone
  std::vector<std::uint32_t> first_;   // of each word: its first place
  std::vector<std::uint32_t> places_;  // of all words, in their order
  std::vector<bool> repeats_;          // of each window
};

}  // namespace

void write_mosaic(const std::string& reference_path, std::uint64_t copies, std::uint64_t seed,
                  const std::string& fasta_path, unsigned threads) {
  const SourceGenome genome(reference_path);
  if (genome.bases.size() >= kNone) {
    throw std::runtime_error("the reference of a mosaic has at most 4,294,967,294 bases");
  }
  const Mosaic mosaic(genome.bases);
  const auto text = [&](std::uint64_t number) {
    const std::string bases = number == 0 ? genome.bases : mosaic.copy(SplitMix64(seed + number * 7919));
    std::string fasta;
    fasta.reserve(bases.size() + bases.size() / kLine + 100 * genome.names.size());
    for (std::size_t c = 0; c < genome.names.size(); ++c) {
      fasta += '>' + genome.names[c] + (number == 0 ? "" : '_' + std::to_string(number)) + '\n';
      for (std::size_t i = genome.starts[c]; i < genome.starts[c + 1]; i += kLine) {
        fasta.append(bases, i, std::min(kLine, genome.starts[c + 1] - i)) += '\n';
      }
    }
    return fasta;
  };
  Output out(fasta_path);
  std::deque<std::future<std::string>> made;
  for (std::uint64_t number = 0; number < copies || !made.empty(); made.pop_front()) {
    while (number < copies && made.size() < threads) {
      made.push_back(std::async(std::launch::async, text, number++));
    }
    out.buffer() += made.front().get();
    out.write_if_large();
  }
  out.finish();
}

}  // namespace trawl::bench
