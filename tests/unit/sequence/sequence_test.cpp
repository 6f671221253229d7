// The packed forms of sequences contain the same letters as the text.
#include <hwy/targets.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "sequence/alphabet.hpp"
#include "sequence/encoded_read.hpp"
#include "sequence/letter_masks.hpp"
#include "sequence/pattern.hpp"
#include "sequence/reference.hpp"
#include "sequence/text_window.hpp"
#include "tests/catch.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;

TEST_CASE("codes, sets and complements") {
  REQUIRE(sequence::base_code('g') == 2);
  REQUIRE(sequence::base_code('U') == sequence::base_code('t'));
  REQUIRE(sequence::base_code('N') == sequence::kAmbiguous);
  REQUIRE(sequence::iupac_set('R') == 0b0101);
  REQUIRE(sequence::iupac_set('-') == 0);
  REQUIRE(sequence::upper_bases("acgtuACGTUrykmbdhvnN-") == "ACGTTACGTTRYKMBDHVNNN");
  REQUIRE(sequence::reverse_complement("ACGTRYKMBDHVN") == "NBDHVKMRYACGT");
}

TEST_CASE("a reference gives back its letters, gaps keep contigs apart") {
  tests::RandomCases random(31);
  for (int n = 0; n < 50; ++n) {
    const auto contigs = random.contigs(0.02);
    const auto reference = tests::make_reference(contigs);
    CAPTURE(n);
    REQUIRE(reference.contigs().size() == contigs.size());
    REQUIRE(reference.size() % 64 == 0);
    std::uint64_t end = 0;
    for (std::size_t c = 0; c < contigs.size(); ++c) {
      const auto& contig = reference.contigs()[c];
      REQUIRE(contig.length == contigs[c].size());
      REQUIRE(contig.offset >= end + sequence::kContigGap);
      end = contig.offset + contig.length;
      for (std::size_t i = 0; i < contigs[c].size(); ++i) {
        REQUIRE(reference.letter(contig.offset + i) == contigs[c][i]);
        REQUIRE(reference.contig_at(contig.offset + i) == c);
      }
      REQUIRE(reference.letter(contig.offset - 1) == '\0');
      REQUIRE(reference.letter(end) == '\0');
    }
    REQUIRE(reference.size() >= end + sequence::kContigGap);
  }
}

TEST_CASE("what characters are, on each instruction set") {
  tests::RandomCases random(34);
  for (std::int64_t targets = hwy::SupportedTargets(); targets != 0; targets &= targets - 1) {
    hwy::SetSupportedTargetsForTest(targets & -targets);
    for (int n = 0; n < 20; ++n) {
      std::string text(64 * 5 + 1, 'A');
      for (std::size_t i = 0; i < text.size(); ++i) {
        text[i] = static_cast<char>(n < 2 ? i + 64 * 3 * static_cast<std::size_t>(n) : random.number(0, 255));
      }
      sequence::LetterMasks masks[5];
      sequence::find_letters(text.data() + 1, 5, masks);
      for (std::size_t i = 0; i < 64 * 5; ++i) {
        const char c = text[i + 1];
        const auto& m = masks[i / 64];
        const auto bit = [&](std::uint64_t mask) { return static_cast<unsigned>(mask >> (i % 64) & 1); };
        CAPTURE(targets & -targets, static_cast<int>(c));
        REQUIRE(bit(m.bases) == (sequence::base_code(c) != sequence::kAmbiguous));
        REQUIRE((bit(m.bases) == 0 || bit(m.high) * 2 + bit(m.low) == sequence::base_code(c)));
        REQUIRE(bit(m.n) == (c == 'N' || c == 'n'));
        REQUIRE(bit(m.line_ends) == (c == '\n'));
        REQUIRE(bit(m.headers) == (c == '>'));
      }
    }
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST_CASE("both strands of a read") {
  tests::RandomCases random(32);
  for (int n = 0; n < 300; ++n) {
    const std::string bases = random.contig(random.number(1, 300), random.chance(0.5) ? 0.03 : 0);
    const bool ambiguous_matches = random.chance(0.5);
    sequence::EncodedRead forward, reverse, expected;
    forward.encode(bases, ambiguous_matches);
    reverse.encode_reverse_complement(forward);
    expected.encode(sequence::reverse_complement(bases), ambiguous_matches);
    CAPTURE(n, bases);
    REQUIRE(reverse.codes == expected.codes);
    REQUIRE(reverse.high == expected.high);
    REQUIRE(reverse.low == expected.low);
    REQUIRE(reverse.sets == expected.sets);
    REQUIRE(reverse.ambiguous == expected.ambiguous);
  }
}

TEST_CASE("a window of text, also where it leaves the reference") {
  tests::RandomCases random(33);
  for (int n = 0; n < 300; ++n) {
    const auto contigs = random.contigs(0.03);
    const auto reference = tests::make_reference(contigs);
    const bool ambiguous_matches = random.chance(0.5);
    const std::int64_t begin = static_cast<std::int64_t>(random.number(0, reference.size() + 200)) - 100;
    const std::size_t length = random.number(1, 300);
    sequence::TextWindow window;
    window.load(reference, begin, length, ambiguous_matches);
    CAPTURE(n, begin, length, ambiguous_matches);
    for (std::size_t i = 0; i < length; ++i) {
      const std::int64_t at = begin + static_cast<std::int64_t>(i);
      const bool inside = at >= 0 && at < static_cast<std::int64_t>(reference.size());
      const char letter = inside ? reference.letter(static_cast<std::uint64_t>(at)) : '\0';
      const bool clear = letter != '\0' && sequence::base_code(letter) != sequence::kAmbiguous;
      const unsigned expected = clear || ambiguous_matches ? sequence::iupac_set(letter) : 0;
      for (unsigned code = 0; code < 4; ++code) {
        REQUIRE((window.bits(code, i) & 1) == ((expected >> code) & 1));
      }
    }
    if (sequence::is_clear(reference, begin, length)) {
      for (std::size_t i = 0; i < length; ++i) {
        REQUIRE(sequence::base_code(reference.letter(static_cast<std::uint64_t>(begin) + i)) != sequence::kAmbiguous);
      }
    }
  }
}

TEST_CASE("threads may add patterns to copies of one list") {
  const sequence::PatternList given{{"first", "GATTACA"}};
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < 2000; ++round) {
        sequence::PatternList own = given;
        const std::string name = std::to_string(t) + "_" + std::to_string(round);
        for (int k = 0; k < 10; ++k) {
          own.add(name, std::string(20, "ACGT"[t]));
        }
        const sequence::PatternList copy = own;
        own.add("last", "T");
        for (std::size_t i = 1; i <= 10; ++i) {
          wrong += own[i].name != name || copy[i].bases != std::string(20, "ACGT"[t]) ? 1 : 0;
        }
        wrong += copy.size() != 11 || copy[0].bases != "GATTACA" || own[11].name != "last" ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  CHECK(wrong == 0);
  CHECK(given.size() == 1);
}
