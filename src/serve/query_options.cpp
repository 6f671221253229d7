#include "serve/query_options.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/version.hpp"
#include "cli/options/map_files.hpp"
#include "cli/options/map_options.hpp"
#include "cli/options/parse.hpp"
#include "cli/options/scan_options.hpp"
#include "serve/arrow_stream.hpp"
#include "session/command_run.hpp"
#include "session/insert_sizes.hpp"
#include "session/map_messages.hpp"
#include "session/pattern_check.hpp"
#include "session/reports.hpp"
#include "session/scan_session.hpp"

namespace trawl::serve {

namespace {

// What the client does itself.
constexpr std::array<std::string_view, 6> kOfClient = {"--server", "--output",   "--compression-level",
                                                       "--quiet",  "--progress", "--output-format"};

template <class List>
bool has(const List& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

const cli::Option& find_option(const std::vector<cli::Option>& options, const std::string& parameter) {
  for (const cli::Option& option : options) {
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
void read_parameters(cli::Command& command, const Request& request, std::vector<std::string> words) {
  for (const auto& [name, value] : request.parameters) {
    if (name == "format") {
      continue;
    }
    const cli::Option& option = find_option(command.options, name);
    if (value.find('\0') != std::string::npos) {
      throw UsageError(name + ": a value cannot have the byte 0");  // the rest would be ignored
    }
    if (option.name() == "--read-group" && !value.starts_with('@')) {
      throw UsageError(name + ": a query names no files; give the lines, which begin with @");
    }
    if (!option.is_flag()) {
      words.push_back(option.name() + '=' + value);
    } else if (const auto is_on = cli::flag_value(value); !is_on) {
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
  cli::Program program{.name = "trawl"};
  program.commands.push_back(std::move(command));
  cli::parse(program, static_cast<int>(words.size()), pointers.data());
  command = std::move(program.commands.front());
  cli::check_options(command);
}

// The format that the request names, or that its header accepts first; "" if that is left to the server.
std::string format_of(const Request& request) {
  if (std::string format = request.parameter("format"); !format.empty()) {
    return format;
  }
  const std::string accept = request.header("accept");
  std::string format;
  std::size_t first = accept.size();
  for (const auto& [type, name] : {std::pair{"application/json", "json"},
                                   {kArrowType, "arrow"},
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

// How the answer looks, by the name of its format. A header may accept what this query does not have.
template <class Answer>
Answer answer_of(const Request& request, const std::vector<std::pair<std::string, Answer>>& known) {
  const std::string format = format_of(request);
  std::vector<std::string> names;
  for (const auto& [name, answer] : known) {
    if (name == format) {
      return answer;
    }
    names.push_back(name);
  }
  if (!request.parameter("format").empty()) {
    const std::string last = " or " + names.back();
    names.pop_back();
    throw UsageError("format=" + format + ": the answers to this query are " + cli::joined(names, ", ") + last);
  }
  return known.front().second;
}

std::vector<std::string> closing_messages(const io::RunStats& stats, const cli::MapArguments& arguments,
                                          const map::MapOptions& options) {
  std::vector<std::string> all = {session::insert_text(stats.insert),
                                  session::insert_warning(stats.insert, options.pairs.orientation)};
  for (std::string& warning : session::run_warnings(stats, arguments)) {
    all.push_back(std::move(warning));
  }
  all.push_back(session::summary(stats, options));
  all.push_back(session::few_mapped_hint(stats, arguments, options));
  std::erase(all, "");
  return all;
}

std::string reference_name(const Request& request, const std::string& fasta) {
  const std::string given = request.header("trawl-reference");
  return given.empty() ? fasta : given;
}

std::shared_ptr<const MapQuery> map_query(const Request& request, bool paired, const std::string& fasta,
                                          const WorkOptions& work) {
  const auto arguments = std::make_shared<cli::MapArguments>();
  cli::Command command = cli::map_rules(*arguments);
  std::vector<std::string> words = {"trawl", "map", "REF", "READS"};
  if (paired) {
    words.push_back("--interleaved");
  }
  read_parameters(command, request, std::move(words));
  if (!arguments->unmapped_file.empty()) {
    throw UsageError("--unmapped FILE and --mapped FILE cannot be used with a server; it writes no files");
  }
  if (arguments->rules.damage.estimated) {
    throw UsageError("damage: auto reads ahead, which a server does not do; give rates: 0.3,0.3,0.01");
  }
  if (arguments->sort) {
    throw UsageError("a query cannot have --sort, or --for with a name that sorts; sort the answer: samtools sort");
  }
  auto query = std::make_shared<MapQuery>();
  const auto [form, records] = answer_of<std::pair<AnswerForm, std::optional<io::OutputFormat>>>(
      request, {{"sam", {AnswerForm::native, {}}},
                {"bed", {AnswerForm::native, io::OutputFormat::bed}},
                {"json", {AnswerForm::json, {}}},
                {"arrow", {AnswerForm::arrow, {}}}});
  query->form = form;
  arguments->output_format = records;
  query->options = cli::map_options(*arguments);
  static_cast<WorkOptions&>(query->options) = work;
  query->sink = cli::sink_options(*arguments, query->options, reference_name(request, fasta));
  query->sink.threads = 1;
  query->inserts = arguments->insert;
  query->input = cli::read_files(*arguments);
  query->paired = paired;
  query->collapsed = arguments->collapsed;
  query->key = cli::canonical_command_line(*arguments, "") +
               " search=" + std::to_string(static_cast<int>(arguments->rules.search));
  query->messages = [arguments, query = query.get()](const io::RunStats& stats) {
    return closing_messages(stats, *arguments, query->options);
  };
  return query;
}

std::shared_ptr<const ScanQuery> scan_query(const Request& request, const std::string& fasta, const WorkOptions& work) {
  cli::ScanArguments arguments;
  cli::Command command{.name = "scan", .options = cli::scan_table(arguments)};
  read_parameters(command, request, {"trawl", "scan", "REF", "PATTERNS"});
  auto query = std::make_shared<ScanQuery>();
  std::tie(query->form, query->format) =
      answer_of<std::pair<AnswerForm, io::ScanFormat>>(request, {{"bed", {AnswerForm::native, io::ScanFormat::bed}},
                                                                 {"tsv", {AnswerForm::native, io::ScanFormat::tsv}},
                                                                 {"csv", {AnswerForm::native, io::ScanFormat::csv}},
                                                                 {"sam", {AnswerForm::native, io::ScanFormat::sam}},
                                                                 {"json", {AnswerForm::json, io::ScanFormat::bed}},
                                                                 {"arrow", {AnswerForm::arrow, io::ScanFormat::bed}}});
  query->options = cli::scan_options(arguments);
  static_cast<WorkOptions&>(query->options) = work;
  query->command_line = cli::canonical_command_line(arguments, reference_name(request, fasta));
  query->version = version();
  query->key = cli::canonical_command_line(arguments, "") +
               " search=" + std::to_string(static_cast<int>(arguments.rules.search));
  arguments.pattern_file.clear();
  std::optional<io::CasOffinderInput> none;
  query->patterns = session::read_patterns(arguments, none);
  query->more = cli::more_columns(arguments, query->options);
  const auto warned = std::make_shared<std::size_t>(0);
  query->check = [options = query->options, warned, pam = arguments.pam](const scan::PatternList& patterns) {
    if (patterns.empty()) {
      throw UsageError("nothing to search: send patterns in the body, or give the parameter pattern=SEQ");
    }
    std::vector<std::string> lines = session::pattern_warnings(patterns, options);
    if (std::string line = session::pam_side_warning(pam); !line.empty()) {
      lines.push_back(std::move(line));
    }
    std::transform(lines.begin(), lines.end(), lines.begin(), session::warning_line);
    *warned = lines.size();
    return lines;
  };
  query->summary = [options = query->options, warned](const io::ScanStats& stats) {
    return session::with_warnings(session::scan_summary(stats, options), *warned);
  };
  return query;
}

}  // namespace

bool is_for_queries(const cli::Option& option) {
  return !option.is_argument() && !option.is_path && option.instead.empty() && option.group != cli::kWorkGroup &&
         option.group != cli::kReadsGroup && !has(kOfClient, option.name()) && option.name() != "--circular" &&
         option.name() != "--rename-contigs" && option.name() != "--sort" && option.name() != "--mark-duplicates" &&
         option.name() != "--interleaved";
}

Fields parameters_of(const cli::Command& given) {
  Fields fields;
  for (const cli::Option& option : given.options) {
    if (option.is_argument() || !given.is_given(option.name()) || has(kOfClient, option.name()) ||
        option.name() == "--interleaved") {
      continue;
    }
    if (!is_for_queries(option)) {
      throw UsageError(option.name() + " cannot be used with --server; leave one of them out");
    }
    const std::string name = option.long_name().substr(2);
    if (const auto* const list = std::get_if<std::vector<std::string>*>(&option.to.pointer)) {
      for (const std::string& value : **list) {
        fields.emplace_back(name, value);
      }
    } else {
      fields.emplace_back(name, cli::text_of(option));
    }
  }
  return fields;
}

QueryMaker query_maker(const std::string& fasta, const WorkOptions& work) {
  return {[fasta, work](const Request& request, bool paired) { return map_query(request, paired, fasta, work); },
          [fasta, work](const Request& request) { return scan_query(request, fasta, work); }};
}

}  // namespace trawl::serve
