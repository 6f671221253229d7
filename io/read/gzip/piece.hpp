// Inflates a part of a gzip file, also over several members, and also from a place before which the text is not known.
//
//   with: std::shared_ptr<MemoryPool> pool, const CompressedInput& input, std::uint64_t first, std::uint64_t last
//   with: const InflateWindow& window, char* text
//   GzipPart part(pool, input, 1 << 24, *find_start(input, first, last));
//   part.run(last);                                // to the first place in the next piece where inflating may begin
//   part.write(0, part.text_size(), window, text);     // when the window before the part is known
//   GzipPart next(pool, input, 1 << 24, std::move(part.place()), window);      // goes on there, with a known window
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "io/read/gzip/decoder.hpp"
#include "io/read/gzip/finder.hpp"
#include "sequence/huge_array.hpp"

namespace trawl::io {

// Turns symbols of DeflateDecoder into text, once the window of 32 KiB before them is known.

constexpr std::size_t kWindowSize = 32768;
constexpr unsigned kFirstMarker = 256;  // 256 + k: byte k of the window

/// The last bytes of a text.
class InflateWindow {
 public:
  /// Bytes that are known, at the end of the window. Less than kWindowSize only at the start of a stream.
  std::size_t size() const { return size_; }
  const std::uint8_t* end() const { return bytes_.data() + bytes_.size(); }
  const std::uint8_t* begin() const { return end() - size_; }

  void clear() { size_ = 0; }
  /// Adds text at the end.
  void add(const std::uint8_t* text, std::size_t n);
  /// Adds symbols whose unknown window was this one.
  void add(const std::uint16_t* symbols, std::size_t n);

  std::uint8_t byte_of(std::uint16_t symbol) const { return bytes_[symbol]; }

 private:
  void make_room(std::size_t n);

  // The 256 bytes themselves, so that a symbol is an index, then the window.
  std::array<std::uint8_t, kFirstMarker + kWindowSize> bytes_ = [] {
    std::array<std::uint8_t, kFirstMarker + kWindowSize> bytes{};
    for (unsigned i = 0; i < kFirstMarker; ++i) {
      bytes[i] = static_cast<std::uint8_t>(i);
    }
    return bytes;
  }();
  std::size_t size_ = 0;
};

/// What stands before the symbols whose window is unknown: kWindowSize symbols.
void fill_with_markers(std::uint16_t* to);
/// True if symbols stand for bytes that the window does not have: then the data are damaged, or do not start there.
bool refer_to_more_than(const InflateWindow& window, const std::uint16_t* symbols, std::size_t n);
bool has_marker(const std::uint16_t* symbols, std::size_t n);
void to_text(const std::uint16_t* symbols, std::size_t n, const InflateWindow& window, char* to);

/// Memory that is used again: to get new pages from the system takes nearly as long as to inflate.
class MemoryPool : public std::enable_shared_from_this<MemoryPool> {
 public:
  class Memory {
   public:
    Memory() = default;
    ~Memory();
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    Memory(Memory&&) = default;
    Memory& operator=(Memory&&) = default;

    bool empty() const { return pool_ == nullptr; }
    template <class T>
    T* as() const {
      return reinterpret_cast<T*>(const_cast<char*>(array_.data()));
    }

   private:
    friend class MemoryPool;
    sequence::HugeArray<char> array_;
    std::shared_ptr<MemoryPool> pool_;
  };

  /// Not initialised, aligned for any type. Throws std::bad_alloc.
  Memory get(std::size_t size);

 private:
  std::mutex mutex_;
  std::vector<sequence::HugeArray<char>> free_;
  std::size_t arrays_ = 0;  // free or not
};

/// Where inflating goes on.
struct GzipPlace {
  enum class At : std::uint8_t { kMember, kStream, kTrailer };
  At at = At::kMember;
  std::uint64_t bit = 0;
  std::unique_ptr<DeflateDecoder> decoder;  // in a stream. It may be in the middle of a block

  bool is(const GzipStart& start) const {
    return start.bit == bit && (start.is_member ? at == At::kMember : at == At::kStream && !decoder->in_block());
  }
};

class GzipPart {
 public:
  /// A member ends here.
  struct MemberEnd {
    std::size_t text_at = 0;
    std::uint32_t crc = 0;
    std::uint32_t size = 0;  // modulo 2^32
  };
  enum class End {
    kStart,      // at a place where another part can start
    kFull,       // too much text for one part
    kNeedInput,  // where the input ends, but not the file
    kTruncated,  // where the file ends in the middle
    kDamaged,
    kRest  // at something that is not an ordinary member, maybe the end of the file
  };

  /// `max_text`: more than this only by DeflateDecoder::kSlack. `input` is used in run().
  /// From a place found by find_start(); the text before is not known.
  GzipPart(std::shared_ptr<MemoryPool> pool, const CompressedInput& input, std::size_t max_text,
           const GzipStart& start);
  /// From the end of the part before. `window`: the text of the same stream before.
  GzipPart(std::shared_ptr<MemoryPool> pool, const CompressedInput& input, std::size_t max_text, GzipPlace place,
           const InflateWindow& window);

  /// Once. Ends at the first place that find_start() looks for and that is not before `stop` (bits).
  void run(std::uint64_t stop);

  End end() const { return end_; }
  GzipPlace& place() { return place_; }
  std::size_t text_size() const { return symbol_count_ + byte_count_; }
  const std::vector<MemberEnd>& member_ends() const { return member_ends_; }

  /// False if the text refers to something before the window.
  bool fits(const InflateWindow& window) const { return !refer_to_more_than(window, symbols(), symbol_count_); }
  /// Writes a stretch of the text. `window`: the one before this part.
  void write(std::size_t begin, std::size_t end, const InflateWindow& window, char* to) const;
  /// Makes the window before this part the one after it.
  void move_window(InflateWindow& window) const;

 private:
  std::uint16_t* symbols() const { return symbols_.empty() ? nullptr : symbols_.as<std::uint16_t>() + kWindowSize; }
  std::uint8_t* bytes() const { return bytes_.empty() ? nullptr : bytes_.as<std::uint8_t>() + kWindowSize; }

  bool begin_member();
  bool run_stream(std::uint64_t stop);
  bool end_member(std::uint64_t stop);
  void change_to_bytes();
  End missing_input() const { return input_->is_complete ? End::kTruncated : End::kNeedInput; }

  std::shared_ptr<MemoryPool> pool_;
  const CompressedInput* input_;  // during run()
  GzipPlace place_;
  End end_ = End::kStart;
  std::size_t max_text_ = 0;

  // First the symbols, then the bytes. Both have kWindowSize of what was before them at their start.
  MemoryPool::Memory symbols_;
  MemoryPool::Memory bytes_;
  std::size_t symbol_count_ = 0;
  std::size_t byte_count_ = 0;
  std::size_t window_size_ = 0;              // of the bytes' window
  std::optional<std::size_t> stream_start_;  // in the bytes, if a stream began here
  std::vector<MemberEnd> member_ends_;
};

/// One try after the other, until what seems to be a start in [first, last) proves to be one. No part: nothing found.
struct FoundPart {
  GzipStart start;
  std::unique_ptr<GzipPart> part;
};
FoundPart find_part(const std::shared_ptr<MemoryPool>& pool, const CompressedInput& input, std::uint64_t first,
                    std::uint64_t last, std::size_t max_text);

}  // namespace trawl::io
