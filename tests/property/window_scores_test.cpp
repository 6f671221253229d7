// Compares WindowScores, on every instruction set of this machine, with the recurrence computed plainly.
#include "rescue/window_scores.hpp"

#include <algorithm>
#include <tuple>

#include "tests/catch.hpp"
#include "tests/on_all_targets.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;
using rescue::WindowScores;

namespace {

using Sets = std::vector<std::uint8_t>;

// Score and bases of the best piece that ends with each cell, row by row; then of each text position the best one.
std::vector<rescue::LocalPiece> pieces_of(const Sets& read, const Sets& text) {
  struct Cell {
    int score = 0;
    int bases = 0;
  };
  std::vector<Cell> above(text.size() + 1), row(text.size() + 1);
  std::vector<rescue::LocalPiece> best(text.size());
  const auto better = [](const Cell& a, const Cell& b) {
    return std::tie(a.score, a.bases) < std::tie(b.score, b.bases) ? b : a;
  };
  const auto of = [](const Cell& before, int score, int bases) {
    return before.score + score < 0 ? Cell{} : Cell{before.score + score, before.bases + bases};
  };
  for (std::size_t i = 0; i < read.size(); ++i) {
    const int less = read[i] == WindowScores::kUnknown ? 2 : 0;
    row[0] = {};
    for (std::size_t j = 0; j < text.size(); ++j) {
      const std::uint8_t set = text[j] == 0 ? 0 : text[j] | WindowScores::kUnknown;
      const bool matches = (set & read[i]) != 0;
      row[j + 1] =
          better(of(above[j], (matches ? 1 : -4) - less, 1), better(of(row[j], -5, 0), of(above[j + 1], -4 - less, 1)));
      const Cell& cell = row[j + 1];
      if (std::tuple(cell.score, cell.bases) > std::tuple(best[j].score, static_cast<int>(best[j].bases))) {
        best[j] = {cell.score, static_cast<std::uint32_t>(cell.bases), static_cast<std::uint32_t>(i + 1)};
      }
    }
    std::swap(above, row);
  }
  return best;
}

// The best score with gaps as events.
rescue::BestScore best_of(const Sets& read, const Sets& text) {
  constexpr int kNever = -100000;
  const std::size_t n = text.size() + 1;
  std::vector<int> above(n), row(n), inserted(n, kNever), most(text.size());
  for (const std::uint8_t base : read) {
    int deleted = kNever;
    row[0] = 0;
    for (std::size_t j = 1; j < n; ++j) {
      const std::uint8_t set = text[j - 1] == 0 ? 0 : text[j - 1] | WindowScores::kUnknown;
      const int step = (set & base) == 0 ? -4 : base == WindowScores::kUnknown ? -1 : 1;
      deleted = std::max(row[j - 1] - 7, deleted - 1);
      inserted[j] = std::max(above[j] - 7, inserted[j] - 1);
      row[j] = std::max({0, above[j - 1] + step, deleted, inserted[j]});
      most[j - 1] = std::max(most[j - 1], row[j]);
    }
    std::swap(above, row);
  }
  const int score = *std::max_element(most.begin(), most.end());
  const auto is_best = [score](int other) { return other == score; };
  return {score, static_cast<std::size_t>(std::find_if(most.begin(), most.end(), is_best) - most.begin()),
          static_cast<std::size_t>(most.rend() - std::find_if(most.rbegin(), most.rend(), is_best)) - 1};
}

}  // namespace

TEST_CASE("the pieces of a read in a window are the best ones", "[clip]") {
  tests::RandomCases random(5101);
  WindowScores scores;
  std::size_t high = 0, with_unknown = 0;
  for (const std::size_t length : {1u, 20u, 90u, 150u, 254u, 255u, 256u, 257u, 300u}) {
    for (int n = 0; n < 12; ++n) {
      const std::string bases = random.bases(length + random.number(0, 200));
      const std::string part = random.mutate(bases.substr(0, length), random.number(0, length / 10));
      const auto set_of = [](char base) { return static_cast<std::uint8_t>(1u << std::string("ACGT").find(base)); };
      Sets read, text;
      for (const char base : part.substr(0, length)) {
        read.push_back(random.chance(0.02) ? WindowScores::kUnknown : set_of(base));
      }
      for (const char base : bases) {
        text.push_back(random.chance(0.01) ? 0 : set_of(base));
      }
      const auto expected = pieces_of(read, text);
      const auto expected_best = best_of(read, text);
      tests::on_all_targets([&] {
        INFO(length << " bases, case " << n);
        scores.find(read, text);
        const rescue::BestScore best = scores.find_best(read, text);
        REQUIRE(best.score == expected_best.score);
        REQUIRE(best.first == expected_best.first);
        REQUIRE(best.last == expected_best.last);
        for (std::size_t j = 0; j < text.size(); ++j) {
          const rescue::LocalPiece piece = scores.at(j);
          REQUIRE(piece.score == expected[j].score);
          REQUIRE(piece.bases == expected[j].bases);
          REQUIRE(piece.read_end == expected[j].read_end);
        }
      });
      high += best_of(read, text).score > 200;
      with_unknown += std::count(read.begin(), read.end(), WindowScores::kUnknown) > 0;
    }
  }
  CHECK(high > 10);
  CHECK(with_unknown > 50);
}
