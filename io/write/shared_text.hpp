// A text file, plain or BGZF, that several processes write. One of them says where each piece of text goes; it has the
// file, and writes what has no other writer. The file has the bytes that one process would have written.
//
//   with: std::uint64_t size, std::string_view last, std::uint64_t bytes, const SharedText::GivePlace& give_place
//   SharedText text("out.bed.gz", 6, give_place);            // the process that has the file
//   text.write("chr1\t0\t10\n");
//   TextTurn turn = text.next(7, size, last);                // then come `size` bytes of another process, as number 7
//   text.write("chr2\t5\t15\n");
//   text.add_packed(7, bytes);                               // give_place(7, place) as soon as the place is known
//   text.close();                                            // after all others have written theirs
//
// In BGZF each block but the last has kBgzfText bytes of text, wherever the pieces begin. So whoever writes a piece
// also gets the text before it that has not filled a block, and leaves the end of its own piece to the next one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/write/byte_buffer.hpp"
#include "io/write/held_text.hpp"
#include "io/write/output_file.hpp"

namespace trawl::io {

/// A piece of text with fewer bytes is not worth a turn: it should come to the first process, for write().
inline constexpr std::size_t kLeastTurn = std::size_t{1} << 16;

/// What the writer of a piece must know.
struct TextTurn {
  std::uint64_t place = 0;  // in a plain file
  std::string head;         // it comes before the piece
};

/// Compressed blocks.
using PackedBlocks = std::vector<ByteBuffer>;
std::uint64_t size_of(const PackedBlocks& packed);

class SharedText {
 public:
  /// Says where in the file the packed piece `number` goes.
  using GivePlace = std::function<void(std::uint64_t number, std::uint64_t place)>;

  /// `level`: of BGZF; nothing: plain. Throws IoError, like all functions here.
  SharedText(const OutputName& name, std::optional<int> level, GivePlace give_place);

  /// The next piece, which is written here.
  void write(std::string_view text);
  /// The next piece, of at least kLeastTurn bytes, which another process writes. `last`: its last bytes, kLeastTurn of
  /// them.
  TextTurn next(std::uint64_t number, std::uint64_t size, std::string_view last);
  /// BGZF: the other process has packed its piece to `bytes` bytes.
  void add_packed(std::uint64_t number, std::uint64_t bytes);
  /// Whether all places are given.
  bool is_settled() const { return items_.empty(); }
  /// Writes the rest, and gives the file its name.
  void close();

  bool is_packed() const { return level_.has_value(); }
  const OutputFile& file() const { return file_; }

 private:
  // Blocks that have no place yet.
  struct Item {
    std::optional<std::uint64_t> number;  // of a piece of another process
    std::optional<std::uint64_t> bytes;   // nothing: not packed yet
    PackedBlocks own;                     // packed here
  };

  void flush();
  void settle();

  OutputFile file_;
  std::optional<int> level_;
  GivePlace give_place_;
  std::string waiting_;      // own text that is not written, and what has not filled a block
  std::uint64_t place_ = 0;  // in the file, of the first item or the next piece
  std::deque<Item> items_;
};

/// Writes pieces to the file that SharedText has.
///
///   with: const OutputFile& file, const TextTurn& turn, const HeldText& held_text, std::uint64_t place
///   SharedTextWriter writer(file, 6);                      // another process
///   PackedBlocks packed = writer.pack(turn, held_text);    // BGZF: compresses; size_of(packed) goes to the first one
///   writer.write(packed, place);
///   writer.write(turn, held_text);                         // a plain file: no packing
class SharedTextWriter {
 public:
  /// `file`: opened for write_at(). It must outlive this object.
  SharedTextWriter(const OutputFile& file, std::optional<int> level) : file_(file), level_(level) {}

  /// A plain file: writes the piece to its place. Throws IoError.
  void write(const TextTurn& turn, const HeldText& text) const;
  /// BGZF: compresses the blocks that end in the piece. Throws IoError.
  PackedBlocks pack(const TextTurn& turn, const HeldText& text) const;
  void write(const PackedBlocks& packed, std::uint64_t place) const;

 private:
  const OutputFile& file_;
  std::optional<int> level_;
};

}  // namespace trawl::io
