#include "serve/scan_service.hpp"

#include <algorithm>
#include <exception>
#include <map>
#include <optional>
#include <span>

#include "base/stop.hpp"
#include "base/stopwatch.hpp"
#include "columns/map_columns.hpp"
#include "columns/result_tables.hpp"
#include "io/read/pattern_reader.hpp"
#include "io/write/sam_header.hpp"
#include "io/write/scan_lines.hpp"
#include "pipeline/engine_choice.hpp"
#include "pipeline/scan_search.hpp"
#include "scan/find/query.hpp"
#include "scan/pam.hpp"
#include "serve/arrow_stream.hpp"
#include "serve/body_files.hpp"
#include "serve/index_finder.hpp"
#include "serve/json_body.hpp"
#include "serve/limited_engine.hpp"
#include "serve/record_answers.hpp"

namespace trawl::serve {

// A query in work.
class OpenScanQuery {
 public:
  OpenScanQuery(const Job& job, const HeldReference& held, const Limits& limits)
      : job_(job), query_(std::static_pointer_cast<const ScanQuery>(job.query)), held_(held), limits_(limits) {
    read_patterns();
    messages_ = query_->check(patterns_);
    searched_ = scan::with_pam(patterns_, query_->options.pam);
    lines_.emplace(query_->form == AnswerForm::native ? query_->format : io::ScanFormat::tsv, searched_, 1,
                   query_->more);
    stats_.patterns = patterns_.size();
    for (const auto pattern : patterns_) {
      stats_.patterns_not_searched += scan::matches_everywhere(pattern, query_->options.max_edits) ? 1 : 0;
    }
  }

  const ScanQuery& query() const { return *query_; }
  const Job& job() const { return job_; }
  const scan::PatternList& patterns() const { return patterns_; }
  bool has_failed() const { return failure_ != nullptr; }

  /// `first`: the number of this query's first pattern among those of all.
  void take(std::span<const scan::SiteRecord> records, std::uint32_t first) {
    if (failure_) {
      return;
    }
    try {
      stats_.count(records);
      if (stats_.records > limits_.records) {
        throw Refusal(413, "the query has more than " + std::to_string(limits_.records) +
                               " records, which --max-records of trawl serve allows; ask for fewer edits or patterns");
      }
      if (first == 0) {
        write(records);
        return;
      }
      some_.clear();
      for (const scan::SiteRecord& record : records) {
        some_.push_back(scan::copy_of(record));
        some_.back().pattern -= first;
      }
      write(some_);
    } catch (...) {
      failure_ = std::current_exception();
    }
  }

  void answer(double seconds) {
    try {
      if (failure_) {
        std::rethrow_exception(failure_);
      }
      stats_.reference_bases = held_.reference().bases();
      stats_.wall_seconds = seconds;
      messages_.push_back(query_->summary(stats_));
      Answer answer{.messages = std::move(messages_)};
      put_into(answer);
      job_.done(std::move(answer));
    } catch (...) {
      job_.done(refuse_current_exception());
    }
  }

  void fail(std::exception_ptr failure) {
    if (!failure_) {
      failure_ = std::move(failure);
    }
  }

 private:
  void read_patterns() {
    patterns_ = query_->patterns;
    const Request& request = *job_.request;
    if (request.body.empty()) {
      return;
    }
    std::optional<BodyFiles> files;
    Budget budget(limits_);
    try {
      if (is_json(request)) {
        Request converted;
        converted.body = parse_json_patterns(request.body, limits_.patterns);
        files.emplace(converted, "patterns", "patterns");
      } else {
        files.emplace(request, "patterns", "the body");
      }
      for (const std::string& path : files->paths("patterns")) {
        if (io::read_patterns(path, scan::kMaxPatternLength, patterns_,
                              {.on_text = [&](std::size_t bytes) { budget.add_text(bytes); }})) {
          throw UsageError(
              "this is an input of Cas-OFFinder, which has options in its lines; give guides alone, and the options "
              "--pam, --max-mismatches and --max-bulges");
        }
      }
    } catch (const InputError& error) {
      throw InputError(files ? files->in_words(error.what()) : error.what());
    }
    if (patterns_.size() > limits_.patterns) {
      throw Refusal(413, "the query has more than " + std::to_string(limits_.patterns) +
                             " patterns, which --max-patterns of trawl serve allows; ask in several queries");
    }
  }

