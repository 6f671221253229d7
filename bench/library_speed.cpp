// The library beside edlib (Debian: libedlib-dev), on one core, on random letters with planted places:
//   trawl-library-speed [LENGTH...]      letters of the texts; by default 100000 and 10000000
// Both find where a pattern of 100 letters ends with the fewest edits. The results are compared before a time is
// printed. Then the time of one call on a short string.
#include <edlib.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "trawl/trawl.hpp"

namespace {

// The fewest nanoseconds of a call, over samples of 0.1 ms or a call: other programs disturb only some of them.
double nanoseconds(const std::function<void()>& call) {
  using Clock = std::chrono::steady_clock;
  double best = 1e300;
  std::size_t calls = 1;
  for (double spent = 0; spent < 3e8;) {
    const auto begin = Clock::now();
    for (std::size_t i = 0; i < calls; ++i) {
      call();
    }
    const double ns = std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
    best = std::min(best, ns / static_cast<double>(calls));
    spent += ns;
    calls = ns < 1e5 ? 2 * calls : calls;
  }
  return best;
}

std::string random_letters(std::mt19937_64& random, std::size_t length) {
  std::string text(length, 'A');
  for (char& letter : text) {
    letter = "ACGT"[random() % 4];
  }
  return text;
}

// The pattern with some letters changed, left out and added.
std::string changed(std::mt19937_64& random, std::string pattern, int edits) {
  for (int e = 0; e < edits; ++e) {
    const std::size_t at = random() % pattern.size();
    switch (random() % 3) {
      case 0:
        pattern.insert(at, 1, "ACGT"[random() % 4]);
        break;
      case 1:
        pattern.erase(at, 1);
        break;
      default:
        pattern[at] = "ACGT"[random() % 4];
    }
  }
  return pattern;
}

[[noreturn]] void differ(const char* what, long long mine, long long edlib) {
  std::fprintf(stderr, "%s differ: trawl %lld, edlib %lld\n", what, mine, edlib);
  std::exit(1);
}

// The ends of the best distance, as edlib counts them: the last letter.
struct Best {
  int distance = -1;
  std::vector<long long> ends;
};

Best best_of(const trawl::Hits& hits) {
  Best best;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    if (best.distance < 0 || hits.distance[i] < best.distance) {
      best = {hits.distance[i], {}};
    }
    if (hits.distance[i] == best.distance) {
      best.ends.push_back(hits.end[i] - 1);
    }
  }
  std::sort(best.ends.begin(), best.ends.end());
  return best;
}

Best best_of(const EdlibAlignResult& result) {
  return {result.editDistance,
          {result.endLocations, result.endLocations + (result.editDistance < 0 ? 0 : result.numLocations)}};
}

void compare(std::size_t length, int edits) {
  std::mt19937_64 random(29);
  const std::string pattern = random_letters(random, 100);
  std::string text = random_letters(random, length);
  for (int copies = 0; copies < 5; ++copies) {
    const std::string copy = changed(random, pattern, edits - 1);
    text.replace(random() % (length - 300), copy.size(), copy);
  }
  const trawl::Options one_strand{{"edits", edits}, {"strand", "+"}, {"threads", 1}, {"device", "cpu"}};
  trawl::Options with_ends = one_strand;
  with_ends.emplace_back("report", "ends");
  const auto edlib = [&](int most) {
    return edlibAlign(pattern.data(), static_cast<int>(pattern.size()), text.data(), static_cast<int>(text.size()),
                      edlibNewAlignConfig(most, EDLIB_MODE_HW, EDLIB_TASK_DISTANCE, nullptr, 0));
  };
  const Best mine = best_of(trawl::Scanner({pattern}, with_ends).scan(text));
  EdlibAlignResult result = edlib(edits);
  const Best theirs = best_of(result);
  edlibFreeAlignResult(result);
  if (mine.distance != theirs.distance) {
    differ("distances", mine.distance, theirs.distance);
  }
  if (mine.ends != theirs.ends) {
    differ("ends", static_cast<long long>(mine.ends.size()), static_cast<long long>(theirs.ends.size()));
  }
  const long long infix = trawl::distance(pattern, text, trawl::Mode::infix);
  if (infix != theirs.distance) {
    differ("distances of two strings", infix, theirs.distance);
  }
  const trawl::Scanner scanner({pattern}, one_strand);
  const double of_scanner = nanoseconds([&] { (void)scanner.scan(text); });
  const double of_edlib = nanoseconds([&] {
    EdlibAlignResult found = edlib(edits);
    edlibFreeAlignResult(found);
  });
  const double of_free_edlib = nanoseconds([&] {
    EdlibAlignResult found = edlib(-1);
    edlibFreeAlignResult(found);
  });
  const double of_distance = nanoseconds([&] { (void)trawl::distance(pattern, text, trawl::Mode::infix); });
  std::printf("%zu\t%d\t%.3f\t%.3f\t%.1f\t%.3f\t%.3f\t%.1f\n", length, edits, of_scanner / 1e6, of_edlib / 1e6,
              of_edlib / of_scanner, of_distance / 1e6, of_free_edlib / 1e6, of_free_edlib / of_distance);
}

void short_calls() {
  std::mt19937_64 random(7);
  const std::string read = random_letters(random, 100), pattern = random_letters(random, 20);
  std::string with_hit = read;
  with_hit.replace(40, 20, pattern);
  with_hit[47] = with_hit[47] == 'A' ? 'C' : 'A';
  const std::string other = changed(random, read, 4);
  const trawl::Scanner scanner({pattern}, {{"edits", 2}, {"threads", 1}});
  trawl::Hits hits;
  std::printf("\nnanoseconds of a call\n");
  std::printf("%.0f\tdistance, global, 20 and 20\n",
              nanoseconds([&] { (void)trawl::distance(pattern, with_hit.substr(40, 20)); }));
  std::printf("%.0f\tdistance, global, 100 and 100\n", nanoseconds([&] { (void)trawl::distance(read, other); }));
  std::printf("%.0f\tdistance, infix, 20 in 100\n",
              nanoseconds([&] { (void)trawl::distance(pattern, read, trawl::Mode::infix); }));
  std::printf("%.0f\talign, infix, 20 in 100\n",
              nanoseconds([&] { (void)trawl::align(pattern, with_hit, trawl::Mode::infix); }));
  std::printf("%.0f\tScanner, both strands, 20 in 100, no hit\n", nanoseconds([&] { scanner.scan(read, hits); }));
  if (hits.size() != 0) {
    differ("hits", static_cast<long long>(hits.size()), 0);
  }
  std::printf("%.0f\tScanner, both strands, 20 in 100, a hit with an edit\n",
              nanoseconds([&] { scanner.scan(with_hit, hits); }));
  if (hits.size() != 1 || hits.distance[0] != 1) {
    differ("hits", static_cast<long long>(hits.size()), 1);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::size_t> lengths{100'000, 10'000'000};
  if (argc > 1) {
    lengths.clear();
    std::transform(argv + 1, argv + argc, std::back_inserter(lengths),
                   [](const char* text) { return std::strtoull(text, nullptr, 10); });
  }
  std::printf("letters\tedits\tScanner ms\tedlib ms (k)\tratio\tdistance ms\tedlib ms (no k)\tratio\n");
  for (const std::size_t length : lengths) {
    for (const int edits : {2, 5, 10}) {
      compare(length, edits);
    }
  }
  short_calls();
  return 0;
}
