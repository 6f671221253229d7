#include "session/map_run.hpp"

#include <algorithm>
#include <future>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/machine_memory.hpp"
#include "base/packer.hpp"
#include "base/stopwatch.hpp"
#include "cli/options/map_files.hpp"
#include "io/read/gzip/input_file.hpp"
#include "io/read/reference_files.hpp"
#include "io/report/map_report.hpp"
#include "io/stats/map_stats.hpp"
#include "io/write/nameless_file.hpp"
#include "io/write/read_files.hpp"
#include "pipeline/engine_choice.hpp"
#include "ranks/batch_dealer.hpp"
#include "ranks/record_sender.hpp"
#include "session/load_reference.hpp"
#include "session/map_messages.hpp"
#include "session/map_session.hpp"
#include "session/reports.hpp"

namespace trawl::session {

namespace {

// How many threads wait for other ranks: those of the pipeline, and on the first rank one for the records of all. They
// need no core.
constexpr unsigned kThreadsForOthers = ranks::kWaitingThreads + 1;

// What the options mean.
struct MapPlan {
  map::MapOptions options;
  io::ReadInput::Files files;
  std::optional<std::uint64_t> memory_to_sort;
  std::string genome;  // with --igv-session, on the first rank: the FASTA
  pipeline::MapChoice choice;
};

void check_outputs(const cli::MapArguments& a, const ranks::Cluster& cluster) {
  if (!cluster.is_alone() && !cli::reads_outputs(a).empty()) {
    throw UsageError(
        "--unmapped FILE and --mapped FILE do not work under mpirun; write .bam, then take the reads out "
        "of it: samtools fastq -f 4");
  }
  if (!cluster.is_alone() && !io::is_list_of_files(a.reference) && io::is_stream(a.reference)) {
    throw UsageError(
        "under mpirun each rank reads the reference, which cannot be the standard input or a pipe; name a file");
  }
}

// Also whether the outputs can be written. From now on `run` can say something.
MapPlan make_plan(const cli::MapArguments& a, CommandRun& run, io::RunStats& stats) {
  const bool is_first = run.cluster().is_first();
  map::MapOptions options = cli::map_options(a);
  io::ReadInput::Files files = cli::read_files(a);
  const auto memory_to_sort = cli::sort_memory(a);
  check_outputs(a, run.cluster());
  std::string genome = a.igv_session.empty() || !is_first ? "" : genome_of_session(a.reference, a.output, a.sort);
  share_node(run.cluster(), a, options);
  pipeline::MapChoice choice(a.engine, options);
  std::vector<std::string> inputs = files.reads;
  inputs.insert(inputs.end(), files.mates.begin(), files.mates.end());
  inputs.push_back(a.reference);
  std::vector<cli::NamedOutput> outputs = cli::index_outputs(a);
  for (cli::NamedOutput& file : cli::reads_outputs(a)) {
    outputs.push_back(std::move(file));
  }
  run.begin(a, stats, inputs, options.threads, outputs);
  if (memory_to_sort && is_first) {
    io::NamelessFile("sorted records");  // an error now, not when the memory is full
  }
  return {std::move(options), std::move(files), memory_to_sort, std::move(genome), std::move(choice)};
}

LoadedReference load(const cli::MapArguments& a, const MapPlan& plan, CommandRun& run, io::RunStats& stats) {
  ranks::Cluster& cluster = run.cluster();
  LoadedReference loaded;
  std::string sample;
  cluster.together([&] {
    loaded = load_reference(a.reference, plan.options.threads, {CircularUse::repeated, a.circular}, a.renames_contigs);
    for (const std::string& file : cluster.is_alone() ? std::vector<std::string>() : io::reference_files(a.reference)) {
      sample += io::file_sample(file) + '\n';
    }
  });
  cluster.compare(sample, "the reference " + a.reference);
  for (const std::string& warning : loaded.warnings) {
    run.say(warning);
  }
  stats.contigs = loaded.reference.contigs().size();
  stats.reference_bases = loaded.reference.bases();
  return loaded;
}

// What is repeated of a contig is enough for reads that are no longer than it, and than kMostOverOrigin. 0: no contig
// is circular.
std::uint64_t shortest_circle(const sequence::Reference& reference) {
  std::uint64_t shortest = 0;
  for (const sequence::Contig& contig : reference.searched().contigs()) {
    const std::uint64_t length = std::min(contig.circle(), kMostOverOrigin);
    shortest = shortest == 0 || (length > 0 && length < shortest) ? length : shortest;
  }
  return shortest;
}

io::SinkOptions output_options(const cli::MapArguments& a, const MapPlan& plan, const LoadedReference& loaded,
                               CommandRun& run) {
  io::SinkOptions output = cli::sink_options(a, plan.options, loaded.fasta);
  if (io::needs_md5s(output)) {  // there will be a header: an error now, not when the index is built
    run.cluster().together([&] { io::check_contig_lengths(loaded.reference.contigs()); });
  }
  if (loaded.files && output.format == io::OutputFormat::cram) {
    output.reference_urls.clear();
    for (std::size_t c = 0; c < loaded.reference.contigs().size(); ++c) {
      output.reference_urls.push_back(io::reference_for_htslib(std::string(loaded.files->of(c))));
    }
  }
  return output;
}

// The FASTA files of the reference.
std::vector<std::string> fastas(const LoadedReference& loaded) {
  return loaded.files ? io::reference_files(loaded.fasta) : std::vector{loaded.fasta};
}

// What the header needs.
struct HeaderData {
  std::vector<std::string> md5s;  // of the contigs
  std::string fault;              // why CRAM is written without the reference
};

// While the index is built. With one thread, when the header needs it.
std::future<HeaderData> start_header(const io::SinkOptions& output, const LoadedReference& loaded, const MapPlan& plan,
                                     CommandRun& run) {
  const bool needed = io::needs_md5s(output) && loaded.md5s.empty() && run.cluster().is_first();
  const bool is_cram = output.format == io::OutputFormat::cram && run.cluster().is_first();
  return std::async(plan.options.threads > 1 ? std::launch::async : std::launch::deferred, [&loaded, needed, is_cram] {
    return HeaderData{needed ? io::contig_md5s(loaded.reference) : loaded.md5s,
                      is_cram ? io::fault_for_htslib(fastas(loaded)) : ""};
  });
}

std::unique_ptr<engine::Engine> make_engine(const cli::MapArguments& a, MapPlan& plan, const LoadedReference& loaded,
                                            CommandRun& run) {
  ranks::Cluster& cluster = run.cluster();
  std::unique_ptr<engine::Engine> engine;
  {
    const io::ElapsedTime waiting(run.shows_progress(), loaded.seeds ? "making the engine" : "building the index");
    cluster.together([&] { engine = plan.choice.make(loaded.reference, loaded.seeds); });
  }
  run.say_engine(engine->description(), plan.choice.why());
  if (plan.choice.name() == "cpu") {
    run.say(saved_index_hint(a.reference));
  }
  run.use_threads(plan.options.threads + engine->waiting_threads() + (cluster.is_alone() ? 0 : kThreadsForOthers));
  return engine;
}

// The first rank finds the insert sizes.
void set_inserts(MapSession& session, std::optional<io::ReadInput>& input, engine::Engine& engine, const MapPlan& plan,
                 CommandRun& run, io::RunStats& stats) {
  ranks::Cluster& cluster = run.cluster();
  align::InsertModel inserts;
  cluster.on_first([&] { inserts = session.find_inserts(*input, stats); });
  cluster.broadcast({reinterpret_cast<char*>(&inserts), sizeof inserts});
  if (!cluster.is_first()) {
    stats.pairs.inserts = io::Histogram(inserts.min, inserts.max);
  }
  engine.set_inserts(inserts);
  run.say(insert_text(stats.insert));
  run.say(insert_warning(stats.insert, plan.options.pairs.orientation));
}

// The same for the rates of damage.
void set_damage(MapSession& session, std::optional<io::ReadInput>& input, engine::Engine& engine,
                align::DamageRates& damage, CommandRun& run, io::RunStats& stats) {
  stats.damage_rates.source = "given";
  if (damage.estimated) {
    run.cluster().on_first([&] {
      const align::DamageRates found = session.find_damage(*input, stats);
      stats.damage_rates.source = found.estimated ? "default" : "estimated";
      damage = found;
    });
    damage.estimated = false;
    run.cluster().broadcast({reinterpret_cast<char*>(&damage), sizeof damage});
    engine.set_damage(damage);
  }
  stats.damage_rates.rates = damage;
  run.say(damage_text(stats.damage_rates));
}

// Adds up what all ranks have counted, on the first one.
void gather_stats(CommandRun& run, io::RunStats& stats, io::MapReport* report) {
  ranks::Cluster& cluster = run.cluster();
  Packer packed;
  packed.add(run.of_this_rank(stats.sequences)).add<io::RunCounts>(stats).add(stats.limits);
  if (report != nullptr && !cluster.is_first()) {
    report->pack(packed);
  }
  const std::vector<std::string> all = cluster.gather(packed.bytes());
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    Unpacker from(all[rank]);
    from.get(stats.ranks.emplace_back());
    if (rank > 0) {
      io::RunCounts counts;
      io::LimitCounts limits;
      from.get(counts);
      from.get(limits);
      stats += counts;
      stats.limits += limits;
      if (report != nullptr) {
        report->add_packed(from);
      }
    }
  }
}

// What the user can do if the memory is not enough while reads are mapped.
std::string out_of_memory_text(const cli::MapArguments& a) {
  std::string advice;
  const auto add = [&](bool helps, const std::string& what) {
    advice += helps ? (advice.empty() ? "" : ", or ") + what : "";
  };
  if (a.rules.report != map::Report::best) {
    add(true, a.rules.max_hits > 0
                  ? "give a smaller -k"
                  : std::string("give -k, which limits the records of each ") + (a.paired() ? "pair" : "read"));
    add(a.paired(), "a narrower --insert");
  }
  add(advice.empty(), "use fewer threads (-t)");
  return "not enough memory to map the reads: " + advice + ", or a machine with more memory" + memory_limit_text();
}

// What one process, or one rank, does with the reads.
struct MapWork {
  const cli::MapArguments& arguments;
  MapSession& session;
  io::Progress& progress;
  io::RunStats& stats;
  io::MapReport* report;

