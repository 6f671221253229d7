// trawl-set-check: counts again what `trawl scan --report ends` says about a set of patterns. Every end of every
// pattern is found by itself, on both strands: equal words with a hash table (k = 0), mismatches by comparing each
// window, edits by plain dynamic programming over the whole reference. Nothing is filtered, and no code is shared with
// Trawl.
//
//   trawl scan -k 2 --report ends -o out.bed ref.fa patterns.fa
//   trawl-set-check -k 2 ref.fa patterns.fa out.bed [--metric hamming] [-t N]
//   edit distance, k = 2, 10000 patterns, 4938920 bases: 21873 ends (distance 0: 9975, 1: 1204, 2: 10694), all there
//
// Patterns are of A, C, G and T, 32 letters at most for k = 0, each name once. Ambiguous letters of the reference match
// nothing. Exit status 1: an end is missing, false, twice, or has another distance.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <iterator>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bench/sequence_files.hpp"

namespace trawl::bench {

namespace {

constexpr std::uint8_t kOther = 4;  // a letter that matches nothing

std::uint8_t code_of(char letter) {
  switch (letter) {
    case 'A':
    case 'a':
      return 0;
    case 'C':
    case 'c':
      return 1;
    case 'G':
    case 'g':
      return 2;
    case 'T':
    case 't':
      return 3;
    default:
      return kOther;
  }
}

using Codes = std::vector<std::uint8_t>;

Codes codes_of(const std::string& letters) {
  Codes codes(letters.size());
  std::transform(letters.begin(), letters.end(), codes.begin(), code_of);
  return codes;
}

struct End {
  std::uint32_t pattern;  // twice its index, plus 1 on the reverse strand
  std::uint32_t contig;
  std::uint64_t end;  // letters of the contig up to it
  std::uint32_t distance;

