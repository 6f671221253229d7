#include "io/read/gzip/inflate_stream.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#ifdef TRAWL_HAS_ISAL
#include <isa-l.h>
#else
#include <zlib.h>
#endif
#ifdef TRAWL_HAS_LIBDEFLATE
#include <libdeflate.h>
#endif

namespace trawl::io {
namespace {

// One call of a library inflates at most this much, so that sizes fit into its 32 bits.
constexpr std::size_t kMaxPiece = std::size_t{1} << 30;

unsigned piece(std::size_t size) { return static_cast<unsigned>(std::min(size, kMaxPiece)); }

}  // namespace

#ifdef TRAWL_HAS_ISAL

struct InflateState {
  inflate_state inflate;
  bool damaged = false;
};

InflateStream::InflateStream() : state_(std::make_unique<InflateState>()) {}
InflateStream::~InflateStream() = default;

void InflateStream::begin() {
  isal_inflate_init(&state_->inflate);
  state_->damaged = false;
}

InflateStream::Status InflateStream::run(const unsigned char*& in, const unsigned char* in_end, char*& out,
                                         char* out_end) {
  inflate_state& inflate = state_->inflate;
  while (!state_->damaged) {
    inflate.next_in = const_cast<unsigned char*>(in);
    inflate.avail_in = piece(static_cast<std::size_t>(in_end - in));
    inflate.next_out = reinterpret_cast<unsigned char*>(out);
    inflate.avail_out = piece(static_cast<std::size_t>(out_end - out));
    const unsigned char* in_before = in;
    const char* out_before = out;
    state_->damaged = isal_inflate(&inflate) != ISAL_DECOMP_OK;
    in = inflate.next_in;
    out = reinterpret_cast<char*>(inflate.next_out);
    if (inflate.block_state == ISAL_BLOCK_FINISH) {
      in -= inflate.read_in_length / 8;  // ISA-L 2.31 and later have done this, and set the length to 0
      return Status::finished;
    }
    if (!state_->damaged && (out == out_end || (in == in_before && out == out_before))) {
      return Status::more;
    }
  }
  // What it had inflated ahead, without room for it in this or an earlier call.
  const int left = inflate.tmp_out_valid - inflate.tmp_out_processed;
  const auto n =
      std::min<std::size_t>(static_cast<std::size_t>(std::max(left, 0)), static_cast<std::size_t>(out_end - out));
  std::memcpy(out, inflate.tmp_out_buffer + inflate.tmp_out_processed, n);
  inflate.tmp_out_processed += static_cast<int>(n);
  out += n;
  return inflate.tmp_out_processed < inflate.tmp_out_valid ? Status::more : Status::damaged;
}

#else

struct InflateState {
  z_stream inflate{};
};

InflateStream::InflateStream() : state_(std::make_unique<InflateState>()) {
  if (inflateInit2(&state_->inflate, -15) != Z_OK) {
    throw std::bad_alloc();
  }
}
InflateStream::~InflateStream() { inflateEnd(&state_->inflate); }

void InflateStream::begin() { inflateReset(&state_->inflate); }

InflateStream::Status InflateStream::run(const unsigned char*& in, const unsigned char* in_end, char*& out,
                                         char* out_end) {
  z_stream& stream = state_->inflate;
  do {
    stream.next_in = const_cast<unsigned char*>(in);
    stream.avail_in = piece(static_cast<std::size_t>(in_end - in));
    stream.next_out = reinterpret_cast<unsigned char*>(out);
    stream.avail_out = piece(static_cast<std::size_t>(out_end - out));
    const int status = inflate(&stream, Z_NO_FLUSH);
    in = stream.next_in;
    out = reinterpret_cast<char*>(stream.next_out);
    if (status == Z_STREAM_END) {
      return Status::finished;
    }
    if (status == Z_MEM_ERROR) {
      throw std::bad_alloc();
    }
    if (status == Z_BUF_ERROR) {
      break;  // no more input
    }
    if (status != Z_OK) {
      return Status::damaged;
    }
  } while (out != out_end);
  return Status::more;
}

#endif

// On BGZF of FASTQ, one core: ISA-L 507 MB/s of text, libdeflate 384, zlib 213.
#if defined(TRAWL_HAS_ISAL)

bool inflate_whole(const unsigned char* data, std::size_t size, char* text, std::size_t text_size) {
  thread_local const auto state = std::make_unique<inflate_state>();
  isal_inflate_init(state.get());
  state->next_in = const_cast<unsigned char*>(data);
  state->avail_in = static_cast<std::uint32_t>(size);
  state->next_out = reinterpret_cast<unsigned char*>(text);
  state->avail_out = static_cast<std::uint32_t>(text_size);
  return isal_inflate_stateless(state.get()) == ISAL_DECOMP_OK && state->block_state == ISAL_BLOCK_FINISH &&
         state->avail_in == 0 && state->avail_out == 0;
}

#elif defined(TRAWL_HAS_LIBDEFLATE)

bool inflate_whole(const unsigned char* data, std::size_t size, char* text, std::size_t text_size) {
  struct Free {
    void operator()(libdeflate_decompressor* p) const { libdeflate_free_decompressor(p); }
  };
  thread_local const std::unique_ptr<libdeflate_decompressor, Free> decompressor(libdeflate_alloc_decompressor());
  if (!decompressor) {
    throw std::bad_alloc();
  }
  std::size_t used = 0;
  std::size_t made = 0;
  return libdeflate_deflate_decompress_ex(decompressor.get(), data, size, text, text_size, &used, &made) ==
             LIBDEFLATE_SUCCESS &&
         used == size && made == text_size;
}

#else

bool inflate_whole(const unsigned char* data, std::size_t size, char* text, std::size_t text_size) {
  thread_local InflateStream stream;
  char nothing = 0;  // zlib refuses a null pointer
  const unsigned char* in = data;
  char* out = text_size > 0 ? text : &nothing;
  char* const end = out + text_size;
  stream.begin();
  return stream.run(in, data + size, out, end) == InflateStream::Status::finished && in == data + size && out == end;
}

#endif

}  // namespace trawl::io
