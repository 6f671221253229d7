#include "session/scan_run.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/counted.hpp"
#include "base/machine_memory.hpp"
#include "base/packer.hpp"
#include "base/stopwatch.hpp"
#include "base/version.hpp"
#include "io/write/labeled_reads.hpp"
#include "io/write/read_call_table.hpp"
#include "io/write/read_folder.hpp"
#include "pipeline/read_calls.hpp"
#include "ranks/scan_ranks.hpp"
#include "scan/pam.hpp"
#include "session/haplotype_scan.hpp"
#include "session/reports.hpp"
#include "session/scan_inputs.hpp"
#include "session/scan_session.hpp"

namespace trawl::session {

namespace {

// Where the records go: a file of places; or, with --per-read best, a row for each read, and files of reads.
class ScanTarget : public io::RecordSink {
 public:
  // All of `chunks` was searched: completes the files.
  virtual void close(const io::ChunkSource& chunks) = 0;
};

class FileTarget final : public ScanTarget {
 public:
  // `others`: records between those of the reference.
  FileTarget(const io::ScanSinkOptions& options, const scan::PatternList& patterns,
             std::vector<scan::SiteRecord> others)
      : file_(options, patterns), others_(std::move(others)), merged_(file_, others_) {}

  void write(std::span<const scan::SiteRecord> records, const sequence::ContigNames& names) override {
    merged_.write(records, names);
  }
  void close(const io::ChunkSource& chunks) override {
    sequence::ContigNames names;
    for (const sequence::Contig& contig : chunks.contigs()) {
      names.set(names.size(), contig.name);
    }
    merged_.finish(names);
    file_.close(chunks.contigs(), chunks.md5s());
  }
  // For lines that are made already.
  io::ScanSink& file() { return file_; }

 private:
  io::ScanSink file_;
  std::vector<scan::SiteRecord> others_;
  MergingSink merged_;
};

// What a read may have.
const scan::PatternList& rows_of(const ScanPlan& plan, const ScanInputs& inputs) {
  return plan.structure ? inputs.barcodes.rows : inputs.patterns;
}

class CallTarget final : public ScanTarget {
 public:
  // Counts the calls in `stats`. `plan` and `inputs` must outlive this object.
  CallTarget(const ScanPlan& plan, const ScanInputs& inputs, scan::TieInputs ties, io::ScanStats& stats)
      : ties_(std::move(ties)), samples_(plan.input), barcodes_(plan.structure ? &inputs.barcodes : nullptr) {
    const auto take = [this, &stats](const sequence::ReadBatch& reads, std::span<const scan::ReadCall> calls) {
      if (table_) {
        table_->write(reads, calls);
      }
      if (folder_) {
        folder_->write(reads, calls);
      }
      if (file_) {
        file_->write(reads, calls);
      }
      stats.count(calls);
      for (std::size_t c = 0; c < calls.size(); ++c) {
        const bool is_assigned = calls[c].kind == scan::CallKind::assigned;
        stats.samples[samples_.sample_of[reads.origin(reads.paired ? 2 * c : c).file]].add(
            is_assigned ? std::optional(calls[c].best.pattern) : std::nullopt);
      }
    };
    if (plan.rule->partial > 0) {
      const auto [first, last] = plan.arguments.within.value_or(io::ReadEnds{});
      overhangs_.emplace(inputs.patterns, plan.options, plan.rule->partial, first, last);
    }
    if (barcodes_ != nullptr) {
      calls_ = std::make_unique<pipeline::StructuredCalls>(ties_, *plan.rule, plan.options.metric, *barcodes_, take);
    } else {
      calls_ = std::make_unique<pipeline::ReadCalls>(
          pipeline::ReadCalls::Search{&ties_, overhangs_ ? &*overhangs_ : nullptr}, *plan.rule, take);
    }
    stats.reads.emplace();
    for (const std::string& name : samples_.names) {
      stats.samples.emplace_back().name = name;
      stats.samples.back().by_row.resize(plan.arguments.counts.empty() ? 0 : rows_of(plan, inputs).size());
    }
  }

  // What is written of the reads: nothing, unless it is given.
  void open(const io::ScanSinkOptions& table, const scan::PatternList& patterns) {
    table_.emplace(table, patterns, samples_, barcodes_);
  }
  void open(const io::ReadFolderOptions& folder, const scan::PatternList& patterns) {
    folder_.emplace(folder, patterns);
  }
  void open(const io::SinkOptions& file, const io::LabelRule& labels, const scan::PatternList& patterns) {
    file_.emplace(file, labels, patterns);
  }

