// The reads or pairs of a run, in batches: from one list of files, from two of them, or from one with the mates in
// turn.
//
//   ReadInput input({.reads = {"reads_1.fq"}, .mates = {"reads_2.fq"}});
//   ReadInput::InputBatch batch;
//   while (input.next(batch)) {
//     batch.reads.paired == true
//     batch.reads.name(0) == batch.reads.name(1)
//   }
//
// Two lists: the first file of each is opened before either is read, and pipes are read side by side, so that one
// program can write to both.
//
// The mates of a pair have equal names. /1 at the end of the first mate's name and /2 at the end of the second one's
// are removed.
//
// A SAM, BAM or CRAM has pairs and single reads; so has an interleaved list with `singles`: neighbours of equal names
// are a pair. Such batches are mixed (see sequence::ReadBatch), unless they have single reads only.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/read/read_source.hpp"
#include "sequence/read_batch.hpp"

namespace trawl::io {

class ReadInput {
 public:
  struct Files {
    std::vector<std::string> reads;
    std::vector<std::string> mates = {};            // of second mates; the records of both lists are paired in order
    bool interleaved = false;                       // the mates of each pair follow each other in `reads`
    std::optional<CommentRule> comments = {};       // keeps the SAM tags in the reads' comments
    bool singles = false;                           // interleaved: there may be reads without mates
    bool phred64 = false;                           // the qualities are Phred+64
    bool alignments_have_pairs = true;              // otherwise each read of SAM, BAM and CRAM is by itself
    std::function<void(std::size_t)> on_text = {};  // see TextOptions
  };

  /// A batch on its way through the three steps. Reusable.
  struct InputBatch {
    sequence::ReadBatch reads;  // the result; complete after finish()

    // Two lists: the mates as they were cut.
    sequence::ReadBatch first;
    sequence::ReadBatch second;
    std::exception_ptr failure;  // the error of the input after the last complete pair
    bool finished = false;
    std::size_t used = 0;  // with single reads among pairs, before finish(): so many of `reads`

    /// How many reads were taken from one list, before finish().
    std::size_t taken() const { return used > 0 ? used : (reads.size() + 1) / 2 * 2; }

    /// Lets go of the input's text. The memory of the batch is kept.
    void clear() {
      reads.clear();
      first.clear();
      second.clear();
    }
  };

  /// Throws what ReadSource throws. `threads`, `block_bytes`: for each list.
  explicit ReadInput(const Files& files, unsigned threads = 1, std::size_t block_bytes = TextOptions{}.block_bytes);

  /// See ReadSource::use_open().
  void use_open(std::unique_ptr<InputFile> file) { reads_.use_open(std::move(file)); }

  /// Opens the first files, which the first take_reads() does otherwise: then it is known whether they are alignments.
  void open();
  /// After open(). Also if some of the reads have no mates.
  bool paired() const { return order_ != Order::single; }
  /// The headers of SAM, BAM and CRAM files; empty for others. After open(). Throws IoError, InputError.
  std::vector<std::string> headers() const { return reads_.headers(); }
  /// Two lists of files: take_mates() has work to do.
  bool has_two_lists() const { return mates_.has_value(); }

  /// For the next batches. A batch of pairs has an even number of reads, at least 2.
  void set_batch(std::size_t reads, std::size_t bases);

  /// The next batch; false if the input has ended. Throws InputError, IoError. Same as the three steps below, then
  /// check_end().
  bool next(InputBatch& batch);

  /// Step 1: cuts the next reads, of two lists the first mates. False if there are no more. Throws InputError, IoError.
  bool take_reads(InputBatch& batch);
  /// Step 2: cuts the second mates of this batch. May run while step 1 runs for a later batch. Its errors are thrown by
  /// step 3.
  void take_mates(InputBatch& batch);
  /// Does the longest part of step 3 with several threads.
  void check_ahead(InputBatch& batch) const;
  /// Step 3: checks the reads and pairs them. Several batches can be finished at the same time. Throws the first error
  /// of the batch. So the first error of the input is reported, whatever the size of the batches.
  void finish(InputBatch& batch) const;
  /// After the last batch. Throws InputError if the second list has more reads than the first one.
  void check_end();

  /// Gives finished batches back: take_reads() returns their reads again, before anything else, in batches that are not
  /// larger than set_batch() asks for. Must not be called while such batches are left.
  void put_back(std::vector<InputBatch> batches);

  /// See ReadSource::file_name(). Of two lists, the first one.
  const std::string& file_name(std::uint32_t file) const { return reads_.file_name(file); }
  /// Size of all files; nothing if one of them is not a regular file.
  std::optional<std::uint64_t> total_bytes() const;

 private:
  void take_put_back(InputBatch& batch);
  bool take_mixed(InputBatch& batch);
  void finish_interleaved(InputBatch& batch) const;
  void finish_mixed(InputBatch& batch) const;
  std::size_t count_held(const sequence::ReadBatch& reads) const;
  void finish_two_lists(InputBatch& batch) const;
  std::exception_ptr lone_mate(const ReadSource& source, const sequence::ReadBatch& batch, std::size_t read,
                               const std::string& why) const;

  std::shared_ptr<std::atomic<std::size_t>> taken_in_turn_;  // of the two lists, see TextBlocks
  ReadSource reads_;
  std::optional<ReadSource> mates_;
  enum class Order { single, lists, interleaved, mixed } order_;
  bool has_mixed_ = true;     // alignments
  bool is_open_ = false;      // the first files of both lists
  sequence::ReadBatch held_;  // mixed: reads that were taken, and whose mate may come next
  std::size_t reads_per_batch_ = kReadsPerBatch;
  std::uint64_t batches_ = 0;  // taken so far
  std::deque<InputBatch> put_back_;
  std::size_t taken_again_ = 0;  // reads of put_back_.front()
  std::string reads_list_;       // the files, for messages
  std::string mates_list_;
};

}  // namespace trawl::io
