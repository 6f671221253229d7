// An output that is written chunk by chunk.
//
//   with: ChunkOutput& output, Chunk& chunk
//   output.place(chunk);      // one at a time, in order
//   output.pack(chunk);       // from many threads
//   output.write(chunk);      // one at a time, in order
#pragma once

#include <memory>

namespace trawl::io {

/// The formatted records of one batch, or of one range of a sorted file.
class Chunk {
 public:
  virtual ~Chunk() = default;
};

class ChunkOutput {
 public:
  virtual ~ChunkOutput() = default;

  virtual std::unique_ptr<Chunk> make_chunk() const = 0;
  /// Whether place() and pack() have work to do. If not, they need not be called.
  virtual bool packs() const { return false; }
  /// Gives the chunk its place in the output, after all chunks before it. Takes little time.
  virtual void place(Chunk&) {}
  /// Brings the chunk into the form in which it is written, for example compresses it. Several threads may call it at
  /// the same time, for chunks that have their places.
  virtual void pack(Chunk&) const {}
  /// Writes a chunk, in the order of the places. Throws IoError.
  virtual void write(Chunk& chunk) = 0;
};

}  // namespace trawl::io
