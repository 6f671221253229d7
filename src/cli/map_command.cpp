#include <algorithm>
#include <future>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/counted.hpp"
#include "base/error.hpp"
#include "base/packer.hpp"
#include "base/stopwatch.hpp"
#include "cli/command_run.hpp"
#include "cli/commands.hpp"
#include "cli/map_messages.hpp"
#include "cli/options/map_options.hpp"
#include "cli/options/map_outputs.hpp"
#include "cli/options/map_presets.hpp"
#include "cli/serve_queries.hpp"
#include "cli/server_client.hpp"
#include "io/format/file_format.hpp"
#include "io/read/fasta_reader.hpp"
#include "io/read/file_sample.hpp"
#include "io/read/read_input.hpp"
#include "io/read/reference_files.hpp"
#include "io/report/igv_session.hpp"
#include "io/report/map_report.hpp"
#include "io/report/report_page.hpp"
#include "io/stats/map_stats.hpp"
#include "io/stats/multiqc.hpp"
#include "io/stats/progress.hpp"
#include "io/write/alignment_sink.hpp"
#include "io/write/nameless_file.hpp"
#include "io/write/sam_header.hpp"
#include "ranks/batch_dealer.hpp"
#include "ranks/cluster.hpp"
#include "ranks/record_sender.hpp"
#include "run/batch_source.hpp"
#include "run/engine_choice.hpp"
#include "run/load_reference.hpp"
#include "run/make_sink.hpp"
#include "run/map_pipeline.hpp"

namespace trawl::cli {

namespace {

// How many threads wait for other ranks: those of the pipeline, and on the first rank one for the records of all. They
// need no core.
constexpr unsigned kThreadsForOthers = ranks::kWaitingThreads + 1;

// The work of one rank, or of the only process.
class MapRun {
 public:
  MapRun(const MapArguments& arguments, ranks::Cluster& cluster)
      : arguments_(arguments), cluster_(cluster), run_("map", arguments, stats_, &cluster) {}

  void run() {
    cluster_.together([&] { check_options(); });
    warn_of_unpaired_mates();
    say(read_group_hint(arguments_.read_group));
    Stopwatch watch;
    auto warm_up = std::async(std::launch::async, [&] { choice_->warm_up(); });
    open_reads();
    load_reference();
    watch.lap(stats_.seconds["reference"]);
    start_checksums();
    cluster_.together([&] { warm_up.get(); });
    make_engine();
    watch.lap(stats_.seconds["index"]);
    if (paired()) {
      set_inserts();
      watch.lap(stats_.seconds["inserts"]);
    }
    cluster_.together([&] { make_report(); });
    io::Progress progress(run_.shows_progress(), input_ ? input_->total_bytes() : std::nullopt);
    open_output(progress);
    watch.lap(stats_.seconds["header"]);
    if (cluster_.is_alone()) {
      map_alone(progress);
    } else {
      map_with_others(progress);
    }
    if (cluster_.is_first()) {
      run_.end([&] { sink_->close(); }, progress);
      say_warnings();
      write_reports();
      run_.report(io::stats_json(stats_), summary(stats_, options_));
      say(few_mapped_hint(stats_, arguments_.max_edits, options_));
    }
  }

 private:
  void say(const std::string& text) const {
    if (!text.empty()) {
      run_.say(text);
    }
  }

  // What the options mean, and whether the outputs can be written.
  void check_options() {
    options_ = map_options(arguments_);
    files_ = read_files(arguments_);
    given_inserts_ = insert_range(arguments_);
    format_ = output_format(arguments_);
    memory_to_sort_ = sort_memory(arguments_);
    check_outputs();
    share_node(cluster_, arguments_, options_);
    choice_.emplace(arguments_.engine, options_);
    std::vector<std::string> inputs = files_.reads;
    inputs.insert(inputs.end(), files_.mates.begin(), files_.mates.end());
    inputs.push_back(arguments_.reference);
    run_.begin(inputs, options_.threads, index_outputs(arguments_));
    if (memory_to_sort_ && cluster_.is_first()) {
      io::NamelessFile("sorted records");  // an error now, not when the memory is full
    }
  }

