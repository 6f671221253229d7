#include "map/cpu_engine.hpp"

#include <algorithm>

#include "align/pair_reporter.hpp"
#include "align/placements.hpp"
#include "align/read_reporter.hpp"
#include "align/record_order.hpp"
#include "align/select.hpp"
#include "base/stopwatch.hpp"
#include "map/cpu_range_finder.hpp"
#include "map/loci_finder.hpp"
#include "map/search_depth.hpp"
#include "map/short_reads.hpp"
#include "seed/seed_index.hpp"

namespace trawl::map {

namespace {

// A mate's list of more loci is freed as soon as its pair is reported.
constexpr std::size_t kKeptLoci = 4096;

class CpuWorker final : public engine::Worker {
 public:
  CpuWorker(const sequence::Reference& reference, const seed::SeedIndex& index, const Options& options,
            const align::InsertModel& inserts, bool single)
      : options_(options),
        single_(single),
        short_reads_(options_, reference.bases()),
        depth_(reference, options),
        finder_(reference, index, options),
        reporter_(reference, options.ambiguous == Ambiguous::match, options.eqx, options.report_rule(), options.gaps()),
        pair_reporter_(reference, reporter_, options.pairs, inserts),
        encoded_(2 * LociFinder::kGroupReads),
        mates_(LociFinder::kGroupReads) {}

  void map(const sequence::ReadBatch& batch, align::AlignmentBatch& out) override {
    out.clear();
    out.reads.resize(batch.size());
    const bool paired = batch.paired && !single_;
    out.pairs.resize(paired ? batch.size() / 2 : 0);
    for (std::size_t first = 0; first < batch.size(); first += LociFinder::kGroupReads) {
      map_group(batch, first, std::min(batch.size(), first + LociFinder::kGroupReads), out);
    }
    align::sort_records(out);
  }

  engine::StageSeconds seconds() const override {
    engine::StageSeconds sum = finder_.seconds();
    sum += seconds_;
    return sum;
  }

 private:
  // A read of a group that is being searched.
  struct Pending {
    std::uint32_t read = 0;   // index in the batch
    std::uint32_t place = 0;  // index of its forward strand in encoded_
    std::uint32_t allowed_edits = 0;
    std::uint32_t depth = 0;  // the number of edits searched for
    bool left = false;        // left to a scan
  };

  // A mate and its loci, which are kept until those of the other mate are known, too.
  struct Mate {
    Pending pending;
    std::vector<align::Locus> loci;
    bool searched = false;
    bool proven = false;  // the loci are those of a full search, as far as the depth reaches

    bool is_complete() const { return !searched || pending.depth == pending.allowed_edits; }
  };

  void map_group(const sequence::ReadBatch& batch, std::size_t first, std::size_t last, align::AlignmentBatch& out) {
    Stopwatch watch;
    pending_.clear();
    const bool paired = !out.pairs.empty();
    for (std::size_t r = first; r < last; ++r) {
      const std::uint32_t allowed = options_.allowed_edits(batch.length(r));
      if (paired) {
        Mate& mate = mates_[r - first];
        mate.pending = {};
        mate.loci.clear();
        mate.searched = false;
      }
      if (short_reads_.is_too_short(batch.bases(r))) {
        out.reads[r].unmapped = align::Unmapped::too_short;
        continue;
      }
      const auto place = static_cast<std::uint32_t>(2 * (r - first));
      encoded_[place].encode(batch.bases(r), options_.ambiguous == Ambiguous::match);
      encoded_[place + 1].encode_reverse_complement(encoded_[place]);
      pending_.push_back(
          {static_cast<std::uint32_t>(r), place, allowed, depth_.first(encoded_[place], allowed, paired)});
    }
    watch.lap(seconds_.seed);
    finder_.keep_all(paired);
    while (!pending_.empty()) {
      search(batch, first, out);
    }
  }

  // Searches the pending reads. Those that must be searched again stay pending.
  void search(const sequence::ReadBatch& batch, std::size_t first_read, align::AlignmentBatch& out) {
    searched_.swap(pending_);
    pending_.clear();
    take_strands(searched_);
    finder_.find(strands_);
    to_scan_.clear();
    for (std::size_t p = 0; p < searched_.size(); ++p) {
      if (finder_.left_to_scan(2 * p)) {
        to_scan_.push_back(searched_[p]);
        searched_[p].left = true;
      }
    }
    finish(batch, searched_, first_read, out);
    for (std::size_t first = 0; first < to_scan_.size();) {
      std::size_t last = std::min(first + LociFinder::kScannedReads, to_scan_.size());
      if (last < to_scan_.size() && !out.pairs.empty() && to_scan_[last - 1].read / 2 == to_scan_[last].read / 2) {
        --last;  // mates stay together
      }
      const auto reads = std::span(to_scan_).subspan(first, last - first);
      take_strands(reads);
      finder_.scan(strands_);
      finish(batch, reads, first_read, out);
      first = last;
    }
  }

