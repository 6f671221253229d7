// What the ranks of a scan send to each other, as bytes.
//
//   cluster.send(1, kChunk, packed(chunk));
//   sequence::TextChunk same = chunk_of(cluster.receive(kChunk));      // it shows the bytes of the message
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "pipeline/scan_alone.hpp"
#include "ranks/cluster.hpp"
#include "sequence/pattern.hpp"
#include "sequence/text_chunk.hpp"

namespace trawl::ranks {

/// A chunk. About 3 bits for each letter.
std::string packed(const sequence::TextChunk& chunk);
sequence::TextChunk chunk_of(const ranks::Message& message);

/// What was found in a chunk. Its text follows.
struct FoundMessage {
  pipeline::FoundChunk found;
  std::uint64_t text_size = 0;
  std::uint64_t bases = 0;                                   // of the chunk
  std::uint64_t fresh_bases = 0;                             // of these, those that were not in an earlier chunk
  std::uint64_t input_bytes = 0;                             // as in the chunk
  std::vector<std::pair<std::uint64_t, std::string>> names;  // numbers and names of its contigs

  // All but the runs at the cuts.
  template <class Self>
  static auto members(Self& self) {
    return std::tie(self.found.ends, self.found.loose, self.found.low, self.found.next, self.text_size, self.bases,
                    self.fresh_bases, self.input_bytes, self.names);
  }
};
std::string packed(const FoundMessage& message);
FoundMessage found_of(std::string_view bytes);

std::string packed(const sequence::PatternList& patterns);
sequence::PatternList patterns_of(std::string_view bytes);

}  // namespace trawl::ranks