  void check_outputs() {
    if (arguments_.eqx && format_ == io::OutputFormat::cram) {
      throw UsageError("--eqx: CRAM does not keep = and X; write .bam or .sam, or leave --eqx out");
    }
    io::parse_read_group(arguments_.read_group);
    if (!cluster_.is_alone() && !io::is_list_of_files(arguments_.reference) && io::is_stream(arguments_.reference)) {
      throw UsageError(
          "under mpirun each rank reads the reference, which cannot be the standard input or a pipe; name a file");
    }
    if (!arguments_.igv_session.empty() && cluster_.is_first()) {
      genome_ = run::fasta_file(arguments_.reference);
      io::check_igv_session(genome_, arguments_.output, arguments_.sort);
    }
  }

  void warn_of_unpaired_mates() const {
    if (files_.mates.empty() && !files_.interleaved) {
      say(read_files_warning(files_.reads));
    }
  }

  bool paired() const { return files_.interleaved || !files_.mates.empty(); }

  // The pipeline sets the number of reads and bases per batch while it runs.
  void open_reads() {
    cluster_.together([&] {
      if (cluster_.is_first()) {
        input_.emplace(files_, options_.threads);
      }
    });
  }

  void load_reference() {
    std::string sample;
    cluster_.together([&] {
      loaded_ = run::load_reference(arguments_.reference, options_.threads,
                                    {run::CircularUse::repeated, arguments_.circular});
      if (!cluster_.is_alone()) {
        for (const std::string& file : io::reference_files(arguments_.reference)) {
          sample += io::file_sample(file) + '\n';
        }
      }
    });
    cluster_.compare(sample, "the reference " + arguments_.reference);
    for (const std::string& warning : loaded_.warnings) {
      run_.say(warning);
    }
    stats_.contigs = loaded_.reference.contigs().size();
    stats_.reference_bases = loaded_.reference.bases();
    find_shortest_circle();
    outputs_ = sink_options(arguments_, options_, loaded_.fasta);
    if (io::needs_md5s(outputs_)) {  // there will be a header: an error now, not when the index is built
      cluster_.together([&] { io::check_contig_lengths(loaded_.reference.contigs()); });
    }
    if (loaded_.files && format_ == io::OutputFormat::cram) {
      outputs_.reference_urls.clear();
      for (std::size_t c = 0; c < loaded_.reference.contigs().size(); ++c) {
        outputs_.reference_urls.push_back(reference_for_htslib(std::string(loaded_.files->of(c))));
      }
    }
  }

  // What is repeated of a contig is enough for reads that are no longer than it, and than run::kMostOverOrigin.
  void find_shortest_circle() {
    for (const sequence::Contig& contig : loaded_.reference.searched().contigs()) {
      if (const std::uint64_t length = std::min(contig.circle(), run::kMostOverOrigin);
          length > 0 && (options_.shortest_circle == 0 || length < options_.shortest_circle)) {
        options_.shortest_circle = length;
      }
    }
  }

  // Those of the contigs, while the index is built. With one thread, when the header needs them.
  void start_checksums() {
    const bool needed = io::needs_md5s(outputs_) && loaded_.md5s.empty() && cluster_.is_first();
    md5s_ = std::async(options_.threads > 1 ? std::launch::async : std::launch::deferred,
                       [this, needed] { return needed ? io::contig_md5s(loaded_.reference) : loaded_.md5s; });
  }

  void make_engine() {
    {
      const io::Waiting waiting(run_.shows_progress(), loaded_.seeds ? "making the engine" : "building the index");
      cluster_.together([&] { engine_ = choice_->make(loaded_.reference, loaded_.seeds); });
    }
    run_.say_engine(engine_->description(), choice_->why());
    if (choice_->name() == "cpu") {
      say(saved_index_hint(arguments_.reference));
    }
    run_.use_threads(options_.threads + engine_->waiting_threads() + (cluster_.is_alone() ? 0 : kThreadsForOthers));
  }

  // The first rank finds the insert sizes.
  void set_inserts() {
    align::InsertModel inserts;
    cluster_.together([&] {
      if (cluster_.is_first()) {
        inserts = run::find_inserts(*input_, *engine_, options_, given_inserts_, arguments_.batch_size, stats_);
      }
    });
    cluster_.broadcast({reinterpret_cast<char*>(&inserts), sizeof inserts});
    if (!cluster_.is_first()) {
      stats_.pairs.inserts = io::Histogram(inserts.min, inserts.max);
    }
    engine_->set_inserts(inserts);
    say(run::insert_text(stats_.insert));
    say(run::insert_warning(stats_.insert, options_.pairs.orientation));
  }

