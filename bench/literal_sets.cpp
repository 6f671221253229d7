// trawl-literal-sets: searches a set of exact patterns, both strands, in a text in memory, on one core: with the
// literal sets of `trawl scan`, and with Vectorscan or Hyperscan. The hits are compared before a time is printed.
//
//   trawl-literal-sets genome.fa patterns.fa [repeats [trawl]]     "trawl": without Hyperscan, which compiles large
//   sets for
//                                                                   minutes
//   patterns  letters  bases      hits  trawl_prepare_ms  trawl_ms  hs_prepare_ms  hs_ms  ratio
//
// Columns are separated by tabs. Times are medians of the processor time. `ratio`: times of Hyperscan by times of
// Trawl; "-" where Hyperscan does not take the set.
#include <hs/hs.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/sequence_files.hpp"
#include "io/read/pattern_reader.hpp"
#include "scan/find/literal_set.hpp"
#include "scan/find/query.hpp"
#include "scan/options.hpp"
#include "sequence/alphabet.hpp"
#include "sequence/reference_builder.hpp"

namespace trawl::bench {

namespace {

double ms_of(const std::function<void()>& work) {
  const std::clock_t start = std::clock();
  work();
  return 1000.0 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

double median_ms(int repeats, const std::function<void()>& work) {
  std::vector<double> all;
  for (int r = 0; r < repeats; ++r) {
    all.push_back(ms_of(work));
  }
  std::nth_element(all.begin(), all.begin() + repeats / 2, all.end());
  return all[static_cast<std::size_t>(repeats / 2)];
}

// What the hits of a program are compared by: their number, and the sum of a number made of each.
struct Hits {
  std::uint64_t count = 0;
  std::uint64_t sum = 0;

  void add(std::uint64_t id, std::uint64_t contig, std::uint64_t end) {
    ++count;
    sum += ((id << 40) ^ (contig << 34) ^ end) * 0x9E3779B97F4A7C15u;
  }
  bool operator==(const Hits&) const = default;
};

class Hyperscan {
 public:
  // False if it does not take the set.
  bool compile(const scan::QueryList& queries) {
    std::vector<const char*> letters;
    std::vector<std::size_t> lengths;
    std::vector<unsigned> flags(queries.size(), 0), ids;
    for (const scan::Query& query : queries) {
      letters.push_back(query.bases.data());
      lengths.push_back(query.bases.size());
      ids.push_back(static_cast<unsigned>(ids.size()));
    }
    hs_compile_error_t* error = nullptr;
    if (hs_compile_lit_multi(letters.data(), flags.data(), ids.data(), lengths.data(),
                             static_cast<unsigned>(letters.size()), HS_MODE_BLOCK, nullptr, &database_,
                             &error) != HS_SUCCESS) {
      std::cerr << "Hyperscan: " << error->message << '\n';
      hs_free_compile_error(error);
      return false;
    }
    return hs_alloc_scratch(database_, &scratch_) == HS_SUCCESS;
  }
  Hits search(const std::vector<std::string>& contigs) const {
    struct Place {
      Hits hits;
      std::uint64_t contig = 0;
    } place;
    for (const std::string& contig : contigs) {
      const auto add = [](unsigned id, unsigned long long, unsigned long long to, unsigned, void* context) {
        auto& at = *static_cast<Place*>(context);
        at.hits.add(id, at.contig, to - 1);
        return 0;
      };
      if (hs_scan(database_, contig.data(), static_cast<unsigned>(contig.size()), 0, scratch_, add, &place) !=
          HS_SUCCESS) {
        throw std::runtime_error("hs_scan() failed");
      }
      ++place.contig;
    }
    return place.hits;
  }
  ~Hyperscan() {
    hs_free_scratch(scratch_);
    hs_free_database(database_);
  }

 private:
  hs_database_t* database_ = nullptr;
  hs_scratch_t* scratch_ = nullptr;
};

Hits search(const sequence::Reference& reference, const scan::LiteralSet& set) {
  Hits hits;
  std::vector<scan::Hit> some;
  std::uint64_t contig = 0;
  for (std::uint64_t at = 0; at < reference.size();) {
    some.clear();
    at = scan::literal_scan(reference, set, {.most_hits = std::size_t{1} << 16}, at, reference.size(), some);
    for (const scan::Hit& hit : some) {
      const auto& contigs = reference.contigs();
      if (hit.end < contigs[contig].offset || hit.end >= contigs[contig].offset + contigs[contig].length) {
        contig = reference.contig_at(hit.end);
      }
      hits.add(hit.id, contig, hit.end - contigs[contig].offset);
    }
  }
  return hits;
}

void run(const std::string& text, const std::string& pattern_file, int repeats, bool both) {
  const tbb::global_control one_core(tbb::global_control::max_allowed_parallelism, 1);
  std::vector<std::string> contigs;
  std::uint64_t bases = 0;
  sequence::ReferenceBuilder builder;
  SequenceReader reader(text);
  for (Sequence contig; reader.next(contig);) {
    contigs.push_back(sequence::upper_bases(contig.bases));
    bases += contig.bases.size();
    builder.begin_contig(contig.name);
    builder.append(contig.bases);
  }
  const sequence::Reference reference = std::move(builder).finish();
  sequence::PatternList patterns;
  io::read_patterns(pattern_file, scan::kMaxPatternLength, patterns);
  const scan::QueryList queries = scan::make_queries(patterns, {});
  std::vector<scan::Literal> literals;
  for (const scan::Query& query : queries) {
    if (!query.is_literal) {
      throw std::runtime_error("all patterns must be of A, C, G and T");
    }
    literals.push_back({static_cast<std::uint32_t>(literals.size()), query.bases});
  }
  const double trawl_prepare = median_ms(repeats, [&] { scan::LiteralSet{literals}; });
  const scan::LiteralSet set(literals);
  Hits hits;
  const double trawl = median_ms(repeats, [&] { hits = search(reference, set); });
  Hyperscan other;
  bool taken = false;
  const double other_prepare = ms_of([&] { taken = both && other.compile(queries); });
  Hits other_hits;
  const double other_ms = taken ? median_ms(repeats, [&] { other_hits = other.search(contigs); }) : 0;
  if (taken && !(hits == other_hits)) {
    throw std::runtime_error("Trawl found " + std::to_string(hits.count) + " hits, Hyperscan " +
                             std::to_string(other_hits.count) + ", or they differ");
  }
  std::cout << "patterns\tletters\tbases\thits\ttrawl_prepare_ms\ttrawl_ms\ths_prepare_ms\ths_ms\tratio\n"
            << patterns.size() << '\t' << patterns[0].bases.size() << '\t' << bases << '\t' << hits.count << '\t'
            << trawl_prepare << '\t' << trawl << '\t';
  if (taken) {
    std::cout << other_prepare << '\t' << other_ms << '\t' << other_ms / trawl << '\n';
  } else {
    std::cout << "-\t-\t-\n";
  }
}

}  // namespace

}  // namespace trawl::bench

int main(int argc, char** argv) {
  if (argc < 3 || argc > 5 || (argc == 5 && std::string(argv[4]) != "trawl")) {
    std::cerr << "usage: trawl-literal-sets GENOME.fa PATTERNS [REPEATS [trawl]]\n";
    return 2;
  }
  try {
    trawl::bench::run(argv[1], argv[2], argc > 3 ? std::max(1, std::atoi(argv[3])) : 3, argc < 5);
  } catch (const std::exception& e) {
    std::cerr << "trawl-literal-sets: " << e.what() << '\n';
    return 1;
  }
  return 0;
}
