#include "io/read/gzip/piece.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "io/format/gzip_format.hpp"

namespace trawl::io {

// Moves what stays so that `n` <= kWindowSize bytes can be written at the end.
void InflateWindow::make_room(std::size_t n) {
  std::copy(bytes_.begin() + kFirstMarker + n, bytes_.end(), bytes_.begin() + kFirstMarker);
  size_ = std::min(size_ + n, kWindowSize);
}

void InflateWindow::add(const std::uint8_t* text, std::size_t n) {
  const std::size_t last = std::min(n, kWindowSize);
  make_room(last);
  std::copy_n(text + (n - last), last, bytes_.end() - last);
}

void InflateWindow::add(const std::uint16_t* symbols, std::size_t n) {
  const std::size_t last = std::min(n, kWindowSize);
  std::vector<char> text(last);
  to_text(symbols + (n - last), last, *this, text.data());
  make_room(last);
  std::copy(text.begin(), text.end(), bytes_.end() - last);
}

void fill_with_markers(std::uint16_t* to) { std::iota(to, to + kWindowSize, static_cast<std::uint16_t>(kFirstMarker)); }

bool refer_to_more_than(const InflateWindow& window, const std::uint16_t* symbols, std::size_t n) {
  const std::size_t first_known = kFirstMarker + kWindowSize - window.size();
  return first_known > kFirstMarker &&
         std::any_of(symbols, symbols + n, [&](std::uint16_t s) { return s >= kFirstMarker && s < first_known; });
}

bool has_marker(const std::uint16_t* symbols, std::size_t n) {
  constexpr std::size_t kStep = 512;
  // From the end, where the copies of copies have got rarest: in other words, where the answer is still useful.
  while (n > 0) {
    const std::size_t step = std::min(n, kStep);
    unsigned all = 0;
    for (std::size_t i = n - step; i < n; ++i) {
      all |= symbols[i];
    }
    if (all >= kFirstMarker) {
      return true;
    }
    n -= step;
  }
  return false;
}

void to_text(const std::uint16_t* symbols, std::size_t n, const InflateWindow& window, char* to) {
  for (std::size_t i = 0; i < n; ++i) {
    to[i] = static_cast<char>(window.byte_of(symbols[i]));
  }
}

namespace {

// After so many false starts in a piece, it is inflated when the text before is known.
constexpr int kMaxTries = 16;

}  // namespace

MemoryPool::Memory::~Memory() {
  if (pool_) {
    const std::lock_guard lock(pool_->mutex_);
    pool_->free_.push_back(std::move(array_));
  }
}

MemoryPool::Memory MemoryPool::get(std::size_t size) {
  Memory memory;
  {
    const std::lock_guard lock(mutex_);
    for (auto& array : free_) {
      if (array.size() == size) {
        memory.array_ = std::move(array);
        array = std::move(free_.back());
        free_.pop_back();
        break;
      }
    }
    if (memory.array_.size() == 0) {
      free_.reserve(++arrays_);  // so that ~Memory() needs no memory
    }
  }
  if (memory.array_.size() == 0) {
    memory.array_ = sequence::HugeArray<char>(size);
  }
  memory.pool_ = shared_from_this();
  return memory;
}

GzipPart::GzipPart(std::shared_ptr<MemoryPool> pool, const CompressedInput& input, std::size_t max_text,
                   const GzipStart& start)
    : pool_(std::move(pool)), input_(&input), max_text_(max_text) {
  place_.bit = start.bit;
  if (!start.is_member) {
    place_.at = GzipPlace::At::kStream;
    place_.decoder = std::make_unique<DeflateDecoder>(input, start.bit);
    symbols_ = pool_->get((kWindowSize + max_text + DeflateDecoder::kSlack) * sizeof(std::uint16_t));
    fill_with_markers(symbols_.as<std::uint16_t>());
  }
}

GzipPart::GzipPart(std::shared_ptr<MemoryPool> pool, const CompressedInput& input, std::size_t max_text,
                   GzipPlace place, const InflateWindow& window)
    : pool_(std::move(pool)), input_(&input), place_(std::move(place)), max_text_(max_text) {
  if (place_.decoder) {
    place_.decoder->set_input(input, place_.bit);
  }
  change_to_bytes();
  window_size_ = window.size();
  std::copy(window.begin(), window.end(), bytes() - window_size_);
}

void GzipPart::change_to_bytes() {
  if (bytes_.empty()) {
    bytes_ = pool_->get(kWindowSize + max_text_ + DeflateDecoder::kSlack);
  }
}

void GzipPart::run(std::uint64_t stop) {
  for (bool goes_on = true; goes_on;) {
    switch (place_.at) {
      case GzipPlace::At::kMember:
        goes_on = begin_member();
        break;
      case GzipPlace::At::kStream:
        goes_on = run_stream(stop);
        break;
      case GzipPlace::At::kTrailer:
        goes_on = end_member(stop);
        break;
    }
  }
  input_ = nullptr;
}

bool GzipPart::begin_member() {
  bool needs_input = false;
  const auto size = member_header_size(BitReader(*input_, place_.bit), needs_input);
  if (!size) {
    end_ = needs_input ? End::kNeedInput : End::kRest;
    return false;
  }
  place_.bit += 8 * *size;
  place_.at = GzipPlace::At::kStream;
  if (place_.decoder) {
    place_.decoder->set_input(*input_, place_.bit);
  } else {
    place_.decoder = std::make_unique<DeflateDecoder>(*input_, place_.bit);
  }
  change_to_bytes();
  stream_start_ = byte_count_;
  return true;
}

bool GzipPart::run_stream(std::uint64_t stop) {
  DeflateDecoder& decoder = *place_.decoder;
  DeflateDecoder::Stop result;
  if (bytes_.empty()) {
    std::uint16_t* to = symbols() + symbol_count_;
    result = decoder.run(to, static_cast<const std::uint16_t*>(symbols() - kWindowSize),
                         static_cast<const std::uint16_t*>(symbols() + max_text_));
    symbol_count_ = static_cast<std::size_t>(to - symbols());
  } else {
    std::uint8_t* to = bytes() + byte_count_;
    const std::uint8_t* const oldest = stream_start_ ? bytes() + *stream_start_ : bytes() - window_size_;
    result = decoder.run(to, oldest, static_cast<const std::uint8_t*>(bytes() + max_text_));
    byte_count_ = static_cast<std::size_t>(to - bytes());
  }
  place_.bit = decoder.reader().position();
  switch (result) {
    case DeflateDecoder::Stop::kBlockEnd:
      if (place_.bit >= stop && decoder.reader().need(3) && is_findable_block(decoder.reader().peek())) {
        end_ = End::kStart;
        return false;
      }
      if (bytes_.empty() && symbol_count_ >= kWindowSize &&
          !has_marker(symbols() + symbol_count_ - kWindowSize, kWindowSize)) {
        change_to_bytes();
        window_size_ = kWindowSize;
        std::copy_n(symbols() + symbol_count_ - kWindowSize, kWindowSize, bytes() - kWindowSize);
      }
      return true;
    case DeflateDecoder::Stop::kStreamEnd:
      place_.at = GzipPlace::At::kTrailer;
      return true;
    case DeflateDecoder::Stop::kFull:
      end_ = End::kFull;
      return false;
    case DeflateDecoder::Stop::kNeedInput:
      end_ = missing_input();
      return false;
    case DeflateDecoder::Stop::kDamaged:
      end_ = End::kDamaged;
      return false;
  }
  return false;
}

bool GzipPart::end_member(std::uint64_t stop) {
  BitReader reader(*input_, (place_.bit + 7) / 8 * 8);
  unsigned char trailer[kGzipSums];
  if (reader.take_bytes(trailer, sizeof trailer) < sizeof trailer) {
    end_ = missing_input();
    return false;
  }
  member_ends_.push_back({text_size(), little_endian(trailer, 4), little_endian(trailer + 4, 4)});
  place_.at = GzipPlace::At::kMember;
  place_.bit = reader.position();
  end_ = End::kStart;
  return place_.bit < stop;
}

void GzipPart::write(std::size_t begin, std::size_t end, const InflateWindow& window, char* to) const {
  if (begin < symbol_count_) {
    const std::size_t n = std::min(end, symbol_count_) - begin;
    to_text(symbols() + begin, n, window, to);
    begin += n;
    to += n;
  }
  if (begin < end) {
    std::memcpy(to, bytes() + (begin - symbol_count_), end - begin);
  }
}

void GzipPart::move_window(InflateWindow& window) const {
  if (stream_start_) {
    window.clear();
    window.add(bytes() + *stream_start_, byte_count_ - *stream_start_);
    return;
  }
  if (byte_count_ < kWindowSize) {
    window.add(symbols(), symbol_count_);
  }
  window.add(bytes(), byte_count_);
}

FoundPart find_part(const std::shared_ptr<MemoryPool>& pool, const CompressedInput& input, std::uint64_t first,
                    std::uint64_t last, std::size_t max_text) {
  for (int i = 0; i < kMaxTries; ++i) {
    const auto start = find_start(input, first, last);
    if (!start) {
      break;
    }
    auto part = std::make_unique<GzipPart>(pool, input, max_text, *start);
    part->run(last);
    if (part->end() != GzipPart::End::kDamaged) {
      return {*start, std::move(part)};
    }
    first = start->bit + 1;
  }
  return {};
}

}  // namespace trawl::io