  void map_alone(io::ReadInput& input, io::AlignmentSink& sink) const {
    try {
      pipeline::InputBatches source(input);
      session.map(source, sink, progress, stats, report);
      input.check_end();
    } catch (const std::bad_alloc&) {
      throw Error(out_of_memory_text(arguments));
    }
  }

  // The batches of all ranks. Afterwards the statistics of the first rank are those of all. `input`, `sink`: null but
  // on the first rank.
  void map_with_others(CommandRun& run, io::ReadInput* input, io::AlignmentSink* sink,
                       std::unique_ptr<io::RecordFormatter> formatter, unsigned threads) const {
    ranks::Cluster& cluster = run.cluster();
    const ranks::RunEnd run_end = run.run_end(out_of_memory_text(arguments));
    ranks::RecordSender records(cluster, std::move(formatter));
    const auto map_all = [&](auto& source) {
      try {
        session.map(source, records, progress, stats, report);
      } catch (...) {
        if (source.taken() > records.sent()) {
          records.fail(run_end.message());
        }
        run_end.end(run_end.message());
      }
      stats.seconds["send"] = std::exchange(stats.seconds["write"], 0);
      cluster.barrier();  // all ranks know that there are no more batches
    };
    if (cluster.is_first()) {
      ranks::RecordReceiver collector(cluster, *sink, threads, run_end);
      run_end.guard([&] {
        ranks::BatchDealer dealer(cluster, *input, collector.owners(), run_end, threads);
        map_all(dealer);
        collector.wait();
      });
      stats.seconds["write"] = collector.seconds();
    } else {
      ranks::DealtBatches dealt(cluster, arguments.paired());
      map_all(dealt);
    }
    cluster.on_first([&] { input->check_end(); });
    gather_stats(run, stats, report);
  }
};

void say_warnings(const cli::MapArguments& a, const MapPlan& plan, const std::vector<std::string>& fastas_for_cram,
                  const CommandRun& run, const io::RunStats& stats) {
  for (const std::string& warning : run_warnings(stats, a)) {
    run.say(warning);
  }
  run.say(longer_than_circle_warning(stats, plan.options));
  const io::OutputFormat format = cli::output_format(a);
  if (!a.sort) {
    run.say(old_index_warning(a.output, format));
  }
  for (const std::string& file : fastas_for_cram) {
    run.say(cram_reference_warning(a.output, file));
  }
}

}  // namespace

