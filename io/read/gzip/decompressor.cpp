#include "io/read/gzip/decompressor.hpp"

#include <algorithm>
#include <new>
#include <string>
#include <utility>
#include <vector>
#ifdef TRAWL_HAS_BZIP2
#include <bzlib.h>
#endif
#ifdef TRAWL_HAS_LZMA
#include <lzma.h>
#endif
#ifdef TRAWL_HAS_ZSTD
#include <zstd.h>
#endif

#include "base/error.hpp"

namespace trawl::io {
namespace {

// One call takes at most this much, so that sizes fit into 32 bits.
[[maybe_unused]] std::size_t piece(const char* begin, const char* end) {
  return std::min(static_cast<std::size_t>(end - begin), std::size_t{1} << 30);
}

#ifdef TRAWL_HAS_BZIP2
class Bzip2Decompressor final : public Decompressor {
 public:
  Bzip2Decompressor() { begin(); }
  ~Bzip2Decompressor() override { BZ2_bzDecompressEnd(&stream_); }
  Bzip2Decompressor(const Bzip2Decompressor&) = delete;
  Bzip2Decompressor& operator=(const Bzip2Decompressor&) = delete;

  std::string_view format() const override { return "bzip2"; }
  bool is_complete() const override { return is_complete_; }
  bool run(const char*& in, const char* in_end, bool, char*& out, char* out_end) override {
    if (std::exchange(is_complete_, false)) {
      BZ2_bzDecompressEnd(&stream_);
      begin();
    }
    stream_.next_in = const_cast<char*>(in);
    stream_.avail_in = static_cast<unsigned>(piece(in, in_end));
    stream_.next_out = out;
    stream_.avail_out = static_cast<unsigned>(piece(out, out_end));
    const int status = BZ2_bzDecompress(&stream_);
    in = stream_.next_in;
    out = stream_.next_out;
    is_complete_ = status == BZ_STREAM_END;
    return is_complete_ || status == BZ_OK;
  }

 private:
  void begin() {
    stream_ = {};
    if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) {
      throw std::bad_alloc();
    }
  }

  bz_stream stream_;
  bool is_complete_ = false;
};
#endif

#ifdef TRAWL_HAS_LZMA
class XzDecompressor final : public Decompressor {
 public:
  XzDecompressor() {
    if (lzma_stream_decoder(&stream_, ~std::uint64_t{0}, LZMA_CONCATENATED) != LZMA_OK) {
      throw std::bad_alloc();
    }
  }
  ~XzDecompressor() override { lzma_end(&stream_); }
  XzDecompressor(const XzDecompressor&) = delete;
  XzDecompressor& operator=(const XzDecompressor&) = delete;

  std::string_view format() const override { return "xz"; }
  bool is_complete() const override { return is_complete_; }
  bool run(const char*& in, const char* in_end, bool is_all, char*& out, char* out_end) override {
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(in);
    stream_.avail_in = static_cast<std::size_t>(in_end - in);
    stream_.next_out = reinterpret_cast<std::uint8_t*>(out);
    stream_.avail_out = static_cast<std::size_t>(out_end - out);
    const lzma_ret status = lzma_code(&stream_, is_all ? LZMA_FINISH : LZMA_RUN);
    in = reinterpret_cast<const char*>(stream_.next_in);
    out = reinterpret_cast<char*>(stream_.next_out);
    is_complete_ = status == LZMA_STREAM_END;
    return is_complete_ || status == LZMA_OK || status == LZMA_BUF_ERROR;  // the last one: no more input
  }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool is_complete_ = false;
};
#endif

#ifdef TRAWL_HAS_ZSTD
class ZstdDecompressor final : public Decompressor {
 public:
  ZstdDecompressor() : stream_(ZSTD_createDStream()) {
    if (stream_ == nullptr) {
      throw std::bad_alloc();
    }
    ZSTD_DCtx_setParameter(stream_, ZSTD_d_windowLogMax, sizeof(void*) == 8 ? 31 : 30);  // zstd --long=31
  }
  ~ZstdDecompressor() override { ZSTD_freeDStream(stream_); }
  ZstdDecompressor(const ZstdDecompressor&) = delete;
  ZstdDecompressor& operator=(const ZstdDecompressor&) = delete;