  void take_strands(std::span<const Pending> reads) {
    strands_.clear();
    for (const Pending& read : reads) {
      strands_.push_back({&encoded_[read.place], read.depth, read.allowed_edits});
      strands_.push_back({&encoded_[read.place + 1], read.depth, read.allowed_edits});
    }
  }

  // Of the reads just searched, reports those that need no further search.
  void finish(const sequence::ReadBatch& batch, std::span<const Pending> reads, std::size_t first_read,
              align::AlignmentBatch& out) {
    Stopwatch watch;
    if (out.pairs.empty()) {
      report_found(batch, reads, out);
    } else {
      report_pairs(batch, reads, first_read, out);
    }
    watch.lap(seconds_.align);
  }

  void report_found(const sequence::ReadBatch& batch, std::span<const Pending> reads, align::AlignmentBatch& out) {
    for (std::size_t p = 0; p < reads.size(); ++p) {
      if (p + 1 < reads.size()) {
        prefetch(2 * p + 2);
      }
      if (reads[p].left) {
        continue;
      }
      align::ReadLoci read;
      const std::uint32_t needed = choose(batch, reads[p], 2 * p, read);
      if (needed <= reads[p].depth) {
        align::ReadResult& result = out.reads[reads[p].read];
        reporter_.report(read, result, out);
        if (align::are_enough(reporter_.rule(), result.best_count)) {
          result.next_count = 0;
          result.next_known = false;
        }
      } else {
        pending_.push_back(reads[p]);
        pending_.back().depth = needed;
      }
    }
  }

  void prefetch(std::size_t strand) {
    for (const std::size_t s : {strand, strand + 1}) {
      reporter_.aligner().prefetch(finder_.loci(s), *strands_[s].read);
    }
  }

  align::ReadLoci loci_of(const sequence::ReadBatch& batch, const Pending& read,
                          std::span<const align::Locus> loci) const {
    const auto qualities = batch.qualities(read.read);
    align::ReadLoci found;
    found.loci = loci;
    found.strands[0] = &encoded_[read.place];
    found.strands[1] = &encoded_[read.place + 1];
    found.qualities = qualities.empty() ? nullptr : qualities.data();
    found.max_edits = read.allowed_edits;
    return found;
  }

  void collect(std::size_t strand, std::vector<align::Locus>& loci) const {
    const auto forward = finder_.loci(strand);
    const auto reverse = finder_.loci(strand + 1);
    loci.assign(forward.begin(), forward.end());
    loci.insert(loci.end(), reverse.begin(), reverse.end());
  }

  // Whether the loci of a read are those of a search for all allowed edits, as far as its depth reaches.
  bool proven(const Pending& read, std::size_t strand) const {
    return read.depth == read.allowed_edits || (finder_.proven(strand) && finder_.proven(strand + 1));
  }

  // Collects and selects the loci of a read. Returns the number of edits that it must be searched for.
  std::uint32_t choose(const sequence::ReadBatch& batch, const Pending& pending, std::size_t strand,
                       align::ReadLoci& read) {
    if (!proven(pending, strand)) {
      return pending.allowed_edits;
    }
    collect(strand, loci_);
    read = loci_of(batch, pending, loci_);
    std::uint32_t best = kMaxEdits;
    for (const align::Locus& locus : loci_) {
      best = std::min<std::uint32_t>(best, locus.distance);
    }
    const std::uint32_t most = options_.placements ? kMaxEdits : best + align::kWorse;
    reporter_.place(read, pending.depth, most, placements_[0]);
    const align::Selection& selection = reporter_.select(read, align::name_hash(batch.name(pending.read)));
    return pending.depth == pending.allowed_edits ? pending.depth
                                                  : depth_.needed(selection, read.loci, pending.allowed_edits);
  }

  // The same for pairs: first all loci of the mates just searched are kept, then each pair is reported, or its mates
  // are searched again.
  void report_pairs(const sequence::ReadBatch& batch, std::span<const Pending> reads, std::size_t first_read,
                    align::AlignmentBatch& out) {
    for (std::size_t p = 0; p < reads.size(); ++p) {
      Mate& mate = mates_[reads[p].read - first_read];
      mate.pending = reads[p];
      mate.searched = true;
      if (!reads[p].left) {
        prefetch(2 * p);
        collect(2 * p, mate.loci);
        mate.proven = proven(reads[p], 2 * p);
      }
    }
    for (std::size_t p = 0; p < reads.size(); ++p) {
      const std::size_t pair = reads[p].read / 2;
      if (p > 0 && reads[p - 1].read / 2 == pair) {
        continue;
      }
      Mate* const mates = &mates_[2 * pair - first_read];
      if ((mates[0].searched && mates[0].pending.left) || (mates[1].searched && mates[1].pending.left)) {
        continue;
      }
      report_pair(batch, pair, mates, out);
    }
  }

