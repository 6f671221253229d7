#include "session/scan_inputs.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/counted.hpp"
#include "base/error.hpp"
#include "base/packer.hpp"
#include "base/stopwatch.hpp"
#include "io/format/file_format.hpp"
#include "io/read/gzip/input_file.hpp"
#include "io/write/read_call_table.hpp"
#include "io/write/read_files.hpp"
#include "pipeline/read_calls.hpp"
#include "ranks/scan_messages.hpp"
#include "session/pattern_check.hpp"
#include "session/reports.hpp"

namespace trawl::session {

namespace {

// A place over the origin ends after the end of its sequence.
std::string against_circular(const cli::ScanArguments& a, io::ScanFormat format, bool is_alone) {
  const std::pair<const char*, bool> others[] = {{"a file named .sam", format == io::ScanFormat::sam},
                                                 {"--vcf", !a.variants.empty()},
                                                 {"--report-html", !a.report_html.empty()},
                                                 {"--igv-session", !a.igv_session.empty()},
                                                 {"mpirun", !is_alone},
                                                 {"--per-read best", a.best_per_read},
                                                 {"--within", a.within.has_value()}};
  for (const auto& [what, is_given] : others) {
    if (is_given) {
      return what;
    }
  }
  return "";
}

void check_outputs(const ScanPlan& plan, bool is_alone) {
  const cli::ScanArguments& a = plan.arguments;
  if (plan.rule && !is_alone) {
    throw UsageError("--per-read best cannot be used under mpirun; use it without");
  }
  const auto is_pipe = [](const std::string& file) {
    std::error_code error;
    return file == "-" || std::filesystem::is_fifo(file, error);
  };
  const std::vector<std::string> mates = a.mates.empty() ? std::vector<std::string>() : io::reference_files(a.mates);
  if (a.ties == scan::Ties::posterior && (std::any_of(plan.input.files.begin(), plan.input.files.end(), is_pipe) ||
                                          std::any_of(mates.begin(), mates.end(), is_pipe))) {
    throw UsageError("--ties posterior reads the reads twice, which a pipe does not allow; give a file as REF");
  }
  if (!a.variants.empty() && !is_alone) {
    throw UsageError("--vcf cannot be used under mpirun; use it without");
  }
  // A sheet may have mates, too, which the options do not know.
  if (a.paired() && (a.labels.orient || (plan.structure && plan.structure->strands == scan::Strands::both))) {
    throw UsageError(std::string(a.labels.orient ? "--orient" : "--strand both") +
                     " is for single reads; leave it out with pairs");
  }
  if (a.interleaved && !plan.input.mates.empty()) {
    throw UsageError("--interleaved: " + a.reference + " has files of second mates (fastq_2); leave one out");
  }
  if (plan.structure && plan.structure->structure.inserts() < 2 && cli::output_files(a).size() == 2) {
    throw UsageError("-o " + a.output +
                     ": % stands for the mates, of which only one has a template (T); name one file");
  }
  io::check_table_name("--summary", a.summary);
  io::check_table_name("--counts", a.counts);
  if (!a.circular.empty() && !plan.against_circular.empty()) {
    throw UsageError("--circular cannot be used with " + plan.against_circular + "; leave one of them out");
  }
  if (io::is_list_of_files(a.reference) && !is_alone) {
    throw UsageError("several references cannot be used with mpirun; search them one after the other");
  }
}

// An input of Cas-OFFinder also has options.
void take_cas_options(const ScanInputs& inputs, ScanPlan& plan, const CommandRun& run) {
  if (!inputs.cas) {
    return;
  }
  run.say(take_options(*inputs.cas, plan.arguments));
  const WorkOptions work = plan.options;
  plan.options = cli::scan_options(plan.arguments);
  static_cast<WorkOptions&>(plan.options) = work;
  plan.choice = pipeline::ScanChoice(plan.arguments.engine, plan.options);
}

std::shared_ptr<const std::vector<scan::ExactBarcodes>> exact_barcodes(const io::BarcodeLists& lists) {
  const auto exact = std::make_shared<std::vector<scan::ExactBarcodes>>();
  for (const auto& [first, last] : lists.of_barcode) {
    exact->emplace_back(lists.patterns, first, last);
  }
  return exact;
}

// The barcodes of different lists do not meet.
std::vector<std::string> barcode_warnings(const io::BarcodeLists& lists, const scan::CallRule& rule,
                                          const scan::ScanOptions& options) {
  std::vector<std::string> warnings;
  for (std::size_t b = 0; b < lists.of_barcode.size(); ++b) {
    const auto [first, last] = lists.of_barcode[b];
    if (b > 0 && first == lists.of_barcode[0].first) {
      break;  // one list for all
    }
    scan::PatternList one;
    for (std::uint32_t p = first; p < last && last - first < lists.patterns.size(); ++p) {
      one.add(lists.patterns[p].name, lists.patterns[p].bases);
    }
    const scan::PatternList& list = one.empty() ? lists.patterns : one;
    for (std::string& warning : pattern_warnings(list, options)) {
      warnings.push_back(std::move(warning));
    }
    warnings.push_back(near_patterns_warning(list, rule, options));
  }
  return warnings;
}

// What is for a reference only.
void check_reads(const ScanPlan& plan, const ScanInputs& inputs, bool is_alone) {
  const cli::ScanArguments& a = plan.arguments;
  if (!inputs.reference.reads) {
    return;
  }
  const std::string file = io::display_name(a.reference);
  if (!is_alone) {
    throw UsageError(file + " has reads, which cannot be searched under mpirun; use it without");
  }
  if (!a.circular.empty()) {
    throw UsageError("--circular names sequences of a reference, and " + file + " has reads; leave it out");
  }
  if (plan.format == io::ScanFormat::sam) {
    throw UsageError(file +
                     " has reads, and SAM is for places in a reference; give -o a file named .tsv, .csv or .bed, or "
                     "--per-read best for the reads with tags");
  }
  for (const auto& [option, value] :
       {std::pair("--report-html", &a.report_html), std::pair("--igv-session", &a.igv_session)}) {
    if (!value->empty()) {
      throw UsageError(std::string(option) + " shows places in a reference, and " + file + " has reads; leave it out");
    }
  }
}

// What is searched: pairs, other reads, or contigs.
ReferenceStream open_input(const ScanPlan& plan, AsReads reads) {
  const cli::ScanArguments& a = plan.arguments;
  const unsigned threads = plan.options.threads;
  return a.paired() ? open_reads(cli::read_files(a, plan.input.files), a.reference, threads)
                    : session::open_reference(plan.input, threads, reads, io::is_table(plan.format), a.renames_contigs);
}

// The genes and the reference.
void open_reference(const ScanPlan& plan, ScanInputs& inputs) {
  const cli::ScanArguments& a = plan.arguments;
  const unsigned threads = plan.options.threads;
  if (!a.annotation.empty()) {
    inputs.genes = io::read_annotation(a.annotation);
  }
  if (a.variants.empty()) {
    const std::string option = plan.rule ? "--per-read best" : a.within ? "--within" : "";
    inputs.reference = open_input(plan, option.empty() || a.by_output_only ? AsReads::fastq : AsReads::all);
    if (a.by_output_only && !inputs.reference.reads) {
      throw UsageError(
          "-o " + a.output + " gets reads, and " + a.reference +
          " is a reference; for its places, name a file .bed, .tsv or .sam; if its sequences are reads, give "
          "--per-read best");
    }
    if (!option.empty() && !inputs.reference.reads) {
      throw UsageError(option + " needs reads (FASTQ or FASTA), and " + a.reference + " is a saved index");
    }
    return;
  }
  // The pieces of haplotypes need letters from everywhere.
  LoadedReference loaded = load_reference(a.reference, threads, {CircularUse::letters}, a.renames_contigs);
  inputs.in_memory = std::make_shared<const sequence::Reference>(std::move(loaded.reference));
  inputs.reference = stream_of(inputs.in_memory, std::move(loaded.fasta));
  inputs.reference.warnings = std::move(loaded.warnings);
}

}  // namespace

bool ScanPlan::counts_by_pattern() const { return !arguments.stats.empty() || shows_places(arguments); }

ScanPlan make_plan(const cli::ScanArguments& given, CommandRun& run, io::ScanStats& stats) {
  const ranks::Cluster& cluster = run.cluster();
  io::ReadSamples input;
  cli::ScanArguments a = given;
  if (cluster.is_first()) {
    input = io::read_samples(a.reference);
    if (!a.mates.empty() && !input.mates.empty()) {
      throw UsageError(a.reference + " names second mates already (fastq_2); leave out --mates");
    }
    for (const std::string& file : input.mates) {
      a.mates.append(a.mates.empty() ? "" : ",").append(file);
    }
  }
  scan::ScanOptions options = cli::scan_options(a);
  share_node(cluster, a, options);
  const auto rule = cli::call_rule(a);
  const io::ScanFormat format = a.outputs_reads() ? io::ScanFormat::tsv
                                : rule            ? io::read_call_format(a.output)
                                                  : io::scan_format(a.output);
  const bool is_packed = io::is_packed(format) || !a.extract.empty() || io::has_extension(a.counts, ".gz") ||
                         (a.outputs_reads() && !io::has_extension(a.output, ".sam") &&
                          (!io::is_fastq_name(a.output) || io::has_extension(a.output, ".gz")));
  const int level = cli::compression_level(a, is_packed);
  std::optional<io::StructureSearch> structure;
  if (!a.read_structure.empty()) {
    structure = {scan::read_structure(a.read_structure, a.paired()), options.has_gaps() ? options.max_edits : 0,
                 options.strands};
    options.strands = scan::Strands::forward;
  }
  ScanPlan plan{a,         input,
                options,   rule,
                structure, format,
                level,     against_circular(a, format, cluster.is_alone()),
                {},        pipeline::ScanChoice(a.engine, options)};
  check_outputs(plan, cluster.is_alone());
  if (!a.igv_session.empty() && cluster.is_first()) {
    plan.genome = genome_of_session(a.reference, a.output, true);
  }
  std::vector<std::string> inputs = plan.input.files;
  for (const std::string& input : {a.annotation, a.variants}) {
    if (!input.empty()) {
      inputs.push_back(input);
    }
  }
  for (const std::string& list : {a.mates, a.pattern_file}) {
    if (!list.empty()) {
      const std::vector<std::string> files = io::reference_files(list);
      inputs.insert(inputs.end(), files.begin(), files.end());
    }
  }
  if (std::count(inputs.begin(), inputs.end(), "-") > 1) {
    throw UsageError("only one of the files can be the standard input (-)");
  }
  inputs.push_back(a.reference.substr(a.reference.starts_with('@') ? 1 : 0));  // a list
  std::vector<cli::NamedOutput> outputs{{"--summary", a.summary}, {"--counts", a.counts}};
  for (const std::string& file : cli::output_files(a)) {
    outputs.push_back({"-o", file});
  }
  run.begin(given, stats, inputs, options.threads, outputs);  // which keeps a reference
  return plan;
}

void read_inputs(ScanPlan& plan, ScanInputs& inputs, CommandRun& run, io::ScanStats& stats) {
  Stopwatch watch;
  const cli::ScanArguments& a = plan.arguments;
  const std::string pam_warning = pam_side_warning(a.pam);
  if (plan.structure) {
    if (!a.patterns.empty()) {
      throw UsageError("--read-structure takes its barcodes from a file; put those of -p into one");
    }
    const std::size_t barcodes = plan.structure->structure.barcodes();
    if ((barcodes > 0) == a.pattern_file.empty()) {
      throw UsageError("--read-structure " + a.read_structure + " has " + counted(barcodes, "barcode") + " (B)" +
                       (barcodes > 0 ? "; give a file of them after the reads"
                                     : ", and " + a.pattern_file + " has some; say with B where they are"));
    }
    inputs.barcodes = io::read_barcode_lists(a.pattern_file, plan.structure->structure);
    inputs.patterns = inputs.barcodes.patterns;
    if (a.writes_reads() && plan.structure->structure.inserts() == 0) {
      throw UsageError("--read-structure " + a.read_structure +
                       " has no template (T), so that no reads can be written; write +T for the rest of a read");
    }
    inputs.columns = inputs.barcodes.columns;
    if (!(a.extract.empty() && a.counts.empty()) && inputs.barcodes.rows.empty()) {
      throw UsageError(std::string(a.counts.empty() ? "--extract" : "--counts") +
                       " needs a name for each combination of barcodes; give a table with a name and a "
                       "sequence for each barcode, or -o x.bam for tags");
    }
    if (plan.rule->margin == 1) {  // otherwise the next one counts, too
      plan.structure->exact = exact_barcodes(inputs.barcodes);
    }
  } else {
    inputs.patterns = read_patterns(a, inputs.cas, a.counts.empty() ? nullptr : &inputs.columns);
  }
  const std::string rule_warning = plan.rule ? check_rule(inputs.patterns, *plan.rule) : "";
  take_cas_options(inputs, plan, run);
  watch.lap(stats.seconds["patterns"]);
  if (a.memory) {
    check_memory(inputs.patterns, plan.options, plan.counts_by_pattern(), *a.memory);
  }
  std::vector<std::string> warnings;
  if (plan.structure) {
    warnings = barcode_warnings(inputs.barcodes, *plan.rule, plan.options);
  } else {
    warnings = pattern_warnings(inputs.patterns, plan.options);
    warnings.push_back(plan.rule ? near_patterns_warning(inputs.patterns, *plan.rule, plan.options) : "");
  }
  warnings.insert(warnings.begin(),
                  {plan.structure ? "" : primer_pairs_warning(a.pattern_file), pam_warning, rule_warning});
  run.warn_all(warnings);
  watch.lap(stats.seconds["check"]);
  open_reference(plan, inputs);
  check_reads(plan, inputs, run.cluster().is_alone());
  run.warn_all(inputs.reference.warnings);
}

std::vector<std::uint32_t> exact_reads(const ScanPlan& plan, const ScanInputs& inputs) {
  const cli::ScanArguments& a = plan.arguments;
  std::vector<std::uint32_t> counts(inputs.patterns.size());
  scan::ScanOptions options = plan.options;
  options.max_edits = 0;
  std::optional<io::StructureSearch> structure = plan.structure;
  if (structure) {
    structure->max_edits = 0;
    structure->exact = structure->exact ? structure->exact : exact_barcodes(inputs.barcodes);
  }
  const scan::QueryList queries = scan::make_queries(inputs.patterns, options);
  const auto finder = scan::make_cpu_finder(queries, options);
  const ScanSession session(queries, options, a.chunk_size);
  const auto take = [&](const sequence::ReadBatch&, std::span<const scan::ReadCall> calls) {
    for (const scan::ReadCall& call : calls) {
      for (const scan::ReadCall& one : plan.structure ? std::span(call.barcodes) : std::span(&call, 1)) {
        for (const std::uint32_t pattern : one.patterns) {
          ++counts[pattern];
        }
      }
    }
  };
  const scan::TieInputs no_ties;
  pipeline::StructuredCalls of_barcodes(no_ties, {}, options.metric, inputs.barcodes, take);
  pipeline::ReadCalls of_reads({}, {}, take);
  io::Progress progress(false, std::nullopt, "bases");
  io::ScanStats others;
  others.reads.emplace();
  session.scan(*finder,
               session.chunks_of(
                   open_input(plan, AsReads::all).reads,
                   {.gap = finder->least_gap(), .within = a.within.value_or(io::ReadEnds{}), .structure = structure}),
               plan.structure ? static_cast<io::RecordSink&>(of_barcodes) : of_reads, progress, others);
  return counts;
}

void share_inputs(ScanPlan& plan, ScanInputs& inputs, CommandRun& run) {
  ranks::Cluster& cluster = run.cluster();
  if (cluster.is_alone()) {
    return;
  }
  std::string bytes;
  if (cluster.is_first()) {
    Packer packer;
    packer.number(inputs.reference.bytes).text(ranks::packed(inputs.patterns));
    packer.number(inputs.genes != nullptr);
    if (inputs.genes) {
      packer.add(*inputs.genes);
    }
    packer.number(inputs.cas.has_value());
    if (inputs.cas) {
      packer.add(*inputs.cas);
    }
    bytes = packer.take();
  }
  cluster.broadcast(bytes);
  if (!cluster.is_first()) {
    Unpacker unpacker(bytes);
    inputs.reference.bytes = unpacker.number<decltype(inputs.reference.bytes)>();
    inputs.patterns = ranks::patterns_of(unpacker.text());
    if (unpacker.number<bool>()) {
      const auto genes = std::make_shared<io::Annotation>();
      unpacker.get(*genes);
      inputs.genes = genes;
    }
    if (unpacker.number<bool>()) {
      unpacker.get(inputs.cas.emplace());
    }
    take_cas_options(inputs, plan, run);
  }
}

}  // namespace trawl::session