  void make_report() {
    if (!arguments_.report_html.empty() || !arguments_.igv_session.empty()) {
      report_.emplace(loaded_.reference);
    }
  }
  io::MapReport* report() { return report_ ? &*report_ : nullptr; }

  void open_output(io::Progress& progress) {
    if (memory_to_sort_) {
      outputs_.sort = {.memory = *memory_to_sort_,
                       .mark_duplicates = arguments_.mark_duplicates,
                       .progress = [&](double share) { progress.show_phase("sorting", share); },
                       .stats = &stats_.sort.emplace()};
    }
    cluster_.together([&] {
      if (cluster_.is_first()) {
        sink_ = run::make_sink(outputs_, loaded_.reference, md5s_.get());
      }
    });
  }

  void map_alone(io::Progress& progress) {
    try {
      run::InputBatches source(*input_);
      run::map_reads(source, *engine_, *sink_, options_, arguments_.batch_size, progress, stats_, report());
      input_->check_end();
    } catch (const std::bad_alloc&) {
      throw Error(out_of_memory_text(arguments_));
    }
  }

  // Maps the batches of all ranks. Afterwards the statistics of the first rank are those of all.
  void map_with_others(io::Progress& progress) {
    const ranks::RunEnd run_end = run_.run_end(out_of_memory_text(arguments_));
    ranks::RecordSender records(cluster_, run::make_formatter(outputs_, loaded_.reference));
    const auto map = [&](auto& source) {
      try {
        run::map_reads(source, *engine_, records, options_, arguments_.batch_size, progress, stats_, report());
      } catch (...) {
        if (source.taken() > records.sent()) {
          records.fail(run_end.message());
        }
        run_end.end(run_end.message());
      }
      stats_.seconds["send"] = std::exchange(stats_.seconds["write"], 0);
      cluster_.barrier();  // all ranks have been told that there are no more batches
    };
    if (cluster_.is_first()) {
      ranks::RecordCollector collector(cluster_, *sink_, options_.threads, run_end);
      run_end.guard([&] {
        ranks::BatchDealer dealer(cluster_, *input_, collector.owners(), run_end, options_.threads);
        map(dealer);
        collector.wait();
      });
      stats_.seconds["write"] = collector.seconds();
    } else {
      ranks::DealtBatches dealt(cluster_, paired());
      map(dealt);
    }
    cluster_.together([&] {
      if (cluster_.is_first()) {
        input_->check_end();
      }
    });
    gather_stats();
  }

  void gather_stats() {
    Packer packed;
    packed.add(run_.of_this_rank(stats_.reads)).add<io::RunCounts>(stats_).add(stats_.limits);
    if (report_ && !cluster_.is_first()) {
      report_->pack(packed);
    }
    const std::vector<std::string> all = cluster_.gather(packed.bytes());
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      Unpacker from(all[rank]);
      from.get(stats_.ranks.emplace_back());
      if (rank > 0) {
        io::RunCounts counts;
        io::LimitCounts limits;
        from.get(counts);
        from.get(limits);
        stats_ += counts;
        stats_.limits += limits;
        if (report_) {
          report_->add_packed(from);
        }
      }
    }
  }

  void say_warnings() const {
    for (const std::string& warning : run_warnings(stats_, arguments_.max_edits, arguments_.clip)) {
      say(warning);
    }
    if (stats_.limits.longer_than_circle > 0) {
      say("warning: " + counted(stats_.limits.longer_than_circle, "read") + " of more than " +
          counted(options_.shortest_circle, "base") +
          ": places over the origin of a circular sequence of this length may be missing");
    }
    if (!arguments_.sort) {
      say(old_index_warning(arguments_.output, format_));
    }
    if (format_ == io::OutputFormat::cram) {
      const std::vector<std::string> one{loaded_.fasta};
      for (const std::string& file : loaded_.files ? io::reference_files(loaded_.fasta) : one) {
        say(cram_reference_warning(arguments_.output, file));
      }
    }
  }

  void write_reports() {
    if (!arguments_.multiqc.empty()) {
      io::write_multiqc(stats_, arguments_.multiqc);
    }
    if (!arguments_.report_html.empty()) {
      io::RunFiles named{loaded_.fasta, files_.reads, arguments_.output};
      named.inputs.insert(named.inputs.end(), files_.mates.begin(), files_.mates.end());
      io::write_report_page(io::map_report_json(*report_, stats_, named, options_.ambiguous == map::Ambiguous::match),
                            arguments_.report_html);
    }
    if (!arguments_.igv_session.empty()) {
      io::IgvSession session{genome_, arguments_.output, {}};
      for (const io::Window& window : report_->windows().chosen()) {
        session.regions.push_back(
            {report_->reference().contigs()[window.place.contig].name, window.place.begin, window.place.end});
      }
      io::write_igv_session(session, arguments_.igv_session);
    }
  }

