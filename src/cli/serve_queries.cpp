#include "cli/serve_queries.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/version.hpp"
#include "cli/command_run.hpp"
#include "cli/map_messages.hpp"
#include "cli/options/map_options.hpp"
#include "cli/options/map_outputs.hpp"
#include "cli/options/parse.hpp"
#include "cli/options/scan_options.hpp"
#include "cli/pattern_check.hpp"
#include "cli/scan_reports.hpp"
#include "run/insert_estimate.hpp"
#include "serve/arrow_stream.hpp"

namespace trawl::cli {

namespace {

// What the client does itself.
constexpr std::array<std::string_view, 6> kOfClient = {"--server", "--output",   "--compression-level",
                                                       "--quiet",  "--progress", "--output-format"};

template <class List>
bool has(const List& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

const Option& find_option(const std::vector<Option>& options, const std::string& parameter) {
  for (const Option& option : options) {
    if (!option.is_argument() && option.instead.empty() &&
        (option.long_name() == "--" + parameter || option.short_name() == "-" + parameter)) {
      if (!is_for_queries(option)) {
        throw UsageError(parameter +
                         ": a query cannot have this option; the server's own options are those of trawl serve");
      }
      return option;
    }
  }
  throw UsageError("there is no parameter " + parameter +
                   "; the parameters are the options of the command line, for example max-edits=2, and format");
}

// Reads the parameters as words of the command line, after its arguments.
void read_parameters(Command& command, const serve::Request& request, std::vector<std::string> words) {
  for (const auto& [name, value] : request.parameters) {
    if (name == "format") {
      continue;
    }
    const Option& option = find_option(command.options, name);
    if (value.find('\0') != std::string::npos) {
      throw UsageError(name + ": a value cannot have the byte 0");  // the rest would be ignored
    }
    if (!option.is_flag()) {
      words.push_back(option.name() + '=' + value);
    } else if (const auto is_on = flag_value(value); !is_on) {
      throw UsageError(name + "=" + value + ": this option is a switch; give true or false");
    } else if (*is_on) {
      words.push_back(option.name());
    }
  }
  std::vector<char*> pointers;
  for (std::string& word : words) {
    pointers.push_back(word.data());
  }
  pointers.push_back(nullptr);
  Program program{.name = "trawl"};
  program.commands.push_back(std::move(command));
  parse(program, static_cast<int>(words.size()), pointers.data());
  command = std::move(program.commands.front());
  check_options(command);
}

// The format that the request names, or that its header accepts first; "" if that is left to the server.
std::string format_of(const serve::Request& request) {
  if (std::string format = request.parameter("format"); !format.empty()) {
    return format;
  }
  const std::string accept = request.header("accept");
  std::string format;
  std::size_t first = accept.size();
  for (const auto& [type, name] : {std::pair{"application/json", "json"},
                                   {serve::kArrowType, "arrow"},
                                   {"text/tab-separated-values", "tsv"},
                                   {"text/csv", "csv"},
                                   {"text/x-sam", "sam"},
                                   {"text/x-bed", "bed"}}) {
    if (const std::size_t at = accept.find(type); at < first) {
      first = at;
      format = name;
    }
  }
  return format;
}

[[noreturn]] void wrong_format(const std::string& format, const char* known) {
  throw UsageError("format=" + format + ": the answers to this query are " + known);
}

std::vector<std::string> closing_messages(const io::RunStats& stats, const MapArguments& arguments,
                                          const map::Options& options) {
  std::vector<std::string> all = {run::insert_text(stats.insert),
                                  run::insert_warning(stats.insert, options.pairs.orientation)};
  for (std::string& warning : run_warnings(stats, arguments.max_edits, arguments.clip)) {
    all.push_back(std::move(warning));
  }
  all.push_back(summary(stats, options));
  all.push_back(few_mapped_hint(stats, arguments.max_edits, options));
  std::erase(all, "");
  return all;
}

std::string reference_name(const serve::Request& request, const std::string& fasta) {
  const std::string given = request.header("trawl-reference");
  return given.empty() ? fasta : given;
}

std::shared_ptr<const serve::MapQuery> map_query(const serve::Request& request, bool paired, const std::string& fasta,
                                                 const WorkOptions& work) {
  const auto arguments = std::make_shared<MapArguments>();
  Command command = map_rules(arguments);
  std::vector<std::string> words = {"trawl", "map", "REF", "READS"};
  if (paired) {
    words.push_back("--interleaved");
  }
  read_parameters(command, request, std::move(words));
  command.check(command);
  if (arguments->sort) {
    throw UsageError("a query cannot have --sort, or --for with a name that sorts; sort the answer: samtools sort");
  }
  auto query = std::make_shared<serve::MapQuery>();
  const std::string format = format_of(request);
  if (format == "json" || format == "arrow") {
    query->form = format == "json" ? serve::AnswerForm::json : serve::AnswerForm::arrow;
  } else if (format == "bed") {
    arguments->output_format = "bed";
  } else if (!format.empty() && format != "sam") {
    if (!request.parameter("format").empty()) {
      wrong_format(format, "sam, bed, json or arrow");
    }
  }
  query->options = map_options(*arguments);
  static_cast<WorkOptions&>(query->options) = work;
  query->sink = sink_options(*arguments, query->options, reference_name(request, fasta));
  query->sink.threads = 1;
  query->inserts = insert_range(*arguments);
  query->comments = read_files(*arguments).comments;
  query->paired = paired;
  query->key = canonical_command_line(*arguments, "") + " search=" + arguments->search;
  query->messages = [arguments, query = query.get()](const io::RunStats& stats) {
    return closing_messages(stats, *arguments, query->options);
  };
  return query;
}

std::shared_ptr<const serve::ScanQuery> scan_query(const serve::Request& request, const std::string& fasta,
                                                   const WorkOptions& work) {
  ScanArguments arguments;
  Command command{.name = "scan", .options = scan_table(arguments)};
  read_parameters(command, request, {"trawl", "scan", "REF", "PATTERNS"});
  auto query = std::make_shared<serve::ScanQuery>();
  const std::string format = format_of(request);
  query->format = format == "tsv"   ? io::ScanFormat::tsv
                  : format == "csv" ? io::ScanFormat::csv
                  : format == "sam" ? io::ScanFormat::sam
                                    : io::ScanFormat::bed;
  if (format == "json" || format == "arrow") {
    query->form = format == "json" ? serve::AnswerForm::json : serve::AnswerForm::arrow;
  } else if (!format.empty() && format != "bed" && query->format == io::ScanFormat::bed) {
    wrong_format(format, "bed, tsv, csv, sam, json or arrow");
  }
  query->options = scan_options(arguments);
  static_cast<WorkOptions&>(query->options) = work;
  query->command_line = canonical_command_line(arguments, reference_name(request, fasta));
  query->version = version();
  query->key = canonical_command_line(arguments, "") + " search=" + arguments.search;
  arguments.pattern_file.clear();
  std::optional<io::CasOffinderInput> none;
  query->patterns = read_patterns(arguments, none);
  query->more = more_columns(arguments, query->options);
  const auto warned = std::make_shared<std::size_t>(0);
  query->check = [options = query->options, warned](const scan::PatternList& patterns) {
    if (patterns.empty()) {
      throw UsageError("nothing to search: send patterns in the body, or give the parameter pattern=SEQ");
    }
    std::vector<std::string> lines = pattern_warnings(patterns, options);
    std::transform(lines.begin(), lines.end(), lines.begin(), warning_line);
    *warned = lines.size();
    return lines;
  };
  query->summary = [options = query->options, warned](const io::ScanStats& stats) {
    return with_warnings(scan_summary(stats, options), *warned);
  };
  return query;
}

}  // namespace

bool is_for_queries(const Option& option) {
  return !option.is_argument() && !option.is_path && option.instead.empty() && option.group != kWorkGroup &&
         option.group != kReadsGroup && !has(kOfClient, option.name()) && option.name() != "--circular" &&
         option.name() != "--sort" && option.name() != "--mark-duplicates" && option.name() != "--interleaved";
}

serve::Fields parameters_of(const Command& given) {
  serve::Fields fields;
  for (const Option& option : given.options) {
    if (option.is_argument() || !given.is_given(option.name()) || has(kOfClient, option.name()) ||
        option.name() == "--interleaved") {
      continue;
    }
    if (!is_for_queries(option)) {
      throw UsageError(option.name() + " cannot be used with --server; leave one of them out");
    }
    const std::string name = option.long_name().substr(2);
    if (const auto* const list = std::get_if<std::vector<std::string>*>(&option.to)) {
      for (const std::string& value : **list) {
        fields.emplace_back(name, value);
      }
    } else {
      fields.emplace_back(name, text_of(option));
    }
  }
  return fields;
}

serve::QueryMaker query_maker(const std::string& fasta, const WorkOptions& work) {
  return {[fasta, work](const serve::Request& request, bool paired) { return map_query(request, paired, fasta, work); },
          [fasta, work](const serve::Request& request) { return scan_query(request, fasta, work); }};
}

}  // namespace trawl::cli
