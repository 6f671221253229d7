// The MD5 of letters in upper case (SAM: M5), as hexadecimal text.
//
//   LetterMd5 md5;
//   md5.add(reference, contig.offset, contig.length);
//   md5.finish() == "cc0af3a4fedb18378b4b57b98068e69f"     // and begins anew
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sequence/reference.hpp"

struct hts_md5_context;

namespace trawl::io {

class LetterMd5 {
 public:
  /// Throws std::bad_alloc.
  LetterMd5();

  /// Adds the letters [begin, begin + length) of the coordinate space. They must lie in one contig.
  void add(const sequence::Reference& reference, std::uint64_t begin, std::uint64_t length);
  std::string finish();

 private:
  std::unique_ptr<hts_md5_context, void (*)(hts_md5_context*)> context_;
};

}  // namespace trawl::io
