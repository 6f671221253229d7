#include "lab/bench_text.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "base/machine_memory.hpp"
#include "base/made_text.hpp"
#include "io/read/reference_files.hpp"
#include "io/read/text_blocks.hpp"
#include "sequence/copy_letters.hpp"

namespace trawl::lab {

namespace {

// A text is made block by block, each from its number, so that any thread can make it.
constexpr std::uint64_t kBlock = std::uint64_t{1} << 16;

// The most frequent words first.
constexpr std::string_view kWords =
    "the of and to a in that is was he for it with as his on be at by I this had not are but from or have an they "
    "which one you were her all she there would their we him been has when who will more no if out so said what up "
    "its about into than them can only other new some could time these two may then do first any my now such like "
    "our over man me even most made after also did many before must through back years where much your way well "
    "down should because each just those people how too little state good very make world still own see men work "
    "long get here between both life being under never day same another know while last might us great old year off "
    "come since against go came right used take three house himself few during without again place around however "
    "home small found thought went say part once general high upon school every does got united number hand course "
    "water until always away something fact less public though night head put almost enough far took looked word "
    "given better government sea system captain whale history morning nothing ship deep strange white among certain "
    "moment across together window silence remember";

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

// The sequences of a file, a line feed between two of them.
std::string fasta_letters(const std::string& path) {
  std::string characters;
  try {
    const sequence::Reference reference = io::read_reference(path);
    for (const auto& contig : reference.contigs()) {
      const std::size_t begin = characters.size() + (characters.empty() ? 0 : 1);
      characters.resize(begin + contig.length, '\n');
      sequence::copy_letters(reference, contig.offset, contig.length, characters.data() + begin);
    }
  } catch (const InputError& error) {
    throw Error(std::string(error.what()) + "; --fasta takes a text in FASTA, --text any file");
  }
  return characters;
}

struct RandomLetters {
  std::string_view alphabet;

  void make(std::uint64_t seed, std::uint64_t block, char* out, std::uint64_t size) const {
    for (std::uint64_t i = 0; i < size; ++i) {
      const auto sigma = static_cast<unsigned>(alphabet.size());
      out[i] = static_cast<char>(made_letter(alphabet.data(), sigma, seed, block * kBlock + i));
    }
  }
};

BenchText make_text(const Options& o, std::uint64_t length, unsigned sigma) {
  if (!o.is_file()) {
    if (const std::uint64_t memory = usable_memory(); length > memory) {
      throw Error("-n " + std::to_string(length) +
                  ": the text does not fit into the memory of this machine, which has " + std::to_string(memory) +
                  " bytes");
    }
    const std::string made = o.word("--made");
    const unsigned seed = o.number("--seed");
    return made == "random" ? BenchText(length, sigma, seed) : BenchText(made, made_text(made, length, seed));
  }
  const std::string name = o.word(o.has("--text") ? "--text" : "--fasta");
  std::string characters = o.has("--text") ? file_bytes(name) : fasta_letters(name);
  if (length > characters.size()) {
    throw UsageError("-n " + std::to_string(length) + ": " + name + " has only " + std::to_string(characters.size()) +
                     " characters");
  }
  if (length != 0) {
    characters.resize(length);
  }
  return {name, std::move(characters)};
}

}  // namespace

BenchText::BenchText(std::uint64_t size, unsigned sigma, std::uint64_t seed) : name_("random") {
  for (unsigned c = 0; sigma != 4 && c < sigma; ++c) {
    alphabet_ += static_cast<char>(sigma <= 94 ? '!' + c : c);
  }
  if (sigma == 4) {
    alphabet_ = "ACGT";
  }
  characters_ = make_blocks(RandomLetters{alphabet_}, size, seed);
}

BenchText::BenchText(std::string name, std::string characters)
    : name_(std::move(name)), characters_(std::move(characters)) {}

unsigned BenchText::letters() const {
  if (letters_ == 0) {
    std::array<bool, 256> seen{};
    for (const char c : characters()) {
      seen[static_cast<unsigned char>(c)] = true;
    }
    letters_ = static_cast<unsigned>(std::count(seen.begin(), seen.end(), true));
  }
  return letters_;
}

void BenchText::plant(const std::vector<Plant>& plants) {
  for (const Plant& plant : plants) {
    characters_.replace(plant.position, plant.letters.size(), plant.letters, 0, size() - plant.position);
  }
}

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

std::string file_bytes(const std::string& path) {
  std::string bytes;
  io::TextBlocks blocks(path, {});
  while (auto block = blocks.next()) {
    bytes.append(block->begin(), block->size());
    blocks.give_back(std::move(block));
  }
  if (bytes.empty()) {
    throw InputError(path, 0, "the file is empty; an experiment needs a text");
  }
  return bytes;
}

void for_each_text(const Options& o, bool has_text, const std::function<void(BenchText&)>& work) {
  for (const std::uint64_t length : o.numbers<std::uint64_t>("--length")) {
    for (const unsigned sigma : o.numbers("--sigma")) {
      BenchText text = has_text ? make_text(o, length, sigma) : BenchText("", "");
      work(text);
    }
  }
}

std::vector<std::string> cut_pieces(const BenchText& text, const LengthRange& range, unsigned count, bool plain_bases,
                                    std::uint64_t seed) {
  if (range.longest > text.size()) {
    throw UsageError("-m " + range.name() + ": the pattern is longer than the text, " + text.name() + " of " +
                     std::to_string(text.size()) + " characters");
  }
  const std::uint64_t places = text.size() - range.longest + 1;
  const std::uint64_t start = mixed(seed + range.longest);
  std::uint64_t next = 0;
  std::vector<std::string> pieces;
  for (unsigned i = 0; i < count; ++i) {
    std::string piece;
    unsigned tries = 0;
    do {
      const std::uint64_t random = mixed(start + next++);
      const std::uint64_t m = range.shortest + mixed(random) % (range.longest - range.shortest + 1);
      piece = text.characters().substr(random % places, m);
    } while (plain_bases && ++tries < 100 && piece.find_first_not_of("ACGT") != std::string::npos);
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

}  // namespace trawl::lab
