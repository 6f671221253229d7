#include "lab/bench_made_text.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "base/made_text.hpp"

namespace trawl::lab {

namespace {

// A text is made block by block, each from its number, so that any thread can make it.
constexpr std::uint64_t kBlock = std::uint64_t{1} << 16;

// The most frequent words first.
constexpr std::string_view kWords =
    "the of and to a in that is was he for it with as his on be at by I this had not are but from or have an they "
    "which "
    "one you were her all she there would their we him been has when who will more no if out so said what up its about "
    "into than them can only other new some could time these two may then do first any my now such like our over man "
    "me "
    "even most made after also did many before must through back years where much your way well down should because "
    "each "
    "just those people how too little state good very make world still own see men work long get here between both "
    "life "
    "being under never day same another know while last might us great old year off come since against go came right "
    "used take three house himself few during without again place around however home small found thought went say "
    "part "
    "once general high upon school every does got united number hand course water until always away something fact "
    "less "
    "public though night head put almost enough far took looked word given better government sea system captain whale "
    "history morning nothing ship deep strange white among certain moment across together window silence remember";

// A number in [0, 65536) picks a choice in proportion to its weight.
class Lottery {
 public:
  explicit Lottery(const std::vector<double>& weights) {
    double sum = 0;
    for (const double weight : weights) {
      sum += weight;
    }
    double below = 0;
    std::size_t at = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      below += weights[i] / sum;
      const auto end = i + 1 == weights.size() ? choices_.size()
                                               : static_cast<std::size_t>(std::lround(below * double(choices_.size())));
      for (; at < end; ++at) {
        choices_[at] = static_cast<std::uint8_t>(i);
      }
    }
  }
  unsigned operator()(std::uint64_t random) const { return choices_[random >> 48]; }

 private:
  std::array<std::uint8_t, 65536> choices_;
};

std::uint64_t random_at(std::uint64_t seed, std::uint64_t j) { return mixed(seed + (j + 1) * 0x9E3779B97F4A7C15u); }

struct Letters {
  std::string_view letters;
  Lottery lottery;

  void make(std::uint64_t seed, std::uint64_t block, char* out, std::uint64_t size) const {
    for (std::uint64_t i = 0; i < size; ++i) {
      out[i] = letters[lottery(random_at(seed, block * kBlock + i))];
    }
  }
};

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

// Zipf's law with Mandelbrot's shift.
std::vector<double> zipf(std::size_t count) {
  std::vector<double> weights;
  for (std::size_t rank = 1; rank <= count; ++rank) {
    weights.push_back(1 / (static_cast<double>(rank) + 2.7));
  }
  return weights;
}

struct English {
  std::vector<std::string_view> words = split(kWords);
  Lottery lottery{zipf(words.size())};

  void make(std::uint64_t seed, std::uint64_t block, char* out, std::uint64_t size) const {
    constexpr std::uint64_t kLine = 72;
    std::uint64_t at = 0, line = 0;
    bool capital = true;
    const auto put = [&](char c) {
      if (at < size) {
        out[at++] = c;
      }
    };
    const std::uint64_t block_seed = mixed(seed ^ mixed(block + 1));
    for (std::uint64_t i = 0; at < size; ++i) {
      const std::uint64_t random = random_at(block_seed, i);
      const std::string_view word = words[lottery(random)];
      put(capital && word[0] >= 'a' ? static_cast<char>(word[0] - 'a' + 'A') : word[0]);
      for (const char c : word.substr(1)) {
        put(c);
      }
      const unsigned mark = random & 31;
      capital = mark < 2;
      if (mark < 4) {
        put(mark == 0 ? '.' : mark == 1 ? (random & 32 ? '?' : '.') : ',');
      }
      const bool full = at - line > kLine;
      put(full ? '\n' : ' ');
      line = full ? at : line;
    }
  }
};

template <class Maker>
std::string make_blocks(const Maker& maker, std::uint64_t size, std::uint64_t seed) {
  std::string text(size, '\0');
  tbb::parallel_for(std::uint64_t{0}, (size + kBlock - 1) / kBlock, [&](std::uint64_t block) {
    maker.make(seed, block, text.data() + block * kBlock, std::min(kBlock, size - block * kBlock));
  });
  return text;
}

}  // namespace

std::string made_text(const std::string& kind, std::uint64_t size, std::uint64_t seed) {
  if (kind == "english") {
    return make_blocks(English{}, size, seed);
  }
  if (kind == "protein") {
    const std::vector<double> percent = {8.25, 5.53, 4.06, 5.46, 1.38, 3.93, 6.72, 7.07, 2.27, 5.91,
                                         9.65, 5.80, 2.41, 3.86, 4.74, 6.65, 5.36, 1.10, 2.92, 6.86};
    return make_blocks(Letters{"ARNDCQEGHILKMFPSTWYV", Lottery(percent)}, size, seed);
  }
  return make_blocks(Letters{"ACGT", Lottery({29.5, 20.5, 20.5, 29.5})}, size, seed);
}

}  // namespace trawl::lab