  void write(std::span<const scan::SiteRecord> records) {
    if (query_->form != AnswerForm::arrow) {
      lines_->write(records, held_.names, [&](std::string_view some) { text_ += some; });
      return;
    }
    for (const scan::SiteRecord& record : records) {
      columns::add_hit(record, searched_[record.pattern].bases, *hits_);
    }
  }

  void put_into(Answer& answer) {
    if (query_->form == AnswerForm::json) {
      answer.body = json_of_table(io::table_header(io::ScanFormat::tsv, query_->more) + text_);
    } else if (query_->form == AnswerForm::arrow) {
      std::vector<std::string> names;
      for (const auto pattern : patterns_) {
        names.emplace_back(pattern.name);
      }
      answer.type = kArrowType;
      answer.body =
          arrow_stream(columns::table_of(hits_, columns::kept_labels(held_.labels), columns::kept_labels(names)));
    } else {
      answer.type = "text/plain; charset=utf-8";
      answer.body = whole_text();
    }
  }

  std::string whole_text() {
    if (query_->format == io::ScanFormat::sam) {
      io::SinkOptions header;
      header.command_line = query_->command_line;
      header.version = query_->version;
      return io::sam_header(header, held_.reference().contigs(), held_.md5s, io::RecordOrder::by_place) + text_;
    }
    return io::is_table(query_->format) ? io::table_header(query_->format, query_->more) + text_ : std::move(text_);
  }

  const Job& job_;
  std::shared_ptr<const ScanQuery> query_;
  const HeldReference& held_;
  const Limits& limits_;
  scan::PatternList patterns_;  // without the PAM
  std::vector<std::string> messages_;
  scan::PatternList searched_;  // with it
  std::optional<io::ScanLines> lines_;
  std::string text_;
  std::shared_ptr<Hits> hits_ = std::make_shared<Hits>();  // instead of the text, for Arrow
  std::vector<scan::SiteRecord> some_;
  io::ScanStats stats_;
  std::exception_ptr failure_;
};

void ScanService::answer(std::vector<Job>& jobs) {
  std::vector<std::unique_ptr<OpenScanQuery>> parts;
  for (const Job& job : jobs) {
    try {
      parts.push_back(std::make_unique<OpenScanQuery>(job, held_, limits_));
    } catch (...) {
      job.done(refuse_current_exception());
    }
  }
  if (parts.empty()) {
    return;
  }
  Stopwatch watch;
  double seconds = 0;
  try {
    search(parts);
  } catch (...) {
    for (const auto& part : parts) {
      part->fail(std::current_exception());
    }
  }
  watch.lap(seconds);
  for (const auto& part : parts) {
    part->answer(seconds);
  }
}

void ScanService::search(std::vector<std::unique_ptr<OpenScanQuery>>& parts) const {
  const Budget budget(limits_);
  std::vector<const Job*> askers;
  for (const auto& part : parts) {
    askers.push_back(&part->job());
  }
  const Stop stop([&] { budget.check(askers); });
  scan::PatternList all;
  std::vector<std::uint32_t> owners;  // of each pattern
  std::vector<std::uint32_t> firsts;  // of each part
  for (std::size_t p = 0; p < parts.size(); ++p) {
    firsts.push_back(static_cast<std::uint32_t>(all.size()));
    for (const auto [name, bases] : parts[p]->patterns()) {
      all.add(name, bases);
      owners.push_back(static_cast<std::uint32_t>(p));
    }
  }
  const scan::ScanOptions& options = parts.front()->query().options;
  const scan::QueryList queries = scan::make_queries(all, options);
  auto finder = seeds_ ? make_index_finder(held_.reference(), *seeds_, queries, options) : nullptr;
  if (!finder) {
    finder = pipeline::ScanChoice(engine_, options).make(queries, held_.reference().bases());
  }
  std::map<std::string, double> seconds;
  pipeline::ScanSearch search(*finder, queries, options, seconds);
  search.run(held_.chunk, [&] {
    search.queue().write_until(search.collector().limit(), [&](std::span<const scan::SiteRecord> records) {
      // Neighbours of one query go together.
      for (std::size_t from = 0; from < records.size();) {
        const std::uint32_t owner = owners[records[from].pattern];
        std::size_t to = from + 1;
        while (to < records.size() && owners[records[to].pattern] == owner) {
          ++to;
        }
        parts[owner]->take(records.subspan(from, to - from), firsts[owner]);
        from = to;
      }
    });
    if (std::all_of(parts.begin(), parts.end(), [](const auto& part) { return part->has_failed(); })) {
      throw Refusal(413, "");  // each has its own
    }
  });
}

}  // namespace trawl::serve
