#include "io/format/used_libraries.hpp"

#include <zlib.h>
#ifdef TRAWL_HAS_BZIP2
#include <bzlib.h>
#endif
#ifdef TRAWL_HAS_LZMA
#include <lzma.h>
#endif
#ifdef TRAWL_HAS_ZSTD
#include <zstd.h>
#endif
#ifdef TRAWL_HAS_BIGWIG
#include <bigWig.h>
#endif
#ifdef TRAWL_HAS_ISAL
#include <isa-l.h>
#endif
#ifdef TRAWL_HAS_LIBDEFLATE
#include <libdeflate.h>
#endif

namespace trawl::io {

std::vector<std::string> used_libraries() {
  std::vector<std::string> libraries;
#ifdef TRAWL_HAS_ISAL
  libraries.push_back("ISA-L " + std::to_string(ISAL_MAJOR_VERSION) + '.' + std::to_string(ISAL_MINOR_VERSION) + '.' +
                      std::to_string(ISAL_PATCH_VERSION));
#endif
#ifdef TRAWL_HAS_LIBDEFLATE
  libraries.emplace_back("libdeflate " LIBDEFLATE_VERSION_STRING);
#endif
  libraries.push_back(std::string("zlib ") + zlibVersion());
#ifdef TRAWL_HAS_BZIP2
  const std::string_view bzip2 = BZ2_bzlibVersion();  // "1.0.8, 13-Jul-2019"
  libraries.push_back("bzip2 " + std::string(bzip2.substr(0, bzip2.find(','))));
#endif
#ifdef TRAWL_HAS_LZMA
  libraries.push_back(std::string("xz ") + lzma_version_string());
#endif
#ifdef TRAWL_HAS_ZSTD
  libraries.push_back(std::string("zstd ") + ZSTD_versionString());
#endif
#ifdef TRAWL_HAS_BIGWIG
#define TRAWL_TEXT_OF(number) #number
#define TRAWL_VERSION_TEXT(number) TRAWL_TEXT_OF(number)
  libraries.emplace_back("libBigWig " TRAWL_VERSION_TEXT(LIBBIGWIG_VERSION));
#endif
  return libraries;
}

}  // namespace trawl::io