  const MapArguments& arguments_;
  ranks::Cluster& cluster_;
  io::RunStats stats_;
  CommandRun run_;

  map::Options options_;
  io::ReadInput::Files files_;
  std::optional<run::InsertRange> given_inserts_;
  io::OutputFormat format_ = io::OutputFormat::sam;
  std::optional<std::uint64_t> memory_to_sort_;
  std::string genome_;  // with --igv-session, on the first rank: the FASTA
  std::optional<run::MapChoice> choice_;

  std::optional<io::ReadInput> input_;  // on the first rank
  run::LoadedReference loaded_;
  io::SinkOptions outputs_;
  std::future<std::vector<std::string>> md5s_;
  std::unique_ptr<engine::Engine> engine_;
  std::optional<io::MapReport> report_;
  std::unique_ptr<io::AlignmentSink> sink_;  // on the first rank
};

// --server.
void map_by_server(const MapArguments& arguments, serve::Fields parameters) {
  map_options(arguments);
  const io::ReadInput::Files files = read_files(arguments);
  const io::OutputFormat format = output_format(arguments);
  if (format == io::OutputFormat::bam || format == io::OutputFormat::cram) {
    throw UsageError("with --server the output is SAM or BED; for BAM: trawl map --server ... | samtools view -b -o " +
                     (arguments.output == "-" ? "FILE.bam" : arguments.output));
  }
  const int level = compression_level(arguments, is_bgzf(format));
  const bool is_bed = format != io::OutputFormat::sam;
  parameters.emplace_back("format", is_bed ? "bed" : "sam");
  ServerCall call{"map", arguments.server,      arguments.reference,
                  {},    std::move(parameters), files.interleaved || !files.mates.empty() ? "/pairs" : "/map"};
  for (const std::string& path : files.reads) {
    call.files.push_back({"reads", path});
  }
  for (const std::string& path : files.mates) {
    call.files.push_back({"mates", path});
  }
  ask_server(call, arguments, is_bgzf(format) ? std::optional(level) : std::nullopt);
}

constexpr const char* kMapExamples = R"(
Examples:
  trawl map genome.fa reads.fq.gz -o best.bam
      the best place of every read, with a mapping quality from all its places
  trawl map -e 5 --report all genome.fa reads.fq.gz -o all.bam
      every place within 5 edits
  trawl map -e 4% --report strata --strata 1 -t 8 genome.fa lane1.fq.gz,lane2.fq.gz -o strata.cram
      the best places and those with one edit more
  trawl map genome.fa reads_1.fq.gz reads_2.fq.gz -o pairs.bam
      the best place of every pair; the insert sizes are estimated from the first pairs
  trawl map --for variants genome.fa reads_1.fq.gz reads_2.fq.gz -o sample.bam
      sample.bam in coordinate order, duplicates marked, and its index, sample.bam.bai
  trawl map --end-to-end genome.fa reads.fq.gz -o whole.bam
      only reads that fit as a whole; in the other examples with one place for each read, ends that
      do not belong are left out (adapters, bad tails), and a long end that fits elsewhere is a
      supplementary record
  trawl map --clip 30% --report all genome.fa reads.fq.gz -o clipped.bam
      every place, also of reads of which up to 30% must be left out at their ends

)";

}  // namespace

Command map_command(const std::string& typed) {
  const auto arguments = std::make_shared<MapArguments>();
  arguments->command_line = typed;
  Command command = map_rules(arguments);
  command.footer = kMapExamples + presets_text();
  const auto parameters = std::make_shared<serve::Fields>();
  command.check = [arguments, parameters, check = command.check](const Command& given) {
    check(given);
    if (!arguments->server.empty()) {
      *parameters = parameters_of(given);
    }
  };
  command.work = [arguments, parameters](ranks::Cluster& cluster) {
    if (arguments->server.empty()) {
      MapRun(*arguments, cluster).run();
    } else if (cluster.is_first()) {
      map_by_server(*arguments, *parameters);
    }
  };
  return command;
}

}  // namespace trawl::cli
