// A part of a FASTA file that is parsed alone, on any thread, before it is known what comes before it. FastaStream
// joins the blocks.
//
//   text of the block     CGT\n>chr2 x\nACGT\nNNAC\n>chr3 and
//                         ---                               the head: the rest of a line; of a sequence or of a header
//                                      ----   ----          letters of chr2
//                                                  -------- a header that does not end in this block
//
//   parse_fasta_header("chr2 human\r").name == "chr2"
//   parse_fasta_header("chrM TP:circular").circular == true
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/read/text_blocks.hpp"
#include "sequence/packed_letters.hpp"

namespace trawl::io {

/// What a header line says.
struct FastaHeader {
  std::string_view name;  // up to the first white space
  std::string error;      // why it cannot be used; empty if it can
  bool renames = false;   // the error is that SAM does not allow the name
  bool circular = false;  // one of the words after the name is TP:circular, as in SAM's @SQ
};

/// `text`: the line without the '>' and without its LF.
FastaHeader parse_fasta_header(std::string_view text);

struct FastaBlock final : TextBlock {
  /// A sequence of which letters are in this block.
  struct BlockSequence {
    FastaHeader header;       // it points into the text
    std::uint64_t line = 0;   // of the header; the line after the head is 0
    std::uint64_t begin = 0;  // its letters in `letters`
    std::uint64_t end = 0;
  };

  void prepare() override;

  sequence::PackedLetters letters;

  // The head: the text up to the first LF, or all of it. Here it is taken for a part of a sequence.
  std::uint64_t head_size = 0;
  bool head_ends = false;             // with an LF
  std::uint64_t head_letters = 0;     // they are the first ones in `letters`
  const char* head_bad = nullptr;     // the first character that is not allowed in a sequence
  const char* head_blanks = nullptr;  // the first of the blanks at its end, if there is no LF

  // The lines after the head.
  std::vector<BlockSequence> sequences;  // the first one began in an earlier block, and may have no letters
  std::uint64_t lines = 0;               // LFs; up to `bad`, if that is set
  const char* bad = nullptr;             // the first character that is not allowed; what follows it was not parsed
  const char* open_header = nullptr;     // the '>' of a header without an LF
  const char* blanks = nullptr;          // the first of the blanks at the end of a sequence line without an LF
};

}  // namespace trawl::io