void run_map(const cli::MapArguments& a, CommandRun& run) {
  ranks::Cluster& cluster = run.cluster();
  io::RunStats stats;
  stats.collapsed = a.collapsed;
  std::optional<MapPlan> made;
  cluster.together([&] { made.emplace(make_plan(a, run, stats)); });
  MapPlan& plan = *made;
  run.say(a.paired() ? "" : read_files_warning(plan.files.reads));
  run.say(read_group_hint(a.header_lines));

  Stopwatch watch;
  auto warm_up = std::async(std::launch::async, [&] { plan.choice.warm_up(); });
  std::optional<io::ReadInput> input;  // on the first rank
  cluster.on_first([&] { input.emplace(plan.files, plan.options.threads); });
  const LoadedReference loaded = load(a, plan, run, stats);
  plan.options.shortest_circle = shortest_circle(loaded.reference);
  io::SinkOptions output = output_options(a, plan, loaded, run);
  watch.lap(stats.seconds["reference"]);

  auto header = start_header(output, loaded, plan, run);
  cluster.together([&] { warm_up.get(); });
  const auto engine = make_engine(a, plan, loaded, run);
  watch.lap(stats.seconds["index"]);

  MapSession session(*engine, plan.options, a.insert, a.batch_size);
  bool paired = false;  // alignments may have pairs
  cluster.on_first([&] {
    input->open();
    paired = input->paired();
    output.input_headers = input->headers();
  });
  cluster.broadcast({reinterpret_cast<char*>(&paired), sizeof paired});
  if (plan.options.damage.on()) {  // of single reads
    set_damage(session, input, *engine, plan.options.damage, run, stats);
    watch.lap(stats.seconds["damage"]);
  } else if (paired) {
    set_inserts(session, input, *engine, plan, run, stats);
    watch.lap(stats.seconds["inserts"]);
  }
  std::optional<io::MapReport> report;
  cluster.together([&] {
    if (shows_places(a)) {
      report.emplace(loaded.reference, a.collapsed);
    }
  });
  io::Progress progress(run.shows_progress(), input ? input->total_bytes() : std::nullopt);
  if (plan.memory_to_sort) {
    output.sort = {.memory = *plan.memory_to_sort,
                   .mark_duplicates = a.mark_duplicates,
                   .progress = [&](double share) { progress.show_phase("sorting", share); },
                   .stats = &stats.sort.emplace()};
  }
  std::unique_ptr<io::AlignmentSink> sink;  // on the first rank
  cluster.on_first([&] {
    const HeaderData of_header = header.get();
    output.without_reference = !of_header.fault.empty();
    run.say(without_reference_warning(a.output, of_header.fault));
    sink = io::with_read_files(make_sink(output, loaded.reference, of_header.md5s),
                               {a.unmapped_file, a.mapped_file, output.compression_level});
  });
  watch.lap(stats.seconds["header"]);

  const MapWork work{a, session, progress, stats, report ? &*report : nullptr};
  if (cluster.is_alone()) {
    work.map_alone(*input, *sink);
  } else {
    work.map_with_others(run, input ? &*input : nullptr, sink.get(), make_formatter(output, loaded.reference),
                         plan.options.threads);
  }
  if (cluster.is_first()) {
    run.end([&] { sink->close(); }, progress);
    const bool names_reference = output.format == io::OutputFormat::cram && !output.without_reference;
    say_warnings(a, plan, names_reference ? fastas(loaded) : std::vector<std::string>(), run, stats);
    write_map_reports({a, plan.options, plan.files, loaded.fasta, plan.genome}, report ? &*report : nullptr, stats);
    run.report(io::stats_json(stats), summary(stats, plan.options));
    run.say(few_mapped_hint(stats, a, plan.options));
  }
}

}  // namespace trawl::session
