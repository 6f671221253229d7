// The SAM tags that comments of reads bring.
#include <string>

#include "align/sam_fields.hpp"
#include "io/read/comment_tags.hpp"
#include "tests/catch.hpp"

using namespace trawl;

namespace {

// The tags that are kept, or "wrong: " and the first wrong field.
std::string kept(std::string comment, const io::CommentRule& rule = {}) {
  const io::CommentTags tags = io::keep_tags(comment.data(), comment.size(), rule);
  return tags.wrong.empty() ? std::string(tags.text) : "wrong: " + std::string(tags.wrong);
}

}  // namespace

TEST_CASE("comment tags: all types of SAM") {
  for (const char* good : {"",
                           "BC:Z:ACGT",
                           "BC:Z:",
                           "BC:Z:two words, ok",
                           "XA:A:x",
                           "XI:i:0",
                           "XI:i:-2147483648",
                           "XI:i:4294967295",
                           "XI:i:+5",
                           "XF:f:1",
                           "XF:f:-1.5e-3",
                           "XF:f:.5",
                           "XH:H:1AFF",
                           "XH:H:",
                           "XB:B:c,-128,127",
                           "XB:B:C,0,255",
                           "XB:B:s,-32768",
                           "XB:B:S,65535",
                           "XB:B:i,-2147483648",
                           "XB:B:I,4294967295",
                           "XB:B:f,1.5,-2,3e4",
                           "BC:Z:A\tRX:Z:B\tXI:i:3"}) {
    CHECK(kept(good) == good);
  }
}

TEST_CASE("comment tags: what is no tag") {
  for (const char* bad : {"length=100",      "samples/3",        "BC:Z",        "BC:",        "B:Z:A",
                          "1C:Z:A",          "B_:Z:A",           "BC:Q:A",      "BC Z:A",     "XA:A:",
                          "XA:A:xy",         "XA:A: ",           "XI:i:",       "XI:i:x",     "XI:i:1.5",
                          "XI:i:4294967296", "XI:i:-2147483649", "XI:i:+-5",    "XF:f:",      "XF:f:x",
                          "XF:f:inf",        "XF:f:nan",         "XF:f:1.5x",   "XH:H:1",     "XH:H:1a",
                          "XB:B:",           "XB:B:c",           "XB:B:c,",     "XB:B:c,128", "XB:B:C,-1",
                          "XB:B:C,256",      "XB:B:x,1",         "XB:B:f,1,,2", "XB:B:c,1,",  "BC:Z:\xc3\xa4"}) {
    CHECK(kept(bad) == "wrong: " + std::string(bad));
  }
  CHECK(kept("BC:Z:A\tfish\tRX:Z:B") == "wrong: fish");
  CHECK(kept("BC:Z:A\tRX:Z:B\tBC:Z:C") == "wrong: BC:Z:C");
}

TEST_CASE("comment tags: left out are Illumina's mark and what the records have anyway") {
  CHECK(kept("1:N:0:ACGT") == "");
  CHECK(kept("2:Y:18:ACGT+TTGA BC:Z:ACGT") == "BC:Z:ACGT");
  CHECK(kept("1:N:0:ACGT\tBC:Z:ACGT") == "BC:Z:ACGT");
  CHECK(kept("1:N:0:") == "");
  CHECK(kept("3:N:0:ACGT") == "wrong: 3:N:0:ACGT");
  CHECK(kept("NM:i:3\tBC:Z:A\tMD:Z:100\tRX:Z:B\tAS:i:-3") == "BC:Z:A\tRX:Z:B");
  for (const std::string_view tag : align::kWrittenTags) {
    CHECK(kept(std::string(tag) + ":Z:x") == "");
  }
  CHECK(kept("RG:Z:lane1\tBC:Z:A") == "RG:Z:lane1\tBC:Z:A");
  CHECK(kept("RG:Z:lane1\tBC:Z:A", {.read_group = true}) == "BC:Z:A");
  CHECK(kept("BC:Z:A\t\tRX:Z:B\t") == "BC:Z:A\tRX:Z:B");
}
