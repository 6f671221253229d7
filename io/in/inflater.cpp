#include "io/in/inflater.hpp"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

#include "base/error.hpp"

namespace trawl::io {
namespace {

constexpr std::size_t kInputSize = std::size_t{1} << 20;
constexpr std::size_t kMaxBlockSize = 65536;
constexpr std::size_t kBlocksAtOnce = 64;
constexpr unsigned kExtraFlag = 4;

std::uint32_t little_endian(const unsigned char* p, int bytes) {
  std::uint32_t value = 0;
  for (int i = 0; i < bytes; ++i) {
    value |= std::uint32_t{p[i]} << (8 * i);
  }
  return value;
}

// Size of the BGZF block whose header is at `p`, and where its compressed data begin. 0 if it is not a BGZF header.
// `size` bytes can be read, and they contain the whole extra field.
std::size_t bgzf_block_size(const unsigned char* p, std::size_t size, std::size_t& data_at) {
  if (size < 18 || p[3] != kExtraFlag) {
    return 0;
  }
  const std::size_t extra_end = 12 + little_endian(p + 10, 2);
  for (std::size_t at = 12; at + 4 <= std::min(extra_end, size);) {
    const std::size_t length = little_endian(p + at + 2, 2);
    if (p[at] == 'B' && p[at + 1] == 'C' && length == 2 && at + 6 <= size) {
      const std::size_t block_size = little_endian(p + at + 4, 2) + std::size_t{1};
      data_at = extra_end;
      return block_size >= extra_end + 8 ? block_size : 0;
    }
    at += 4 + length;
  }
  return 0;
}

}  // namespace

std::size_t read_descriptor(int descriptor, const std::string& name, char* to, std::size_t size) {
  std::size_t got = 0;
  while (got < size) {
    const ssize_t n = ::read(descriptor, to + got, size - got);
    if (n > 0) {
      got += static_cast<std::size_t>(n);
    } else if (n == 0) {
      break;
    } else if (errno != EINTR) {
      throw IoError(name, std::string("cannot read: ") + std::strerror(errno));
    }
  }
  return got;
}

Inflater::Inflater(int descriptor, std::string name, unsigned threads, std::vector<char> start)
    : descriptor_(descriptor), name_(std::move(name)), threads_(threads), in_(std::move(start)) {
  in_end_ = in_.size();
  file_offset_ = in_end_;
  in_.resize(std::max(kInputSize, in_end_));
  if (inflateInit2(&stream_, 15 + 16) != Z_OK) {
    throw std::bad_alloc();
  }
}

Inflater::~Inflater() { inflateEnd(&stream_); }

void Inflater::fail_truncated(const std::string& what) const {
  throw InputError(name_, 0, what + "; the file is truncated, copy or download it again");
}

void Inflater::fail_damaged() const {
  throw InputError(name_, 0, "the gzip data are damaged; copy or download the file again");
}

// Reads until at least `size` bytes are in the buffer, and as many more as fit; false if the file ends first.
bool Inflater::need(std::size_t size) {
  if (available() >= size) {
    return true;
  }
  if (!file_at_end_) {
    std::memmove(in_.data(), in_.data() + in_begin_, available());
    in_end_ = available();
    in_begin_ = 0;
    const std::size_t got = read_descriptor(descriptor_, name_, in_.data() + in_end_, in_.size() - in_end_);
    file_at_end_ = got < in_.size() - in_end_;
    in_end_ += got;
    file_offset_ += got;
  }
  return available() >= size;
}

// Skips zeros after the last member, which tapes add. Any other bytes may be a member whose first bytes are damaged.
// gzip ignores them; here that would lose the reads in it.
void Inflater::skip_padding() {
  while (need(1)) {
    if (*input() != 0) {
      throw InputError(name_, 0,
                       "what follows the gzip data at byte " + std::to_string(consumed() + 1) +
                           " is not gzip data; copy or download the file again, or remove what was added to it");
    }
    ++in_begin_;
  }
}

// Between two members: finds out what comes next.
void Inflater::begin_member() {
  if (!need(1) || input()[0] != 0x1f || (need(2) && input()[1] != 0x8b)) {
    skip_padding();
    if (end_marker_missing_) {
      fail_truncated("the BGZF end marker is missing");
    }
    done_ = true;
    return;
  }
  if (!need(18)) {
    fail_truncated("the gzip data end in the middle");
  }
  std::size_t data_at = 0;
  if (input()[3] == kExtraFlag && !need(12 + little_endian(input() + 10, 2))) {
    fail_truncated("the gzip data end in the middle");
  }
  if (bgzf_block_size(input(), available(), data_at) > 0) {
    inflate_blocks();
    return;
  }
  inflateReset(&stream_);
  in_member_ = true;
  end_marker_missing_ = false;
}

// Decompresses the BGZF blocks in the input buffer, at least one.
void Inflater::inflate_blocks() {
  std::size_t data_at = 0;
  if (!need(bgzf_block_size(input(), available(), data_at))) {
    fail_truncated("the BGZF data end in the middle of a block");
  }
  std::vector<Block> blocks;
  std::size_t inflated = 0;
  std::size_t compressed = 0;
  while (blocks.size() < kBlocksAtOnce && available() >= 18 && input()[0] == 0x1f && input()[1] == 0x8b) {
    const std::size_t size = bgzf_block_size(input(), available(), data_at);
    if (size == 0 || size > available()) {
      break;
    }
    const unsigned char* end = input() + size;
    Block block{input() + data_at, size - data_at - 8, inflated, little_endian(end - 4, 4), little_endian(end - 8, 4)};
    if (block.inflated_size > kMaxBlockSize) {
      fail_damaged();
    }
    inflated += block.inflated_size;
    end_marker_missing_ = block.inflated_size > 0;
    blocks.push_back(block);
    in_begin_ += size;
    compressed += size;
  }
  if (blocks_out_.empty()) {
    blocks_out_.resize(kBlocksAtOnce * kMaxBlockSize);
  }
  if (threads_ > 1 && blocks.size() > 1) {
    // Isolated: a thread that waits here for blocks must not start to map another batch.
    tbb::this_task_arena::isolate([&] {
      tbb::parallel_for(tbb::blocked_range<std::size_t>(0, blocks.size(), 4),
                        [&](const auto& range) { inflate_range(blocks, range.begin(), range.end()); });
    });
  } else {
    inflate_range(blocks, 0, blocks.size());
  }
  blocks_begin_ = 0;
  blocks_end_ = inflated;
  blocks_size_ = compressed;
}

void Inflater::inflate_range(const std::vector<Block>& blocks, std::size_t begin, std::size_t end) {
  z_stream stream{};
  if (inflateInit2(&stream, -15) != Z_OK) {
    throw std::bad_alloc();
  }
  bool good = true;
  for (std::size_t i = begin; i < end && good; ++i) {
    const Block& block = blocks[i];
    auto* out = reinterpret_cast<unsigned char*>(blocks_out_.data()) + block.inflated_at;
    unsigned char nothing = 0;
    inflateReset(&stream);
    stream.next_in = const_cast<unsigned char*>(block.data);
    stream.avail_in = static_cast<unsigned>(block.size);
    stream.next_out = block.inflated_size > 0 ? out : &nothing;
    stream.avail_out = static_cast<unsigned>(block.inflated_size);
    const int status = inflate(&stream, Z_FINISH);
    good = status == Z_STREAM_END && stream.avail_out == 0 &&
           crc32(crc32(0, nullptr, 0), out, static_cast<unsigned>(block.inflated_size)) == block.crc;
  }
  inflateEnd(&stream);
  if (!good) {
    fail_damaged();
  }
}

std::size_t Inflater::inflate_member(char* to, std::size_t size) {
  std::size_t got = 0;
  while (got < size && in_member_) {
    if (!need(1)) {
      fail_truncated("the gzip data end in the middle");
    }
    const auto room = static_cast<unsigned>(std::min<std::size_t>(size - got, std::numeric_limits<unsigned>::max()));
    stream_.next_in = const_cast<unsigned char*>(input());
    stream_.avail_in = static_cast<unsigned>(available());
    stream_.next_out = reinterpret_cast<unsigned char*>(to + got);
    stream_.avail_out = room;
    const int status = inflate(&stream_, Z_NO_FLUSH);
    in_begin_ = in_end_ - stream_.avail_in;
    got += room - stream_.avail_out;
    if (status == Z_STREAM_END) {
      in_member_ = false;
    } else if (status == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (status != Z_OK) {
      fail_damaged();
    }
  }
  return got;
}

std::uint64_t Inflater::consumed() const {
  const std::size_t left = blocks_end_ - blocks_begin_;  // at most 4 MiB, like the compressed blocks
  return file_offset_ - available() - (left > 0 ? blocks_size_ * left / blocks_end_ : 0);
}

std::size_t Inflater::read(char* to, std::size_t size) {
  std::size_t got = 0;
  while (got < size) {
    if (blocks_begin_ < blocks_end_) {
      const std::size_t n = std::min(size - got, blocks_end_ - blocks_begin_);
      std::memcpy(to + got, blocks_out_.data() + blocks_begin_, n);
      blocks_begin_ += n;
      got += n;
    } else if (in_member_) {
      got += inflate_member(to + got, size - got);
    } else if (done_) {
      break;
    } else {
      begin_member();
    }
  }
  return got;
}

}  // namespace trawl::io