  void report_pair(const sequence::ReadBatch& batch, std::size_t pair, Mate* mates, align::AlignmentBatch& out) {
    align::ReadLoci loci[2];
    for (unsigned m = 0; m < 2; ++m) {
      if (mates[m].searched) {
        loci[m] = loci_of(batch, mates[m].pending, mates[m].loci);
        if (mates[m].proven) {
          reporter_.place(loci[m], mates[m].pending.depth, kMaxEdits, placements_[m]);
        }
      }
    }
    pair_reporter_.begin(loci[0], loci[1]);
    std::uint32_t needed[2] = {0, 0};
    find_needed(mates, loci, needed);
    bool again = false;
    for (unsigned m = 0; m < 2; ++m) {
      if (mates[m].searched && needed[m] > mates[m].pending.depth) {
        pending_.push_back(mates[m].pending);
        pending_.back().depth = needed[m];
        again = true;
      }
    }
    if (!again) {
      pair_reporter_.report(align::name_hash(batch.name(2 * pair)), out.pairs[pair], &out.reads[2 * pair], out);
      for (unsigned m = 0; m < 2; ++m) {
        if (mates[m].loci.capacity() > kKeptLoci) {
          mates[m].loci = {};
        }
      }
    }
  }

  // For how many edits each mate must be searched.
  void find_needed(const Mate* mates, const align::ReadLoci* loci, std::uint32_t* needed) {
    if (mates[0].is_complete() && mates[1].is_complete()) {
      return;
    }
    bool decided = true;
    for (unsigned m = 0; m < 2; ++m) {
      const Mate& mate = mates[m];
      if (!mate.is_complete() && (!mate.proven || mate.loci.empty())) {
        needed[m] = mate.pending.allowed_edits;
        decided = false;
      }
    }
    if (decided) {
      depth_.needed_for_pair(loci, pair_reporter_.smallest_sum(), needed);
    }
  }

  Options options_;
  bool single_;  // mates are mapped like single reads
  ShortReads short_reads_;
  SearchDepth depth_;
  LociFinder finder_;
  align::ReadReporter reporter_;
  align::PairReporter pair_reporter_;
  engine::StageSeconds seconds_;
  std::vector<sequence::EncodedRead> encoded_;
  std::vector<Pending> pending_;
  std::vector<Pending> searched_;
  std::vector<Pending> to_scan_;
  std::vector<Strand> strands_;
  std::vector<align::Locus> loci_;
  align::Placements placements_[2];  // of a read, or of the mates of a pair
  std::vector<Mate> mates_;          // of the group
};

class CpuEngine final : public engine::Engine {
 public:
  CpuEngine(const sequence::Reference& reference, const Options& options)
      : reference_(reference),
        options_(options),
        index_(options.seeds ? options.seeds
                             : std::make_shared<seed::SeedIndex>(
                                   reference, seed::SeedIndex::suggest_q(reference.bases()), options.threads)) {}

  std::unique_ptr<engine::Worker> make_worker() override {
    return std::make_unique<CpuWorker>(reference_, *index_, options_, inserts_, false);
  }

  std::unique_ptr<engine::Worker> make_single_worker() override {
    Options options = options_;
    options.report = Report::best;
    return std::make_unique<CpuWorker>(reference_, *index_, options, inserts_, true);
  }

  std::unique_ptr<engine::RangeFinder> make_range_finder() override {
    return std::make_unique<CpuRangeFinder>(reference_, *index_, options_);
  }

  void set_inserts(const align::InsertModel& inserts) override { inserts_ = inserts; }

  std::size_t reads_per_batch() const override { return 2048; }

  std::size_t batches_under_way(unsigned threads) const override { return 2 * std::size_t{threads}; }

  std::string description() const override {
    return "cpu (" + std::string(simd_target()) + ", " + std::to_string(options_.threads) + " threads, seeds of " +
           std::to_string(index_->q()) + ")";
  }

 private:
  const sequence::Reference& reference_;
  Options options_;
  align::InsertModel inserts_;
  std::shared_ptr<const seed::SeedIndex> index_;
};

}  // namespace

std::unique_ptr<engine::Engine> make_cpu_engine(const sequence::Reference& reference, const Options& options) {
  return std::make_unique<CpuEngine>(reference, options);
}

std::string cpu_engine_description() { return "SIMD: " + std::string(simd_target()); }

}  // namespace trawl::map
