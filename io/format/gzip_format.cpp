#include "io/format/gzip_format.hpp"

#include <zlib.h>
#if defined(TRAWL_HAS_ISAL)
#include <isa-l.h>
#elif defined(TRAWL_HAS_LIBDEFLATE)
#include <libdeflate.h>
#endif

namespace trawl::io {

std::uint32_t crc32_of(const void* bytes, std::size_t size, std::uint32_t before) {
#if defined(TRAWL_HAS_ISAL)
  return crc32_gzip_refl(before, static_cast<const unsigned char*>(bytes), size);
#elif defined(TRAWL_HAS_LIBDEFLATE)
  return size > 0 ? libdeflate_crc32(before, bytes, size) : before;  // of a null pointer it would be 0
#else
  return size > 0 ? static_cast<std::uint32_t>(::crc32_z(before, static_cast<const Bytef*>(bytes), size)) : before;
#endif
}

std::uint32_t joined_crc32(std::uint32_t first, std::uint32_t second, std::uint64_t second_size) {
  return static_cast<std::uint32_t>(::crc32_combine(first, second, static_cast<z_off_t>(second_size)));
}

}  // namespace trawl::io