  auto operator<=>(const End&) const = default;
};

struct Query {
  std::uint32_t pattern;  // as in End
  Codes codes;            // in the direction of the reference
};

struct Input {
  std::vector<std::string> contig_names;
  std::vector<Codes> contigs;
  std::vector<std::string> pattern_names;
  std::vector<Query> queries;
};

struct Settings {
  unsigned k = 0;
  bool hamming = false;
  unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::string> files;  // reference, patterns, records
};

Input read_input(const Settings& settings) {
  Input input;
  Sequence sequence;
  for (SequenceReader reader(settings.files[0]); reader.next(sequence);) {
    input.contig_names.push_back(sequence.name);
    input.contigs.push_back(codes_of(sequence.bases));
  }
  for (SequenceReader reader(settings.files[1]); reader.next(sequence);) {
    Codes codes = codes_of(sequence.bases);
    if (std::count(codes.begin(), codes.end(), kOther) > 0 || codes.size() <= settings.k ||
        (settings.k == 0 && codes.size() > 32)) {
      throw std::runtime_error("the pattern " + sequence.name +
                               " has other letters than A, C, G and T, or is too long, or too short");
    }
    const auto number = static_cast<std::uint32_t>(2 * input.pattern_names.size());
    input.pattern_names.push_back(sequence.name);
    input.queries.push_back({number, codes});
    std::reverse(codes.begin(), codes.end());
    for (std::uint8_t& code : codes) {
      code = static_cast<std::uint8_t>(3 - code);
    }
    input.queries.push_back({number + 1, codes});
  }
  return input;
}

// Calls work(i) for i in [0, count), on all threads.
template <class Work>
void for_all(std::size_t count, unsigned threads, const Work& work) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> all;
  for (unsigned t = 0; t < threads; ++t) {
    all.emplace_back([&] {
      for (std::size_t i; (i = next++) < count;) {
        work(i);
      }
    });
  }
}

std::vector<End> equal_words(const Input& input) {
  std::map<std::size_t, std::unordered_map<std::uint64_t, std::vector<std::uint32_t>>> words;  // by length
  for (const Query& query : input.queries) {
    std::uint64_t word = 0;
    for (const std::uint8_t code : query.codes) {
      word = word << 2 | code;
    }
    words[query.codes.size()][word].push_back(query.pattern);
  }
  std::vector<End> ends;
  for (std::uint32_t c = 0; c < input.contigs.size(); ++c) {
    for (const auto& [length, of_length] : words) {
      const std::uint64_t mask = length == 32 ? ~std::uint64_t{0} : (std::uint64_t{1} << (2 * length)) - 1;
      std::uint64_t word = 0;
      std::size_t known = 0;  // letters since the last ambiguous one
      for (std::size_t i = 0; i < input.contigs[c].size(); ++i) {
        const std::uint8_t code = input.contigs[c][i];
        known = code == kOther ? 0 : known + 1;
        word = (word << 2 | (code & 3)) & mask;
        if (known >= length) {
          if (const auto found = of_length.find(word); found != of_length.end()) {
            for (const std::uint32_t pattern : found->second) {
              ends.push_back({pattern, c, i + 1, 0});
            }
          }
        }
      }
    }
  }
  return ends;
}

// Queries of one length whose tables are computed side by side.
constexpr std::size_t kLanes = 64;
using Lanes [[gnu::vector_size(kLanes)]] = std::uint8_t;  // g++ 12 did not vectorise loops over an array

template <class Mask>
bool has_one(const Mask& mask) {
  std::uint64_t words[kLanes / 8];
  std::memcpy(words, &mask, kLanes);
  return std::any_of(std::begin(words), std::end(words), [](std::uint64_t word) { return word != 0; });
}

// The ends of up to kLanes queries in one contig. `letters[i]` has letter i of each query.
template <class Emit>
void compare_windows(const std::vector<Lanes>& letters, const Codes& text, unsigned k, const Emit& emit) {
  for (std::size_t end = letters.size(); end <= text.size(); ++end) {
    Lanes differ{};
    for (std::size_t i = 0; i < letters.size(); ++i) {
      differ -= letters[i] != text[end - letters.size() + i];  // true is -1
    }
    emit(end, differ, k);
  }
}

template <class Emit>
void fill_tables(const std::vector<Lanes>& letters, const Codes& text, unsigned k, const Emit& emit) {
  std::vector<Lanes> column(letters.size() + 1);
  for (std::size_t i = 0; i <= letters.size(); ++i) {
    column[i] = Lanes{} + static_cast<std::uint8_t>(i);
  }
  for (std::size_t end = 1; end <= text.size(); ++end) {
    const std::uint8_t letter = text[end - 1];
    Lanes diagonal = column[0];
    for (std::size_t i = 1; i <= letters.size(); ++i) {
      const Lanes left = column[i];
      const Lanes substituted = diagonal - (letters[i - 1] != letter);  // true is -1
      const Lanes gap = (left < column[i - 1] ? left : column[i - 1]) + 1;
      column[i] = substituted < gap ? substituted : gap;
      diagonal = left;
    }
    emit(end, column.back(), k);
  }
}

std::vector<End> all_ends(const Input& input, const Settings& settings) {
  std::map<std::size_t, std::vector<const Query*>> by_length;
  for (const Query& query : input.queries) {
    by_length[query.codes.size()].push_back(&query);
  }
  std::vector<std::vector<const Query*>> batches;
  for (const auto& [length, queries] : by_length) {
    if (length > 200) {
      throw std::runtime_error("a pattern has more than 200 letters");
    }
    for (std::size_t first = 0; first < queries.size(); first += kLanes) {
      batches.emplace_back(queries.begin() + static_cast<std::ptrdiff_t>(first),
                           queries.begin() + static_cast<std::ptrdiff_t>(std::min(queries.size(), first + kLanes)));
    }
  }
  std::vector<End> ends;
  std::mutex mutex;
  for_all(batches.size(), settings.threads, [&](std::size_t b) {
    const auto& batch = batches[b];
    std::vector<Lanes> letters(batch[0]->codes.size());
    for (std::size_t i = 0; i < letters.size(); ++i) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        letters[i][lane] = lane < batch.size() ? batch[lane]->codes[i] : kOther + 1;
      }
    }
    std::vector<End> found;
    for (std::uint32_t c = 0; c < input.contigs.size(); ++c) {
      const auto emit = [&](std::size_t end, const Lanes& distances, unsigned k) {
        if (has_one(distances <= static_cast<std::uint8_t>(k))) {
          for (std::size_t lane = 0; lane < batch.size(); ++lane) {
            if (distances[lane] <= k) {
              found.push_back({batch[lane]->pattern, c, end, distances[lane]});
            }
          }
        }
      };
      (settings.hamming ? compare_windows<decltype(emit)> : fill_tables<decltype(emit)>)(letters, input.contigs[c],
                                                                                         settings.k, emit);
    }
    const std::lock_guard lock(mutex);
    ends.insert(ends.end(), found.begin(), found.end());
  });
  return ends;
}

