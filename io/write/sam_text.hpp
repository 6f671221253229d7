// SAM as text. It is the same, character for character, as what htslib writes for these records
// (io/write/bam_encoder.hpp), but several times faster.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "align/alignment.hpp"
#include "align/records.hpp"
#include "sequence/read_batch.hpp"
#include "sequence/reference.hpp"

namespace trawl::io {

/// Appends the records of one batch to a text.
///
///   with: const sequence::Reference reference = reference_of("GATTACA")
///   std::string text;
///   sequence::ReadBatch reads;
///   reads.add("r1", "ACGT", "IIII");
///   align::AlignmentBatch alignments;
///   alignments.reads.resize(1);
///   SamText(text, reference, "", reads, alignments).append_all({});
///   text == "r1\t4\t*\t0\t0\t*\t*\t0\t0\tACGT\tIIII\n"
class SamText {
 public:
  /// `read_group`: the ID for RG:Z, or empty. All arguments must live longer than this object.
  SamText(std::string& text, const sequence::Reference& reference, std::string_view read_group,
          const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments)
      : text_(text),
        used_(text.size()),
        reference_(reference),
        read_group_(read_group),
        reads_(reads),
        alignments_(alignments) {}
  /// Now the text ends with the last line.
  ~SamText() { text_.resize(used_); }
  SamText(const SamText&) = delete;
  SamText& operator=(const SamText&) = delete;

  /// Appends all records of the batch, with the tags of the reads' comments.
  void append_all(const align::RecordRule& rule);

 private:
  void append(const align::Record& record);
  char* room(std::size_t more);

  std::string& text_;  // longer than what is used
  std::size_t used_;
  const sequence::Reference& reference_;
  std::string_view read_group_;
  const sequence::ReadBatch& reads_;
  const align::AlignmentBatch& alignments_;
  std::string others_;  // SA of the last record of a split read
};

}  // namespace trawl::io
