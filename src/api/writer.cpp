#include <optional>

#include "api/guarded.hpp"
#include "api/mapper.hpp"
#include "api/reference.hpp"
#include "base/error.hpp"
#include "cli/options/map_files.hpp"
#include "io/read/read_input.hpp"
#include "io/read/reference_files.hpp"
#include "io/stats/map_stats.hpp"
#include "io/stats/progress.hpp"
#include "session/map_session.hpp"

namespace trawl::api {

namespace {

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
  std::optional<PairEngine> of_pairs;
  input.open();
  options.input_headers = input.headers();
  if (input.paired()) {
    of_pairs.emplace(mapper);
  }
  io::RunStats stats;
  if (memory_to_sort) {
    options.sort = io::SortOptions{.memory = *memory_to_sort,
                                   .mark_duplicates = arguments.mark_duplicates,
                                   .progress = {},
                                   .stats = &stats.sort.emplace()};
  }
  options.without_reference =
      options.format == io::OutputFormat::cram && !io::fault_for_htslib({reference.fasta}).empty();
  const bool needs_md5s = io::needs_md5s(options) && reference.md5s.empty();
  const auto sink = session::make_sink(options, *reference.reference,
                                       needs_md5s ? io::contig_md5s(*reference.reference) : reference.md5s);
  io::Progress none(false, {});
  ProgressReport report(progress, input.total_bytes().value_or(0));
  session::MapSession(of_pairs ? **of_pairs : *mapper.engine, mapper.options, arguments.insert, arguments.batch_size)
      .run(input, *sink, none, stats, [&](const io::ReadInput::InputBatch& batch) {
        report.done = batch.reads.input_bytes;
        Stop::look();
      });
  report.say();
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
