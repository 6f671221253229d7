#include "cli/batch_sizer.hpp"

#include "tests/catch.hpp"

using trawl::cli::BatchSizer;

TEST_CASE("a batch has as many reads as the engine likes where they have few alignments") {
  BatchSizer sizer(8192, false);
  CHECK(sizer.max_alignments() == 128 * 8192);
  // Starts with few reads, before anything is known.
  CHECK(sizer.next() == 1024);
  sizer.saw(1024, 1024);
  CHECK(sizer.next() == 8192);
  sizer.saw(8192, 127 * 8192);
  CHECK(sizer.next() == 8192);
}

TEST_CASE("a batch has fewer reads where they have many alignments") {
  BatchSizer sizer(8192, false);
  sizer.saw(1000, 1024 * 1000);
  CHECK(sizer.next() * 1025 <= sizer.max_alignments());
  CHECK(sizer.next() > 1000);
  // Never zero reads.
  sizer.saw(1, std::size_t{1} << 40);
  CHECK(sizer.next() == 16);
  // One batch without any alignments does not make the next one large: earlier batches count as well.
  sizer.saw(100, 0);
  CHECK(sizer.next() == 16);
}

TEST_CASE("the batch seen last counts as it is, however many came before") {
  BatchSizer sizer(8192, false);
  for (int batch = 0; batch < 1000; ++batch) {
    sizer.saw(8192, 8192);
  }
  sizer.saw(8192, 8192 * std::size_t{2047});
  CHECK(sizer.next() == 512);
  sizer.saw(8192, 8192);
  CHECK(sizer.next() == 8192);
}

TEST_CASE("an empty batch says nothing") {
  BatchSizer sizer(8192, false);
  sizer.saw(0, 0);
  CHECK(sizer.next() == 1024);
}

TEST_CASE("a batch size that the user gave stays, and so does one that is very small") {
  BatchSizer fixed(8192, true);
  CHECK(fixed.next() == 8192);
  fixed.saw(10, 1000000);
  CHECK(fixed.next() == 8192);
  BatchSizer small(4, false);
  CHECK(small.next() == 4);
  small.saw(4, 1000000);
  CHECK(small.next() == 4);
}
