#include "io/read/letter_md5.hpp"

#include <htslib/hts.h>

#include <algorithm>
#include <array>
#include <new>

#include "io/read/fasta_reader.hpp"

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
    copy_letters(reference, begin + done, n, letters.data());
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

}  // namespace trawl::io
