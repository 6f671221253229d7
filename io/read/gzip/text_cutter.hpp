// The text of a file, cut off in order by one thread at a time, and filled in by any thread.
//
//   InputFile file("reads.fq.gz");
//   const auto cutter = make_text_cutter(file, 1 << 20);
//   Stretch stretch;                         // a new one each time
//   cutter->cut(stretch);                    // in order
//   cutter->fill(stretch);                   // several stretches at the same time, in any order
//   stretch.is_last == true                  // otherwise the next one follows
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include "io/read/gzip/input_file.hpp"
#include "sequence/huge_array.hpp"

namespace trawl::io {

/// Some text of a file: what follows the stretch before.
struct Stretch {
  sequence::HugeArray<char> text;  // memory for it; it can be that of an earlier stretch
  std::size_t size = 0;            // of the text; before fill(), how much it will be
  std::uint64_t input_bytes = 0;   // of the file up to its end, before decompression
  bool is_last = false;
  std::exception_ptr failure;  // what was found after the text; no stretch follows

  /// Makes room for `bytes` of text; what was in it is lost.
  void reserve(std::size_t bytes) {
    if (text.size() < bytes) {
      text = {};  // so that there are never both
      text = sequence::HugeArray<char>(bytes);
    }
  }

  // What fill() has to do.
  struct Member {
    std::size_t size = 0;  // of the compressed data
    std::size_t text_size = 0;
    std::uint32_t crc = 0;
  };
  bool is_filled = false;
  std::uint64_t offset = 0;               // in a plain file
  std::vector<unsigned char> compressed;  // BGZF: the data of all members, without headers and sums
  std::vector<Member> members;
};

class TextCutter {
 public:
  virtual ~TextCutter() = default;

  /// Cuts off what follows. Gets a stretch without text. It throws nothing but std::bad_alloc; other errors are in the
  /// stretch.
  virtual void cut(Stretch& stretch) = 0;
  /// Finds the text of a stretch. Once for each.
  virtual void fill(Stretch& stretch) const = 0;
  /// True if cut() does hardly anything. Otherwise, it pays to cut ahead in another thread.
  virtual bool is_quick() const = 0;
};

/// `stretch_bytes`: about the size of a stretch.
std::unique_ptr<TextCutter> make_text_cutter(InputFile& file, std::size_t stretch_bytes);

}  // namespace trawl::io
