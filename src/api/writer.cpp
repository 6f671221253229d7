#include <optional>
#include <utility>

#include "api/guarded.hpp"
#include "api/map_files.hpp"
#include "api/mapper.hpp"
#include "api/reference.hpp"
#include "base/error.hpp"
#include "cli/options/map_outputs.hpp"
#include "io/read/fasta_reader.hpp"
#include "io/stats/map_stats.hpp"
#include "io/stats/progress.hpp"
#include "io/write/sam_header.hpp"
#include "run/batch_source.hpp"
#include "run/make_sink.hpp"
#include "run/map_pipeline.hpp"

namespace trawl::api {

namespace {

// Tells the caller how far the input is read.
class ToldSource final : public run::InputBatches {
 public:
  ToldSource(io::ReadInput& input, const OnProgress& tell, std::uint64_t total)
      : InputBatches(input), tell_(tell), total_(total) {}

  std::optional<Taken> take(std::size_t reads, std::size_t bases, io::ReadInput::Batch& batch) override {
    if (tell_ && !tell_({read_, total_})) {
      throw Cancelled();
    }
    auto taken = InputBatches::take(reads, bases, batch);
    if (taken) {
      read_ = batch.reads.input_bytes;
    }
    return taken;
  }

 private:
  const OnProgress& tell_;
  std::uint64_t total_;
  std::uint64_t read_ = 0;
};

void write(const Mapper::Impl& mapper, const ReadFiles& files, const std::string& output, const OnProgress& progress) {
  mapper.use_threads();
  cli::MapArguments arguments = mapper.arguments;
  arguments.output = output;
  arguments.reads = files.reads;
  arguments.mates = files.mates;
  arguments.interleaved = files.interleaved;
  const Reference::Impl& reference = *mapper.reference.impl();
  io::SinkOptions options = cli::sink_options(arguments, mapper.options, reference.fasta);
  const std::optional<std::uint64_t> memory_to_sort = cli::sort_memory(arguments);
  io::ReadInput input(cli::read_files(arguments), mapper.options.threads);
  io::RunStats stats;
  std::optional<PairEngine> of_pairs;
  if (input.paired()) {
    of_pairs.emplace(mapper);
    (*of_pairs)->set_inserts(
        run::find_inserts(input, **of_pairs, mapper.options, mapper.inserts, arguments.batch_size, stats));
  }
  engine::Engine& engine = of_pairs ? **of_pairs : *mapper.engine;
  if (memory_to_sort) {
    options.sort = io::SortOptions{.memory = *memory_to_sort,
                                   .mark_duplicates = arguments.mark_duplicates,
                                   .progress = {},
                                   .stats = &stats.sort.emplace()};
  }
  const bool needs_md5s = io::needs_md5s(options) && reference.md5s.empty();
  const auto sink = run::make_sink(options, *reference.reference,
                                   needs_md5s ? io::contig_md5s(*reference.reference) : reference.md5s);
  io::Progress none(false, {});
  ToldSource source(input, progress, input.total_bytes().value_or(0));
  run::map_reads(source, engine, *sink, mapper.options, arguments.batch_size, none, stats);
  input.check_end();
  sink->close();
}

}  // namespace

}  // namespace trawl::api

namespace trawl::inline v0 {

void map_to_file(const Mapper& mapper, const ReadFiles& files, const std::string& output, const OnProgress& progress) {
  if (files.reads.empty() || output.empty()) {
    throw UsageError(files.reads.empty() ? "no file of reads is given" : "no output is given");
  }
  api::guarded([&] { api::write(*mapper.impl(), files, output, progress); });
}

}  // namespace trawl::inline v0
