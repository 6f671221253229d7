// Runs fuzz targets without libFuzzer, so that every build can: on their seeds, and on changes of these that chance
// makes, always the same; TRAWL_TEST_SEED in the environment: others.
//   fuzz_seeds FOLDER [CHANGES [FILE]]      FILE holds the input that is tried: the one that ended the program
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

using Target = int(const std::uint8_t*, std::size_t);
extern "C" Target fuzz_fasta, fuzz_fastq, fuzz_gzip, fuzz_index, fuzz_pairs, fuzz_runs, fuzz_tables;

namespace {

struct Named {
  const char* name;
  Target* target;
  const char* seeds;  // the folder; "": only random bytes
  int share;          // one of so many changes: some take long
};
constexpr Named kTargets[] = {{"fasta", fuzz_fasta, "fasta", 1},   {"fastq", fuzz_fastq, "fastq", 1},
                              {"gzip", fuzz_gzip, "fastq", 4},     {"index", fuzz_index, "", 4},
                              {"pairs", fuzz_pairs, "", 4},        {"runs", fuzz_runs, "", 4},
                              {"tables", fuzz_tables, "tables", 1}};

std::vector<std::string> seeds_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths(std::filesystem::directory_iterator{folder}, {});
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> seeds;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return seeds;
}

// One to eight changes: a byte, a piece that is lost or comes twice, a piece of another seed.
std::string changed(std::string text, const std::string& other, std::mt19937_64& random) {
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(random() % n); };
  for (std::size_t n = 1 + below(8); n > 0; --n) {
    const std::size_t at = below(text.size() + 1);
    const std::size_t size = below(std::min<std::size_t>(64, text.size() - at + 1));
    switch (below(5)) {
      case 0:
        text.erase(at, size);
        break;
      case 1:
        text.insert(at, text.substr(at, size));
        break;
      case 2: {
        const std::size_t from = below(other.size());
        text.insert(at, other.substr(from, below(64)));
        break;
      }
      case 3:
        text.insert(at, 1, "\t\n\r,:;>@+#\"\\{}[]0\xff"[below(19)]);
        break;
      default:
        if (at < text.size()) {
          text[at] = static_cast<char>(random());
        }
    }
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    return 2;
  }
  const char* const other_seed = std::getenv("TRAWL_TEST_SEED");
  const int changes = argc > 2 ? std::atoi(argv[2]) : 2000;
  for (const Named& one : kTargets) {
    std::mt19937_64 random(3301 + (other_seed != nullptr ? std::strtoull(other_seed, nullptr, 10) << 32 : 0));
    const bool has_seeds = *one.seeds != '\0';
    const auto seeds = has_seeds ? seeds_in(std::filesystem::path(argv[1]) / one.seeds) : std::vector<std::string>();
    std::string input;  // static storage of a target may point to nothing of it
    const auto run = [&](const std::string& text) {
      input = text;
      if (argc > 3) {  // to find the input that ends the program
        std::ofstream(argv[3], std::ios::binary) << input;
      }
      one.target(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
    };
    int runs = 0;
    for (const std::string& seed : seeds) {
      run(seed);
      ++runs;
    }
    for (int n = 0; n < changes / one.share; ++n, ++runs) {
      if (has_seeds) {
        run(changed(seeds[random() % seeds.size()], seeds[random() % seeds.size()], random));
      } else {
        std::string bytes(random() % (one.target == fuzz_index ? 60 : 1500), '\0');
        std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<char>(random()); });
        run(bytes);
      }
    }
    std::printf("%s: %d inputs\n", one.name, runs);
    std::fflush(stdout);
  }
  return 0;
}
