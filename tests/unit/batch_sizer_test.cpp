#include "run/batch_source.hpp"
#include "tests/catch.hpp"

using trawl::run::BatchSizer;

TEST_CASE("a batch has as many reads as the engine likes where they have few alignments") {
  BatchSizer sizer({.reads = 8192});
  CHECK(sizer.max_alignments() == 8 * 8192);
  // Starts with few reads, before anything is known.
  CHECK(sizer.next() == 1024);
  sizer.saw(1024, 1024);
  CHECK(sizer.next() == 8192);
  sizer.saw(8192, 7 * 8192);
  CHECK(sizer.next() == 8192);
}

TEST_CASE("a batch has fewer reads where they have many alignments") {
  BatchSizer sizer({.reads = 8192});
  sizer.saw(1000, 64 * 1000);
  CHECK(sizer.next() * 65 <= sizer.max_alignments());
  CHECK(sizer.next() > 1000);
  // Never zero reads.
  sizer.saw(1, std::size_t{1} << 40);
  CHECK(sizer.next() == 16);
  // One batch without any alignments does not make the next one large: earlier batches count as well.
  sizer.saw(100, 0);
  CHECK(sizer.next() == 16);
}

TEST_CASE("the batch seen last counts as it is, however many came before") {
  BatchSizer sizer({.reads = 8192});
  for (int batch = 0; batch < 1000; ++batch) {
    sizer.saw(8192, 8192);
  }
  sizer.saw(8192, 8192 * std::size_t{1023});
  CHECK(sizer.next() == 64);
  sizer.saw(8192, 8192);
  CHECK(sizer.next() == 8192);
}

TEST_CASE("an empty batch says nothing") {
  BatchSizer sizer({.reads = 8192});
  sizer.saw(0, 0);
  CHECK(sizer.next() == 1024);
}

TEST_CASE("a batch size that the user gave stays, and so does one that is very small") {
  BatchSizer fixed({.reads = 8192, .fixed = true});
  CHECK(fixed.next() == 8192);
  fixed.saw(10, 1000000);
  CHECK(fixed.next() == 8192);
  BatchSizer small({.reads = 4});
  CHECK(small.next() == 4);
  small.saw(4, 1000000);
  CHECK(small.next() == 4);
}

TEST_CASE("with pairs of loci, it begins with one pair and grows with what it has seen") {
  BatchSizer sizer({.reads = 8192, .pairs_of_loci = true});
  CHECK(sizer.next() == 2);
  sizer.saw(2, 4);
  CHECK(sizer.next() == 32);
  sizer.saw(2, 4);
  CHECK(sizer.next() == 64);
  sizer.saw(64, 128);
  CHECK(sizer.next() == 16 * 68);
  sizer.saw(1088, 2000);
  CHECK(sizer.next() == 8192);
  // A pair of two repeats with 1,500 copies each.
  sizer.saw(8192, std::size_t{8192} * 2'250'000);
  CHECK(sizer.next() == 2);
}