  void write(std::span<const scan::SiteRecord> records, const sequence::ContigNames& names) override {
    calls_->write(records, names);
  }
  void end_chunk(const sequence::TextChunk& chunk) override { calls_->end_chunk(chunk); }
  void close(const io::ChunkSource&) override {
    if (folder_) {
      folder_->close();
    }
    if (file_) {
      file_->close();
    }
    if (table_) {
      table_->close();
    }
  }

 private:
  scan::TieInputs ties_;
  std::optional<scan::Overhangs> overhangs_;
  std::optional<io::ReadCallTable> table_;
  std::optional<io::ReadFolder> folder_;
  const io::ReadSamples& samples_;
  const io::BarcodeLists* barcodes_;  // of reads with a structure
  std::optional<io::LabeledFile> file_;
  std::unique_ptr<io::RecordSink> calls_;
};

// What is searched, and what finds it.
struct PreparedScan {
  scan::QueryList queries;
  scan::PatternList searched;  // the patterns with the PAM
  std::unique_ptr<scan::Finder> finder;
  std::vector<std::uint32_t> exact_reads;  // by pattern, with --ties posterior
};

// Also the counters of what will be found.
void prepare(ScanPlan& plan, const ScanInputs& inputs, PreparedScan& search, CommandRun& run, io::ScanStats& stats) {
  Stopwatch watch;
  const cli::ScanArguments& a = plan.arguments;
  if (plan.options.pam.bases.empty() && !(a.summary.empty() && a.variants.empty())) {
    throw UsageError(std::string(a.summary.empty() ? "--vcf" : "--summary") + " is for guides; give --pam");
  }
  if (!a.summary.empty()) {
    stats.guides.emplace(inputs.patterns, plan.options, cli::guide_rules(a, plan.options));
  }
  stats.patterns = inputs.patterns.size();
  if (a.ties == scan::Ties::posterior) {
    search.exact_reads = exact_reads(plan, inputs);
    watch.lap(stats.seconds["exact"]);
  }
  search.queries = scan::make_queries(inputs.patterns, plan.options);
  search.searched = scan::with_pam(inputs.patterns, plan.options.pam);
  watch.lap(stats.seconds["queries"]);
  std::vector<bool> is_searched;
  for (const auto pattern : rows_of(plan, inputs)) {
    is_searched.push_back(!scan::matches_everywhere(pattern, plan.options.max_edits));
    stats.patterns_not_searched += is_searched.back() ? 0 : 1;
  }
  if (shows_places(a)) {
    stats.sites.emplace(inputs.patterns.size());
  }
  if (plan.counts_by_pattern()) {
    // Of a combination all edits count.
    const std::size_t barcodes = plan.structure ? inputs.barcodes.of_barcode.size() : 1;
    stats.records_by_pattern.emplace(std::move(is_searched),
                                     static_cast<std::uint32_t>(plan.options.max_edits * barcodes));
  }
  watch.lap(stats.seconds["check"]);
  search.finder = plan.choice.make(search.queries, inputs.reference.bytes);
  watch.lap(stats.seconds["tables"]);
  run.say_engine(search.finder->description(), plan.choice.why());
}

Chunks open_chunks(const ScanPlan& plan, ScanInputs& inputs, const ScanSession& session, const scan::Finder& finder) {
  const cli::ScanArguments& a = plan.arguments;
  if (inputs.reference.reads) {
    return session.chunks_of(std::move(inputs.reference.reads), {.gap = finder.least_gap(),
                                                                 .within = a.within.value_or(io::ReadEnds{}),
                                                                 .structure = plan.structure,
                                                                 .files = inputs.reference.files});
  }
  return session.chunks_of(std::move(inputs.reference.contigs), CircularRule{a.circular, plan.against_circular.empty()},
                           plan.format == io::ScanFormat::sam);
}

io::ScanSinkOptions output_options(const ScanPlan& plan, const ScanInputs& inputs) {
  const cli::ScanArguments& a = plan.arguments;
  io::ScanSinkOptions output{a.output, cli::canonical_command_line(a, inputs.reference.fasta), version(),
                             plan.options.threads, plan.level};
  output.more = cli::more_columns(a, plan.options);
  output.more.genes = inputs.genes;
  output.more.haplotypes = !a.variants.empty();
  output.more.files = inputs.reference.files;
  return output;
}

// The sites on alternative alleles; none without --vcf.
std::vector<scan::SiteRecord> haplotype_records(const ScanPlan& plan, const ScanInputs& inputs,
                                                const PreparedScan& search, CommandRun& run, io::ScanStats& stats) {
  const std::string& file = plan.arguments.variants;
  if (file.empty()) {
    return {};
  }
  Stopwatch watch;
  HaplotypeSites sites = haplotype_sites(file, *inputs.in_memory, *search.finder, search.queries, plan.options);
  run.warn_all(sites.warnings);
  run.say(file + ": " + counted(sites.records.size(), "site") +
          " with alternative alleles, besides those of the reference");
  watch.lap(stats.seconds["haplotypes"]);
  return std::move(sites.records);
}

std::unique_ptr<ScanTarget> open_target(const ScanPlan& plan, const ScanInputs& inputs, const PreparedScan& search,
                                        bool has_output, CommandRun& run, io::ScanStats& stats) {
  const cli::ScanArguments& a = plan.arguments;
  const io::ScanSinkOptions output = output_options(plan, inputs);
  if (!plan.rule) {
    return std::make_unique<FileTarget>(output, search.searched, haplotype_records(plan, inputs, search, run, stats));
  }
  const scan::PatternList& rows = plan.structure ? inputs.barcodes.rows : search.searched;
  const scan::ReadStructure* const structure = plan.structure ? &plan.structure->structure : nullptr;
  const std::size_t mates = structure != nullptr ? structure->inserts() : a.paired() ? 2 : 1;
  auto target = std::make_unique<CallTarget>(
      plan, inputs, scan::TieInputs{plan.structure ? inputs.patterns : search.searched, search.exact_reads}, stats);
  io::LabelRule labels = a.labels;
  labels.barcodes = plan.structure ? &inputs.barcodes : nullptr;
  io::LabelRule with_tags = labels;
  with_tags.tags = labels.tags == io::ReadTags{} ? io::kUsualTags : labels.tags;
  if (a.outputs_reads()) {
    io::SinkOptions file;
    file.path = a.output;
    file.input_headers = inputs.reference.read_headers;
    file.command_line = output.command_line;
    file.version = output.version;
    file.without_reference = true;
    file.threads = plan.options.threads;
    file.compression_level = plan.level;
    target->open(file, with_tags, rows);
  } else if ((a.extract.empty() && a.counts.empty()) || has_output) {  // beside these, a table has a name
    target->open(output, rows);
  }
  if (!a.extract.empty()) {
    target->open(
        io::ReadFolderOptions{.path = a.extract,
                              .labels = structure != nullptr && structure->umi_letters() > 0 ? with_tags : labels,
                              .mates = mates,
                              .threads = plan.options.threads,
                              .compression_level = plan.level},
        rows);
  }
  return target;
}

// Adds up the counts of all ranks, on the first one.
void gather_stats(const ScanPlan& plan, CommandRun& run, io::ScanStats& stats) {
  ranks::Cluster& cluster = run.cluster();
  Packer packer;
  packer.add(run.of_this_rank(stats.searched_bases));
  if (stats.sites && !cluster.is_first()) {
    packer.add(*stats.sites);
  }
  for (const std::string& rank : cluster.gather(packer.bytes())) {
    Unpacker unpacker(rank);
    unpacker.get(stats.ranks.emplace_back());
    if (stats.sites && !unpacker.at_end()) {
      io::SiteSample sites(0);
      unpacker.get(sites);
      stats.sites->add(sites);
    }
  }
  stats.records_by_distance.resize(plan.options.max_edits + std::size_t{1});
  cluster.sum({&stats.records, 1});
  cluster.sum(stats.records_by_distance);
  if (stats.records_by_pattern) {
    cluster.sum(stats.records_by_pattern->all());
  }
  if (stats.guides) {
    cluster.sum(stats.guides->all());
  }
  while (!stats.records_by_distance.empty() && stats.records_by_distance.back() == 0) {
    stats.records_by_distance.pop_back();
  }
}

// The chunks of all ranks. Afterwards the statistics of the first rank are those of all.
void scan_with_others(const ScanPlan& plan, const ScanInputs& inputs, const PreparedScan& search,
                      const ScanSession& session, const Chunks& chunks, io::ScanSink* sink, io::Progress& progress,
                      CommandRun& run, io::ScanStats& stats) {
  std::optional<ranks::ScanSource> source;
  if (run.cluster().is_first()) {
    source.emplace(
        ranks::ScanSource{chunks.source, inputs.reference.bytes, session.chunk_size(false), progress, *sink});
  }
  io::ScanLines lines(plan.format, search.searched, plan.options.threads, output_options(plan, inputs).more);
  ranks::run_scan_ranks(run.cluster(), source ? &*source : nullptr,
                        run.run_end("not enough memory: use a machine with more"), *search.finder, search.queries,
                        plan.options, lines, stats);
  gather_stats(plan, run, stats);
}

void say_warnings(const ScanPlan& plan, const ScanInputs& inputs, const Chunks& chunks, CommandRun& run,
                  const io::ScanStats& stats) {
  const cli::ScanArguments& a = plan.arguments;
  run.warn_all({chunks.source->warning()});
  if (chunks.circles && !chunks.circles->empty() && !plan.against_circular.empty()) {
    run.warn("sequences with TP:circular in their headers were taken as linear: no places over an origin with " +
             plan.against_circular);
  }
  if (a.labels.trim != io::Trim::none && stats.reads && stats.reads->several_places > 0) {
    run.warn(counted(stats.reads->several_places, "read") +
             " with several places as good as the best one: --trim cuts at the leftmost in the read, at the columns "
             "start and end of the table (-o)");
  }
  for (const io::SampleCounts& sample : stats.samples) {
    if (plan.input.is_named || !a.counts.empty() || plan.structure ? sample.assigned * 2 < sample.reads
                                                                   : sample.assigned == 0 && sample.reads > 0) {
      run.warn("sample " + sample.text() + " assigned; " +
               (plan.structure ? "look at the order of the parts, and at the direction of the barcodes in the reads"
                               : "look at --strand, -e and --within"));
    }
  }
  if (inputs.genes) {
    run.warn_all({inputs.genes->warning(chunks.source->contigs(), a.annotation)});
  }
}

void scan(const cli::ScanArguments& arguments, bool has_output, CommandRun& run) {
  ranks::Cluster& cluster = run.cluster();
  io::ScanStats stats;
  std::optional<ScanPlan> made;
  cluster.together([&] { made.emplace(make_plan(arguments, run, stats)); });
  ScanPlan& plan = *made;
  ScanInputs inputs;
  cluster.on_first([&] { read_inputs(plan, inputs, run, stats); });
  share_inputs(plan, inputs, run);
  PreparedScan search;
  Chunks chunks;  // on the first rank
  const ScanSession session(search.queries, plan.options, plan.arguments.chunk_size);
  cluster.together([&] {
    prepare(plan, inputs, search, run, stats);
    if (cluster.is_first()) {
      chunks = open_chunks(plan, inputs, session, *search.finder);
    }
  });
  io::Progress progress(run.shows_progress(), inputs.reference.bytes, "bases");
  std::unique_ptr<ScanTarget> target;  // on the first rank
  cluster.on_first([&] { target = open_target(plan, inputs, search, has_output, run, stats); });
  if (cluster.is_alone()) {
    session.scan(*search.finder, chunks, *target, progress, stats);
  } else {
    io::ScanSink* const file = target ? &static_cast<FileTarget&>(*target).file() : nullptr;
    scan_with_others(plan, inputs, search, session, chunks, file, progress, run, stats);
  }
  if (cluster.is_first()) {
    say_warnings(plan, inputs, chunks, run, stats);
    run.end([&] { target->close(*chunks.source); }, progress);
    write_scan_reports({plan.arguments, plan.options, plan.level, rows_of(plan, inputs), inputs.columns,
                        search.searched, chunks.source->contigs(), inputs.reference.fasta, plan.genome},
                       stats);
    run.report([&](const std::string& path) { io::write_stats(stats, rows_of(plan, inputs), path); },
               scan_summary(stats, plan.options, chunks.are_reads));
  }
}

}  // namespace

// The reference is read piece by piece: the patterns are what memory can be too small for.
void run_scan(const cli::ScanArguments& arguments, bool has_output, CommandRun& run) {
  try {
    scan(arguments, has_output, run);
  } catch (const std::bad_alloc&) {
    throw Error("not enough memory: give fewer patterns at a time, fewer --threads, or a machine with more memory" +
                memory_limit_text());
  }
}

}  // namespace trawl::session
