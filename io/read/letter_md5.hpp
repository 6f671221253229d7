// The MD5 of letters in upper case (SAM: M5), as hexadecimal text.
//
//   with: const sequence::Reference reference = reference_of("acgt")
//   LetterMd5 md5;
//   md5.add(reference, reference.contigs()[0].offset, 4);
//   md5.finish() == "f1f8f4bf413b16ad135722aa4591043e"     // and begins anew
//   contig_md5s(reference)[0] == "f1f8f4bf413b16ad135722aa4591043e"
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

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

/// The MD5 of each contig (@SQ M5), computed by all threads.
std::vector<std::string> contig_md5s(const sequence::Reference& reference);

}  // namespace trawl::io
