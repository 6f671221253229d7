// An output that is written chunk by chunk, by one process or by several.
//
//   with: ChunkOutput& output, Chunk& chunk
//   output.place(chunk);      // one at a time, in order
//   output.pack(chunk);       // from many threads
//   output.write(chunk);      // one at a time, in order
//
// For an output that several processes write, each its own chunks (ranks/shared_records.hpp). One of them has opened
// it, writes the header and closes it. There are two ways:
//
// 1. Each writes at the place of its chunk. What a chunk leaves for the next one goes from process to process:
//      set_place(), place(), get_place();  pack();  set_end(), take_room(), get_end();  write_to_room(), keep()
// 2. Only the process that has opened it writes, where the output is a stream or CRAM:
//      set_place(), place(), get_place();  pack();  append_parcel(), keep(); and there write_parcel(), in order
#pragma once

#include <string>
#include <string_view>

#include "base/packer.hpp"

namespace trawl::io {

/// The formatted records of one batch, or of one range of a sorted file.
class Chunk {
 public:
  virtual ~Chunk() = default;
};

class ChunkOutput {
 public:
  virtual ~ChunkOutput() = default;

  /// Whether place() and pack() have work to do. If not, they need not be called.
  virtual bool packs() const { return false; }
  /// Gives the chunk its place in the output, after all chunks before it. Takes little time.
  virtual void place(Chunk&) {}
  /// Brings the chunk into the form in which it is written, for example compresses it. Several threads may call it at
  /// the same time, for chunks that have their places.
  virtual void pack(Chunk&) const {}
  /// Writes a chunk, in the order of the places. Throws IoError.
  virtual void write(Chunk& chunk) = 0;

  /// Where other processes can open the file; empty if only way 2 is possible.
  virtual std::string path_for_others() const { return {}; }
  /// Way 2, before the first chunk.
  virtual void write_in_order_only() {}
  /// What place() must know of the chunks before.
  virtual void get_place(Packer&) const {}
  virtual void set_place(Unpacker&) {}
  /// Where the next packed chunk goes, if that is not known before it is packed.
  virtual bool has_end() const { return false; }
  virtual void get_end(Packer&) const {}
  virtual void set_end(Unpacker&) {}
  /// Sets room aside for a packed chunk, after the end.
  virtual void take_room(Chunk&) {}
  /// Throws IoError.
  virtual void write_to_room(Chunk&) const {}
  /// After write_to_room() or append_parcel(), in the order of this process's chunks: keeps what it writes later.
  /// Throws IoError.
  virtual void keep(Chunk&) {}
  /// After the last chunk of this process, before one of them closes the output. Throws IoError if anything is lost.
  virtual void check_written() const {}
  /// The bytes of what write() would write, for the output of another process.
  virtual void append_parcel(Chunk&, std::string&) const {}
  /// Throws IoError.
  virtual void write_parcel(std::string_view) {}
};

}  // namespace trawl::io
