#include "io/in/fasta_reader.hpp"

#include <htslib/hts.h>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "io/in/fasta_parser.hpp"
#include "sequence/alphabet.hpp"

namespace trawl::io {
namespace {

class ReferenceHandler final : public FastaHandler {
 public:
  void begin_contig(const std::string& name) override { builder_.begin_contig(name); }
  void append(std::string_view letters) override { builder_.append(letters); }
  sequence::Reference finish() { return std::move(builder_).finish(); }

 private:
  sequence::ReferenceBuilder builder_;
};

// Byte i of the result is bit i of `bits`, as 0 or 1.
std::uint64_t spread_bits(std::uint64_t bits) {
  const std::uint64_t picked = ((bits & 0xff) * 0x0101010101010101) & 0x8040201008040201;
  return ((picked + 0x7f7f7f7f7f7f7f7f) >> 7) & 0x0101010101010101;
}

// The letters of 64 positions. At ambiguous positions they have no meaning.
void write_block(const sequence::PlaneBlock& block, char* to) {
  for (int i = 0; i < 8; ++i) {
    const std::uint64_t high = spread_bits(block.high >> (8 * i));
    const std::uint64_t low = spread_bits(block.low >> (8 * i));
    // 'A' = 0x41, 'C' = 'A' + 2, 'G' = 'A' + 6, 'T' = 'A' + 2 + 6 + 11
    std::uint64_t letters = 0x4141414141414141 + 2 * low + 6 * high + 11 * (high & low);
    if constexpr (std::endian::native == std::endian::big) {
      letters = __builtin_bswap64(letters);
    }
    std::memcpy(to + 8 * i, &letters, 8);
  }
}

struct Md5Deleter {
  void operator()(hts_md5_context* context) const { hts_md5_destroy(context); }
};

std::string contig_md5(const sequence::Reference& reference, const sequence::Contig& contig) {
  const std::unique_ptr<hts_md5_context, Md5Deleter> context(hts_md5_init());
  if (!context) {
    throw std::bad_alloc();
  }
  std::array<char, 16384> letters;
  for (std::uint64_t done = 0; done < contig.length; done += letters.size()) {
    const std::size_t n = std::min<std::uint64_t>(letters.size(), contig.length - done);
    copy_letters(reference, contig.offset + done, n, letters.data());
    hts_md5_update(context.get(), letters.data(), n);
  }
  std::array<unsigned char, 16> digest{};
  hts_md5_final(digest.data(), context.get());
  std::array<char, 33> text{};
  hts_md5_hex(text.data(), digest.data());
  return text.data();
}

}  // namespace

sequence::Reference read_reference(const std::string& path, std::vector<std::string>* warnings) {
  FastaParser parser(path);
  ReferenceHandler handler;
  while (parser.step(handler)) {
  }
  if (warnings != nullptr && !parser.warning().empty()) {
    warnings->push_back(parser.warning());
  }
  return handler.finish();
}

void copy_letters(const sequence::Reference& reference, std::uint64_t begin, std::size_t length, char* to) {
  const std::uint64_t end = begin + length;
  std::array<char, 64> edge;
  for (std::uint64_t at = begin; at < end;) {
    const std::size_t skip = at % 64;
    const std::size_t n = std::min<std::uint64_t>(64 - skip, end - at);
    char* out = to + (at - begin);
    if (n == 64) {
      write_block(reference.planes()[at / 64], out);
    } else {
      write_block(reference.planes()[at / 64], edge.data());
      std::memcpy(out, edge.data() + skip, n);
    }
    at += n;
  }
  const auto& runs = reference.ambiguous_runs();
  auto run = std::partition_point(runs.begin(), runs.end(),
                                  [begin](const sequence::AmbiguousRun& r) { return r.begin + r.length <= begin; });
  for (; run != runs.end() && run->begin < end; ++run) {
    const std::uint64_t from = std::max(run->begin, begin);
    const std::uint64_t until = std::min(run->begin + run->length, end);
    std::memset(to + (from - begin), run->letter, until - from);
  }
}

std::vector<std::string> contig_md5s(const sequence::Reference& reference) {
  const auto& contigs = reference.contigs();
  std::vector<std::string> md5s(contigs.size());
  tbb::parallel_for(std::size_t{0}, contigs.size(),
                    [&](std::size_t i) { md5s[i] = contig_md5(reference, contigs[i]); });
  return md5s;
}

}  // namespace trawl::io
