#include "io/read/gzip/inflater.hpp"

#include <cstring>
#include <utility>

#include "base/error.hpp"

namespace trawl::io {
namespace {

constexpr std::size_t kInputSize = std::size_t{1} << 20;
// Of the text inflated by one call. It is still in the cache when its sum is computed.
constexpr std::size_t kPieceSize = std::size_t{1} << 18;

}  // namespace

Inflater::Inflater(InputFile& file, std::size_t stretch_bytes)
    : file_(file), stretch_bytes_(stretch_bytes), in_(kInputSize) {}

void Inflater::fail_truncated(const std::string& what) const {
  throw InputError(file_.name(), 0, what + "; the file is truncated, copy or download it again");
}

void Inflater::fail_damaged() const {
  throw InputError(file_.name(), 0, "the gzip data are damaged; copy or download the file again");
}

// Reads until at least `size` bytes are in the buffer, and as many more as fit; false if the file ends first.
bool Inflater::need(std::size_t size) {
  if (available() >= size) {
    return true;
  }
  // The stream may give some bytes back.
  const std::size_t kept = std::min(in_begin_, InflateStream::kLookback);
  std::memmove(in_.data(), in_.data() + in_begin_ - kept, available() + kept);
  in_end_ = available() + kept;
  in_begin_ = kept;
  while (available() < size) {
    const std::size_t got = file_.read(in_.data() + in_end_, in_.size() - in_end_);
    if (got == 0) {
      return false;
    }
    in_end_ += got;
    file_offset_ += got;
  }
  return true;
}

// Skips zeros after the last member, which tapes add. Any other bytes may be a member whose first bytes are damaged.
// gzip ignores them; here that would lose the reads in it.
void Inflater::skip_padding() {
  while (need(1)) {
    if (*input() != 0) {
      throw InputError(file_.name(), 0,
                       "what follows the gzip data at byte " + std::to_string(consumed() + 1) +
                           " is not gzip data; copy or download the file again, or remove what was added to it");
    }
    ++in_begin_;
  }
}

// Between two members: finds out what comes next.
Inflater::Next Inflater::look_ahead() {
  if (!need(1) || input()[0] != 0x1f || (need(2) && input()[1] != 0x8b)) {
    skip_padding();
    if (end_marker_missing_) {
      fail_truncated("the BGZF end marker is missing");
    }
    return Next::end;
  }
  if (!need(kSmallestGzipMember)) {
    fail_truncated("the gzip data end in the middle");
  }
  if (input()[3] == kGzipExtraFlag && !need(12 + little_endian(input() + 10, 2))) {
    fail_truncated("the gzip data end in the middle");
  }
  std::size_t data_at = 0;
  return bgzf_block_size(input(), available(), data_at) > 0 ? Next::bgzf : Next::gzip;
}

unsigned Inflater::take_header_byte(std::uint32_t& crc) {
  if (!need(1)) {
    fail_truncated("the gzip data end in the middle");
  }
  const auto* byte = in_.data() + in_begin_++;
  crc = crc32_of(byte, 1, crc);
  return static_cast<unsigned char>(*byte);
}

// Takes the header of a member that is not a BGZF block.
void Inflater::begin_member() {
  std::uint32_t crc = 0;
  unsigned header[10];
  for (unsigned& byte : header) {
    byte = take_header_byte(crc);
  }
  const unsigned flags = header[3];
  if (header[2] != kGzipDeflate || (flags & kGzipUnknownFlags) != 0) {
    fail_damaged();
  }
  if ((flags & kGzipExtraFlag) != 0) {
    const unsigned low = take_header_byte(crc);
    for (unsigned left = low + (take_header_byte(crc) << 8); left > 0; --left) {
      take_header_byte(crc);
    }
  }
  for (const unsigned text : {kGzipNameFlag, kGzipCommentFlag}) {
    if ((flags & text) != 0) {
      while (take_header_byte(crc) != 0) {
      }
    }
  }
  if ((flags & kGzipHeaderSumFlag) != 0) {
    const unsigned expected = crc & 0xffff;
    const unsigned low = take_header_byte(crc);
    if (low + (take_header_byte(crc) << 8) != expected) {
      fail_damaged();
    }
  }
  stream_.begin();
  crc_ = 0;
  text_size_ = 0;
  in_member_ = true;
  end_marker_missing_ = false;
}

// Inflates until the member ends or the stretch has `room` characters.
void Inflater::inflate_member(Stretch& stretch, std::size_t room) {
  while (stretch.size < room) {
    char* const begin = stretch.text.data() + stretch.size;
    char* out = begin;
    const unsigned char* in = input();
    const unsigned char* const in_before = in;
    const auto status = stream_.run(in, in + available(), out, begin + std::min(room - stretch.size, kPieceSize));
    in_begin_ = static_cast<std::size_t>(reinterpret_cast<const char*>(in) - in_.data());
    const auto got = static_cast<std::size_t>(out - begin);
    crc_ = crc32_of(begin, got, crc_);
    text_size_ += static_cast<std::uint32_t>(got);
    stretch.size += got;
    if (status == InflateStream::Status::finished) {
      in_member_ = false;
      check_sums();
      return;
    }
    if (status == InflateStream::Status::damaged) {
      fail_damaged();
    }
    // It may leave some input that is not enough for anything.
    if (got == 0 && in == in_before && !need(available() + 1)) {
      fail_truncated("the gzip data end in the middle");
    }
  }
}

// After the data of a member: its CRC-32 and its size.
void Inflater::check_sums() {
  if (!need(kGzipSums)) {
    fail_truncated("the gzip data end in the middle");
  }
  if (little_endian(input(), 4) != crc_ || little_endian(input() + 4, 4) != text_size_) {
    fail_damaged();
  }
  in_begin_ += kGzipSums;
}

// Takes BGZF blocks, at least one. Whether more follow is known afterwards, so that the end of the text is found.
void Inflater::take_blocks(Stretch& stretch) {
  do {
    std::size_t data_at = 0;
    const std::size_t size = bgzf_block_size(input(), available(), data_at);
    if (!need(size)) {
      fail_truncated("the BGZF data end in the middle of a block");
    }
    const unsigned char* data = input() + data_at;
    const unsigned char* sums = input() + size - kGzipSums;
    const std::size_t text_size = little_endian(sums + 4, 4);
    if (text_size > kLargestBgzfBlock) {
      fail_damaged();
    }
    const bool fits = (text_size == 0 || stretch.size + text_size <= stretch_bytes_) &&
                      stretch.compressed.size() <= std::max(stretch_bytes_, kInputSize);
    if (!fits && !stretch.members.empty()) {
      return;
    }
    stretch.compressed.insert(stretch.compressed.end(), data, sums);
    stretch.members.push_back({static_cast<std::size_t>(sums - data), text_size, little_endian(sums, 4)});
    stretch.size += text_size;
    in_begin_ += size;
    stretch.input_bytes = consumed();
    end_marker_missing_ = text_size > 0;
  } while (look_ahead() == Next::bgzf);
}

void Inflater::cut_text(Stretch& stretch) {
  while (stretch.size <= stretch_bytes_) {
    if (in_member_) {
      inflate_member(stretch, stretch_bytes_ + 1);
      continue;
    }
    switch (look_ahead()) {
      case Next::end:
        stretch.is_last = true;
        return;
      case Next::bgzf:
        if (stretch.size == 0) {
          stretch.is_filled = false;
          take_blocks(stretch);
        }
        return;
      case Next::gzip:
        begin_member();
        break;
    }
  }
  next_ = stretch.text.data()[--stretch.size];
  has_next_ = true;
}

void Inflater::cut(Stretch& stretch) {
  stretch.reserve(stretch_bytes_ + 1);
  stretch.is_filled = true;
  if (std::exchange(has_next_, false)) {
    stretch.text.data()[stretch.size++] = next_;
  }
  try {
    cut_text(stretch);
  } catch (const std::exception&) {
    stretch.failure = std::current_exception();
  }
  stretch.input_bytes = std::max(stretch.input_bytes, consumed());
}

// Inflates BGZF blocks, up to the first one that is damaged.
void Inflater::fill(Stretch& stretch) const {
  if (std::exchange(stretch.is_filled, true)) {
    return;
  }
  stretch.reserve(std::exchange(stretch.size, 0));
  const unsigned char* data = stretch.compressed.data();
  for (const Stretch::Member& member : stretch.members) {
    char* to = stretch.text.data() + stretch.size;
    if (!inflate_whole(data, member.size, to, member.text_size) || crc32_of(to, member.text_size) != member.crc) {
      try {
        fail_damaged();
      } catch (...) {
        stretch.failure = std::current_exception();
      }
      return;
    }
    stretch.size += member.text_size;
    data += member.size;
  }
}

}  // namespace trawl::io
