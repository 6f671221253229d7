#include "io/read/letter_md5.hpp"

#include <htslib/hts.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <new>

#include "sequence/copy_letters.hpp"

namespace trawl::io {

LetterMd5::LetterMd5() : context_(hts_md5_init(), hts_md5_destroy) {
  if (!context_) {
    throw std::bad_alloc();
  }
}

void LetterMd5::add(const sequence::Reference& reference, std::uint64_t begin, std::uint64_t length) {
  std::array<char, 16384> letters;
  for (std::uint64_t done = 0; done < length; done += letters.size()) {
    const std::size_t n = std::min<std::uint64_t>(letters.size(), length - done);
    sequence::copy_letters(reference, begin + done, n, letters.data());
    hts_md5_update(context_.get(), letters.data(), n);
  }
}

std::string LetterMd5::finish() {
  std::array<unsigned char, 16> digest{};
  hts_md5_final(digest.data(), context_.get());
  hts_md5_reset(context_.get());
  std::array<char, 33> text{};
  hts_md5_hex(text.data(), digest.data());
  return text.data();
}

std::vector<std::string> contig_md5s(const sequence::Reference& reference) {
  const auto& contigs = reference.contigs();
  std::vector<std::string> md5s(contigs.size());
  tbb::parallel_for(std::size_t{0}, contigs.size(), [&](std::size_t c) {
    LetterMd5 md5;
    md5.add(reference, contigs[c].offset, contigs[c].length);
    md5s[c] = md5.finish();
  });
  return md5s;
}

}  // namespace trawl::io
