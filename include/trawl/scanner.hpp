// Patterns to their places, as `trawl scan` finds them: the same options, the same records in the same order. Any
// number of threads may call one Scanner at a time, and each call uses the Scanner's threads, too.
//
//   const trawl::Scanner scanner({"GATTACA"}, {{"edits", 1}});
//   const trawl::Hits hits = scanner.scan("CCCGATTACTCC");
//   hits.start[0] == 3
//   hits.distance[0] == 1
//   hits.cigar_of(0) == "7M"
#pragma once
#include <cstdint>

#include "trawl/columns.hpp"
#include "trawl/reference.hpp"

namespace trawl::inline v0 {

/// 1 to 16384 IUPAC letters, which match what they stand for, in upper or lower case.
struct Pattern {
  template <class Text>
  requires std::convertible_to<const Text&, std::string_view> Pattern(const Text& letters)
      : bases(std::string_view(letters)) {}
  Pattern(std::string_view letters, std::string_view pattern_name) : bases(letters), name(pattern_name) {}

  std::string bases;
  std::string name = {};  // may be empty
};

/// One row for each record, by contig, start, pattern, strand and end.
struct Hits {
  std::vector<std::uint32_t> pattern;  // its index
  std::vector<std::int32_t> contig;    // index into `contigs`; of one string 0
  std::vector<std::int64_t> start;     // 0-based
  std::vector<std::int64_t> end;       // one after the last base; with a PAM, of both together
  std::vector<std::uint8_t> reverse;   // 1: the reverse strand
  std::vector<std::uint16_t> distance;
  std::vector<std::uint16_t> edits;  // SAM: NM; more than the distance where an ambiguous letter matched
  std::vector<std::uint16_t> mismatches;
  std::vector<std::uint16_t> dna_bulges;  // bases of the reference without a base of the pattern
  std::vector<std::uint16_t> rna_bulges;  // bases of the pattern without a base of the reference
  Cigars cigar;                           // in the direction of the reference
  Texts sequence;                         // the aligned part of the reference, on the strand of the pattern
  std::vector<std::string> contigs;       // their names; of one string none. In a batch: those that have begun so far

  std::size_t size() const { return pattern.size(); }
  std::string cigar_of(std::size_t row) const { return cigar_text(cigar[row]); }
};
/// Takes some rows, in order. If it returns false, the work stops and the call throws Cancelled.
using OnHits = std::function<bool(const Hits&)>;

/// A piece of a stream: the next letters of a contig. A contig begins where the name changes.
struct Chunk {
  std::string contig;
  std::string letters;
};
/// Gives the next piece, of any size; false at the end. What it throws comes out of the scan.
using NextChunk = std::function<bool(Chunk&)>;

class TRAWL_API Scanner {
 public:
  /// `options`: option_table("scan"). Throws UsageError; for a file (FASTA, a table of names and sequences, or one
  /// sequence a line) InputError and IoError, too.
  explicit Scanner(std::span<const Pattern> patterns, const Options& options = {});
  Scanner(std::initializer_list<Pattern> patterns, const Options& options = {})
      : Scanner(std::span(patterns.begin(), patterns.size()), options) {}
  static Scanner from_file(const std::string& path, const Options& options = {});

  /// One string. A short one takes a microsecond; for many of them, `hits` is emptied and keeps its memory. Throws
  /// InputError for a letter that is not IUPAC.
  Hits scan(std::string_view text) const;
  void scan(std::string_view text, Hits& hits) const;
  Hits scan(const Reference& reference, const OnProgress& progress = {}) const;
  /// A FASTA or a saved index of any size; takes little memory. Throws InputError, IoError, Cancelled.
  ///   with: std::span<const trawl::Pattern> guides, const trawl::OnHits& take
  ///   trawl::Scanner(guides, {{"edits", 4}, {"pam", "NGG"}, {"max-bulges", 1}}).scan_file("genome.fa", take);
  void scan_file(const std::string& path, const OnHits& take, const OnProgress& progress = {}) const;
  void scan_stream(const NextChunk& next, const OnHits& take) const;

  /// As they are searched: with the PAM, in upper case, with their names. (A pattern without a name: its letters.)
  const std::vector<Pattern>& patterns() const;

  struct Impl;
  const std::shared_ptr<const Impl>& impl() const { return impl_; }

 private:
  explicit Scanner(std::shared_ptr<const Impl> impl);
  std::shared_ptr<const Impl> impl_;
};

}  // namespace trawl::inline v0