template <class Value>
Value number_in(std::string_view word) {
  return static_cast<Value>(std::strtoull(std::string(word).c_str(), nullptr, 10));
}

std::vector<End> read_records(const std::string& path, const Input& input) {
  std::unordered_map<std::string, std::uint32_t> patterns, contigs;
  for (std::uint32_t p = 0; p < input.pattern_names.size(); ++p) {
    if (!patterns.emplace(input.pattern_names[p], p).second) {
      throw std::runtime_error("two patterns have the name " + input.pattern_names[p]);
    }
  }
  for (std::uint32_t c = 0; c < input.contig_names.size(); ++c) {
    contigs.emplace(input.contig_names[c], c);
  }
  std::vector<End> ends;
  LineReader lines(path);
  for (std::string_view line; lines.next(line);) {
    std::array<std::string_view, 7> columns;
    for (std::string_view& column : columns) {
      const std::size_t tab = std::min(line.find('\t'), line.size());
      column = line.substr(0, tab);
      line.remove_prefix(std::min(line.size(), tab + 1));
    }
    ends.push_back({2 * patterns.at(std::string(columns[3])) + (columns[5] == "-"), contigs.at(std::string(columns[0])),
                    number_in<std::uint64_t>(columns[2]), number_in<std::uint32_t>(columns[6])});
  }
  return ends;
}

Settings settings_of(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&]() -> std::string {
      if (i + 1 == argc) {
        throw std::runtime_error(word + " needs a value");
      }
      return argv[++i];
    };
    if (word == "-k") {
      settings.k = number_in<unsigned>(value());
    } else if (word == "-t") {
      settings.threads = std::max(1u, number_in<unsigned>(value()));
    } else if (word == "--metric") {
      settings.hamming = value() == "hamming";
    } else {
      settings.files.push_back(word);
    }
  }
  if (settings.files.size() != 3) {
    throw std::runtime_error("usage: trawl-set-check [-k N] [--metric hamming] [-t N] REF PATTERNS ENDS.bed");
  }
  return settings;
}

std::string text_of(const End& end, const Input& input) {
  return input.pattern_names[end.pattern / 2] + (end.pattern % 2 == 0 ? " +" : " -") + ", " +
         input.contig_names[end.contig] + ", end " + std::to_string(end.end) + ", distance " +
         std::to_string(end.distance);
}

int run(const Settings& settings) {
  const Input input = read_input(settings);
  std::vector<End> expected = settings.k == 0 ? equal_words(input) : all_ends(input, settings);
  std::vector<End> found = read_records(settings.files[2], input);
  std::sort(expected.begin(), expected.end());
  std::sort(found.begin(), found.end());
  std::uint64_t bases = 0;
  for (const Codes& contig : input.contigs) {
    bases += contig.size();
  }
  std::vector<std::uint64_t> by_distance(settings.k + 1);
  for (const End& end : expected) {
    ++by_distance[end.distance];
  }
  std::cout << (settings.hamming ? "mismatches" : "edit distance") << ", k = " << settings.k << ", "
            << input.pattern_names.size() << " patterns, " << bases << " bases: " << expected.size() << " ends (";
  for (unsigned d = 0; d <= settings.k; ++d) {
    std::cout << (d == 0 ? "distance " : ", ") << d << ": " << by_distance[d];
  }
  if (found == expected) {
    std::cout << "), all there\n";
    return 0;
  }
  const auto [f, e] = std::mismatch(found.begin(), found.end(), expected.begin(), expected.end());
  const bool is_false = e == expected.end() || (f != found.end() && *f < *e);
  std::cout << "), but " << settings.files[2] << " has " << found.size() << "\n"
            << (is_false ? "false or twice: " : "missing: ") << text_of(is_false ? *f : *e, input) << '\n';
  return 1;
}

}  // namespace

}  // namespace trawl::bench

int main(int argc, char** argv) {
  try {
    return trawl::bench::run(trawl::bench::settings_of(argc, argv));
  } catch (const std::exception& error) {
    std::cerr << "trawl-set-check: " << error.what() << '\n';
    return 1;
  }
}
