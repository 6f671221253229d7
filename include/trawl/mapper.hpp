// Reads to alignments, as `trawl map` finds them: the same options, the same records in the same order.
//
//   const auto reference = trawl::Reference::of({{"chr1", "TTTTGATTACAGGCATGAGCCACCGCGCCCGGCCTTTT"}});
//   const trawl::Mapper mapper(reference, {{"report", "all"}, {"edits", 1}, {"min-length", 1}});
//   const trawl::Alignments found = mapper.map({"GATTACAGGCATGAGCCACC", "TGATTACAGGCATGAGGCACC"});
//   found.size() == 2
//   found.start[1] == 3
//   found.distance[1] == 1
//   found.cigar_of(1) == "21M"
//
// Threads: any number may call one Mapper at a time, and each call uses the Mapper's threads, too. On a GPU calls with
// pairs wait for each other; while a stream of pairs is open there, map other pairs with another Mapper.
#pragma once
#include <cstdint>

#include "trawl/columns.hpp"
#include "trawl/reference.hpp"

namespace trawl::inline v0 {

/// A read in the memory of the caller: IUPAC letters, in upper or lower case. One without letters is not found.
struct Read {
  template <class Text>
  requires std::convertible_to<const Text&, std::string_view> Read(const Text& letters) : bases(letters) {}
  Read(std::string_view letters, std::string_view phred33, std::string_view read_name = {})
      : bases(letters), qualities(phred33), name(read_name) {}

  std::string_view bases;
  std::string_view qualities;  // characters from ! on, one for each base; or empty
  std::string_view name;       // may be empty
};

/// One row for each record of the command line. A read without a place has one, too, unless {"unmapped", "drop"}.
struct Alignments {
  std::vector<std::uint32_t> read;      // its index in the call or batch; of pair i the mates are 2 i and 2 i + 1
  std::vector<std::int32_t> contig;     // index into Reference::contigs(); -1: not found
  std::vector<std::int64_t> start;      // 0-based; -1: not found
  std::vector<std::int64_t> end;        // one after the last base; -1: not found
  std::vector<std::uint16_t> flag;      // SAM: 0x4 not found, 0x10 reverse strand, 0x100 secondary, 0x800 supplementary
  std::vector<std::uint16_t> distance;  // edits; of the aligned part, if ends are clipped
  std::vector<std::uint16_t> edits;     // SAM: NM; more than the distance where an ambiguous letter matched
  std::vector<std::int32_t> score;      // SAM: AS
  std::vector<std::uint8_t> mapq;       // 0 to 60: -10 log10 of the probability that the place is wrong
  std::vector<std::uint32_t> count;     // SAM: NH; rows of this read that are found and not supplementary
  std::vector<std::uint32_t> dropped;   // SAM: ZD; places that max-hits has left out
  std::vector<std::int32_t> mate_contig;      // SAM: RNEXT; -1: none
  std::vector<std::int64_t> mate_start;       // SAM: PNEXT, but 0-based; -1: none
  std::vector<std::int64_t> template_length;  // SAM: TLEN
  Cigars cigar;
  Texts md;  // SAM: MD

  std::uint64_t first_read = 0;   // of a batch of files: how many reads came before
  Texts names, bases, qualities;  // by `read`: the names of the reads; of files also what else they have

