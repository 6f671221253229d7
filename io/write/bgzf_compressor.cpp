#include "io/write/bgzf_compressor.hpp"

#include <cstdint>
#include <cstring>
#include <new>
#include <vector>

#ifdef TRAWL_HAS_ISAL
#include <isa-l.h>
#endif
#ifdef TRAWL_HAS_LIBDEFLATE
#include <libdeflate.h>
#endif
#if !defined(TRAWL_HAS_LIBDEFLATE)
#include <zlib.h>
#endif

#include "io/format/gzip_format.hpp"

namespace trawl::io {

class Deflater {
 public:
  virtual ~Deflater() = default;
  // The size of what was written; 0 if there is not enough room.
  virtual std::size_t deflate(std::string_view text, char* to, std::size_t room) = 0;
};

namespace {

// The bytes of BAM and the speed on one core (Xeon of 2.1 GHz), for 60 MB of records of `best` | of `all`; level 6 of
// libdeflate, which samtools uses, gives 28.07 | 10.31 MB at 91 | 244 MB/s.
//   ISA-L       3   29.11 | 11.23 MB   397 |  478 MB/s
//   libdeflate  1   28.74 | 11.18      210 |  518
//               4   28.74 | 10.63      128 |  331
//               9   27.96 | 10.08       57 |   50
//              12   27.09 |  9.86       14 |    8
//   zlib        1   30.19 | 11.55      103 |  275
//               2   29.92 | 11.21       92 |  260
//               6   28.35 | 10.31       34 |  105
// ISA-L's levels 1 and 2 are faster (538 | 1081 MB/s), but more than 10% larger than samtools for `all`. And what they
// write depends on addresses: about 1 of 500 small texts gives other bytes with another isal_zstream (version 2.30).
#ifdef TRAWL_HAS_ISAL

class IsalDeflater : public Deflater {
 public:
  IsalDeflater() : buffer_(ISAL_DEF_LVL3_DEFAULT) {}

  std::size_t deflate(std::string_view text, char* to, std::size_t room) override {
    isal_deflate_stateless_init(&stream_);
    stream_.level = 3;
    stream_.level_buf = buffer_.data();
    stream_.level_buf_size = static_cast<std::uint32_t>(buffer_.size());
    stream_.end_of_stream = 1;
    stream_.flush = NO_FLUSH;
    stream_.next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
    stream_.avail_in = static_cast<std::uint32_t>(text.size());
    stream_.next_out = reinterpret_cast<std::uint8_t*>(to);
    stream_.avail_out = static_cast<std::uint32_t>(room);
    return isal_deflate_stateless(&stream_) == COMP_OK ? stream_.total_out : 0;
  }

 private:
  std::vector<std::uint8_t> buffer_;
  isal_zstream stream_{};  // isal_deflate_stateless_init() leaves hist_bits as it is
};

#endif

#ifdef TRAWL_HAS_LIBDEFLATE

class LibdeflateDeflater : public Deflater {
 public:
  explicit LibdeflateDeflater(int level)
      : compressor_(libdeflate_alloc_compressor(level == kMostCompression ? kSmallest : level)) {
    if (compressor_ == nullptr) {
      throw std::bad_alloc();
    }
  }
  ~LibdeflateDeflater() override { libdeflate_free_compressor(compressor_); }
  LibdeflateDeflater(const LibdeflateDeflater&) = delete;
  LibdeflateDeflater& operator=(const LibdeflateDeflater&) = delete;

  std::size_t deflate(std::string_view text, char* to, std::size_t room) override {
    return libdeflate_deflate_compress(compressor_, text.data(), text.size(), to, room);
  }

 private:
  static constexpr int kSmallest = 12;

  libdeflate_compressor* compressor_;
};
using OtherDeflater = LibdeflateDeflater;

#else

class ZlibDeflater : public Deflater {
 public:
  explicit ZlibDeflater(int level) {
    constexpr int raw_deflate = -15;
    constexpr int usual_memory = 8;
    if (deflateInit2(&stream_, level, Z_DEFLATED, raw_deflate, usual_memory, Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~ZlibDeflater() override { deflateEnd(&stream_); }
  ZlibDeflater(const ZlibDeflater&) = delete;
  ZlibDeflater& operator=(const ZlibDeflater&) = delete;

  std::size_t deflate(std::string_view text, char* to, std::size_t room) override {
    deflateReset(&stream_);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream_.avail_in = static_cast<uInt>(text.size());
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(room);
    return ::deflate(&stream_, Z_FINISH) == Z_STREAM_END ? stream_.total_out : 0;
  }

 private:
  z_stream stream_{};
};
using OtherDeflater = ZlibDeflater;

#endif

std::unique_ptr<Deflater> make_deflater(int level) {
  if (level == 0) {
    return nullptr;
  }
#ifdef TRAWL_HAS_ISAL
  if (level == 1) {
    return std::make_unique<IsalDeflater>();
  }
#endif
  return std::make_unique<OtherDeflater>(level);
}

// The member's head, up to its own size, which follows: gzip, deflate, an extra field of 6 bytes with the name BC.
constexpr std::string_view kHead = kBgzfEnd.substr(0, 16);
static_assert(kHead.size() + 2 == kBgzfHead);
constexpr std::size_t kStoredHead = 5;

char* store(std::string_view text, char* to) {
  *to++ = 1;  // the last part, stored
  to = put_little_endian(to, static_cast<std::uint32_t>(text.size()), 2);
  to = put_little_endian(to, ~static_cast<std::uint32_t>(text.size()), 2);
  std::memcpy(to, text.data(), text.size());
  return to + text.size();
}

}  // namespace

int default_compression_level() {
#if defined(TRAWL_HAS_ISAL) || defined(TRAWL_HAS_LIBDEFLATE)
  return 1;
#else
  return 2;
#endif
}

BgzfCompressor::BgzfCompressor(int level) : deflater_(make_deflater(level)) {}
BgzfCompressor::~BgzfCompressor() = default;
BgzfCompressor::BgzfCompressor(BgzfCompressor&&) noexcept = default;

std::size_t BgzfCompressor::compress(std::string_view text, char* to) {
  std::memcpy(to, kHead.data(), kHead.size());
  char* const body = to + kBgzfHead;
  const std::size_t size = deflater_ ? deflater_->deflate(text, body, kBgzfBlock - kBgzfHead - kGzipSums) : 0;
  char* end = size > 0 && size <= text.size() + kStoredHead ? body + size : store(text, body);
  end = put_little_endian(end, crc32_of(text.data(), text.size()), 4);
  end = put_little_endian(end, static_cast<std::uint32_t>(text.size()), 4);
  const auto whole = static_cast<std::size_t>(end - to);
  put_little_endian(to + kHead.size(), static_cast<std::uint32_t>(whole - 1), 2);
  return whole;
}

}  // namespace trawl::io
