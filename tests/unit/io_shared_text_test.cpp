// A file that several processes write has the bytes of one that is written by one process.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/write/held_text.hpp"
#include "io/write/shared_text.hpp"
#include "io/write/text_output.hpp"
#include "tests/catch.hpp"
#include "tests/random_cases.hpp"
#include "tests/unit/io_files.hpp"

using namespace trawl;

namespace {

// What another process has been told, and has not done yet.
struct Piece {
  io::TextTurn turn;
  std::unique_ptr<io::HeldText> text;
  io::PackedBlocks packed;
};

void check(std::optional<int> level, std::uint64_t seed) {
  CAPTURE(seed);
  tests::RandomCases random(seed);
  const test::TempDir dir;
  io::TextOutput expected(dir.path("one"), level);
  std::vector<Piece> pieces;
  const io::OutputFile* file = nullptr;
  std::size_t placed = 0;
  io::SharedText shared(dir.path("shared"), level, [&](std::uint64_t number, std::uint64_t place) {
    const Piece& piece = pieces.at(number);
    io::SharedTextWriter(*file, level).write(piece.packed, place);
    ++placed;
  });
  file = &shared.file();
  const auto steps = random.number(1, 12);
  for (std::size_t step = 0; step < steps; ++step) {
    const bool is_large = random.chance(0.5);
    const std::string text = random.bases(random.number(is_large ? io::kLeastTurn : 0, is_large ? 400'000 : 70'000));
    expected.write(text);
    if (text.size() < io::kLeastTurn) {
      shared.write(text);
      continue;
    }
    Piece& piece = pieces.emplace_back();
    piece.text = std::make_unique<io::HeldText>(random.number(0, 200'000));  // some of them wait in a file
    for (std::size_t at = 0; at < text.size(); at += 50'000) {
      piece.text->append(std::string_view(text).substr(at, 50'000));
    }
    REQUIRE(piece.text->size() == text.size());
    piece.turn = shared.next(pieces.size() - 1, text.size(), piece.text->last(io::kLeastTurn));
  }
  expected.close();
  // The others work in any order.
  std::vector<std::size_t> order;
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(random.number(0, order.size())), p);
  }
  const io::SharedTextWriter writer(shared.file(), level);
  for (const std::size_t p : order) {
    if (!level) {
      writer.write(pieces[p].turn, *pieces[p].text);
      continue;
    }
    pieces[p].packed = writer.pack(pieces[p].turn, *pieces[p].text);
    REQUIRE_FALSE(shared.is_settled());
    shared.add_packed(p, io::size_of(pieces[p].packed));
  }
  REQUIRE(shared.is_settled());
  REQUIRE(placed == (level ? pieces.size() : 0));
  shared.close();
  REQUIRE(test::file_content(dir.path("shared")) == test::file_content(dir.path("one")));
}

}  // namespace

TEST_CASE("a text that several processes write has the bytes of one process") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    check(std::nullopt, seed);
    check(1, seed);
  }
}