  std::size_t size() const { return read.size(); }
  bool is_found(std::size_t row) const { return (flag[row] & 0x4) == 0; }
  bool is_reverse(std::size_t row) const { return (flag[row] & 0x10) != 0; }
  bool is_primary(std::size_t row) const { return (flag[row] & 0x904) == 0; }  // found, not secondary or supplementary
  bool is_secondary(std::size_t row) const { return (flag[row] & 0x100) != 0; }
  bool is_supplementary(std::size_t row) const { return (flag[row] & 0x800) != 0; }
  std::string cigar_of(std::size_t row) const { return cigar_text(cigar[row]); }
};
/// Takes a batch. If it returns false, the work stops and the call throws Cancelled.
using OnAlignments = std::function<bool(const Alignments&)>;

/// Files of reads: FASTQ, FASTA, SAM, BAM or CRAM, also compressed. A single read among pairs of SAM, BAM and CRAM has a
/// mate without name and letters. Several, as one list: "lane1.fq,lane2.fq".
struct ReadFiles {
  std::string reads;
  std::string mates = {};    // the second mates, in the same order; empty: single reads, unless interleaved
  bool interleaved = false;  // `reads` has pairs: the two mates follow each other
};

/// Batches that are made ahead, by other threads, and taken one by one, by one thread at a time. Copies are one stream.
class TRAWL_API AlignmentStream {
 public:
  /// The next batch, in the order of the input; false at the end. Throws what map_files() throws.
  bool next(Alignments& batch);
  /// How far the latest batch is.
  Progress progress() const;

  struct Impl;
  explicit AlignmentStream(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<Impl> impl_;
};

class TRAWL_API Mapper {
 public:
  /// Builds the index of the reference, if it has none, and starts the engine. `options`: option_table("map"). Throws
  /// UsageError, and Error if the engine cannot run here.
  explicit Mapper(Reference reference, const Options& options = {});

  /// Single reads. Throws InputError for a letter that is not IUPAC and for qualities of another length.
  Alignments map(std::span<const Read> reads, const OnProgress& progress = {}) const;
  Alignments map(std::initializer_list<Read> reads) const { return map(std::span(reads.begin(), reads.size())); }
  /// Pairs: first[i] and second[i]. Without the option insert, insert sizes are estimated from the pairs of this call.
  /// Throws what map() throws, and UsageError if there are not as many of both.
  Alignments map_pairs(std::span<const Read> first, std::span<const Read> second,
                       const OnProgress& progress = {}) const;

  /// Reads or pairs of files. `take` is called in input order, never by two threads at once. Throws InputError,
  /// IoError, Cancelled, and what `take` throws.
  ///   with: const trawl::Mapper& mapper, std::size_t rows
  ///   mapper.map_files({"R1.fq", "R2.fq"}, [&](const auto& batch) { return (rows += batch.size()) < 1'000'000; });
  void map_files(const ReadFiles& files, const OnAlignments& take, const OnProgress& progress = {}) const;
  /// The same, pulled by the caller. The stream keeps what it needs of the Mapper, and may be destroyed at any time.
  ///   with: const trawl::Mapper& mapper
  ///   trawl::AlignmentStream stream = mapper.stream({"R1.fq.gz", "R2.fq.gz"});
  ///   for (trawl::Alignments batch; stream.next(batch);) { ... }
  AlignmentStream stream(const ReadFiles& files) const;

  const Reference& reference() const;
  /// What computes: "cpu" or "cuda". And why {"device", "auto"} has not taken a GPU: "" if it has, or if nobody would
  /// expect one here.
  std::string engine() const;
  std::string why_engine() const;

  struct Impl;
  const std::shared_ptr<const Impl>& impl() const { return impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

/// Needs trawl::io: maps the reads of files and writes all records, with the bytes of `trawl map`, as SAM, BAM, CRAM or
/// BED, as the extension of `output` says. The options about records hold, too: sort, mark-duplicates, read-group,
/// comments, secondary-seq, compression-level. The file appears when it is complete. Throws what map_files() throws,
/// and UsageError.
///   with: const trawl::Reference& reference
///   const trawl::Mapper mapper(reference, {{"sort", true}});
///   trawl::map_to_file(mapper, {"R1.fq.gz", "R2.fq.gz"}, "sorted.bam");      // also sorted.bam.bai
TRAWL_API void map_to_file(const Mapper& mapper, const ReadFiles& files, const std::string& output,
                           const OnProgress& progress = {});

}  // namespace trawl::inline v0