  std::string_view format() const override { return "zstd"; }
  bool is_complete() const override { return is_complete_; }
  bool run(const char*& in, const char* in_end, bool, char*& out, char* out_end) override {
    ZSTD_inBuffer from{in, static_cast<std::size_t>(in_end - in), 0};
    ZSTD_outBuffer to{out, static_cast<std::size_t>(out_end - out), 0};
    const std::size_t left = ZSTD_decompressStream(stream_, &to, &from);
    in += from.pos;
    out += to.pos;
    is_complete_ = left == 0;
    return ZSTD_isError(left) == 0;
  }

 private:
  ZSTD_DStream* stream_;
  bool is_complete_ = false;
};
#endif

class DecompressingCutter final : public TextCutter {
 public:
  DecompressingCutter(InputFile& file, std::size_t stretch_bytes, std::unique_ptr<Decompressor> decompressor)
      : file_(file),
        stretch_bytes_(stretch_bytes),
        decompressor_(std::move(decompressor)),
        bytes_(std::size_t{1} << 18) {}

  void cut(Stretch& stretch) override {
    stretch.reserve(stretch_bytes_ + 1);
    stretch.is_filled = true;
    if (std::exchange(has_next_, false)) {
      stretch.text.data()[stretch.size++] = next_;
    }
    try {
      unpack(stretch);
    } catch (const std::exception&) {
      stretch.failure = std::current_exception();
    }
    stretch.input_bytes = read_ - static_cast<std::size_t>(end_ - in_);
  }
  void fill(Stretch&) const override {}
  bool is_quick() const override { return false; }

 private:
  // One character more than a stretch has, to see whether the text ends.
  void unpack(Stretch& stretch) {
    char* const begin = stretch.text.data();
    char* out = begin + stretch.size;
    char* const out_end = begin + stretch_bytes_ + 1;
    while (out < out_end) {
      if (in_ == end_ && !is_all_) {
        in_ = bytes_.data();
        end_ = in_ + file_.read(bytes_.data(), bytes_.size());
        read_ += static_cast<std::size_t>(end_ - in_);
        is_all_ = in_ == end_;
      }
      if (is_all_ && decompressor_->is_complete()) {
        stretch.is_last = true;
        break;
      }
      const char* const out_before = out;
      const bool is_good = decompressor_->run(in_, end_, is_all_, out, out_end);
      stretch.size = static_cast<std::size_t>(out - begin);
      if (!is_good) {
        fail(" data are damaged; copy or download the file again");
      }
      if (is_all_ && out == out_before && !decompressor_->is_complete()) {
        fail(" data end in the middle; the file is truncated, copy or download it again");
      }
    }
    if (!stretch.is_last) {
      next_ = begin[--stretch.size];
      has_next_ = true;
    }
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(file_.name(), 0, "the " + std::string(decompressor_->format()) + what);
  }

  InputFile& file_;
  std::size_t stretch_bytes_;
  std::unique_ptr<Decompressor> decompressor_;
  std::vector<char> bytes_;
  const char* in_ = nullptr;
  const char* end_ = nullptr;
  std::uint64_t read_ = 0;
  bool is_all_ = false;
  bool has_next_ = false;
  char next_ = 0;
};

}  // namespace

std::unique_ptr<Decompressor> make_decompressor([[maybe_unused]] std::string_view start) {
#ifdef TRAWL_HAS_BZIP2
  if (start.starts_with("BZh")) {
    return std::make_unique<Bzip2Decompressor>();
  }
#endif
#ifdef TRAWL_HAS_LZMA
  if (start.starts_with(std::string_view("\xfd"
                                         "7zXZ\0",
                                         6))) {
    return std::make_unique<XzDecompressor>();
  }
#endif
#ifdef TRAWL_HAS_ZSTD
  if (start.starts_with("\x28\xb5\x2f\xfd")) {
    return std::make_unique<ZstdDecompressor>();
  }
#endif
  return nullptr;
}

std::unique_ptr<TextCutter> make_decompressing_cutter(InputFile& file, std::size_t stretch_bytes) {
  constexpr std::size_t kMagic = 6;
  auto decompressor = make_decompressor(file.start(kMagic));
  return decompressor ? std::make_unique<DecompressingCutter>(file, stretch_bytes, std::move(decompressor)) : nullptr;
}

}  // namespace trawl::io
