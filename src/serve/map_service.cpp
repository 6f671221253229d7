#include "serve/map_service.hpp"

#include <algorithm>
#include <optional>

#include "align/alignment.hpp"
#include "base/pool.hpp"
#include "base/stop.hpp"
#include "columns/map_columns.hpp"
#include "columns/result_tables.hpp"
#include "io/read/read_input.hpp"
#include "io/stats/progress.hpp"
#include "io/write/alignment_sink.hpp"
#include "io/write/sam_header.hpp"
#include "pipeline/engine_choice.hpp"
#include "seed/seed_index.hpp"
#include "serve/arrow_stream.hpp"
#include "serve/body_files.hpp"
#include "serve/json_body.hpp"
#include "serve/limited_engine.hpp"
#include "serve/record_answers.hpp"
#include "session/map_session.hpp"

namespace trawl::serve {

namespace {

class MapRecords {
 public:
  virtual ~MapRecords() = default;
  void add(const sequence::ReadBatch& reads, const align::AlignmentBatch& found) {
    sink().write(*sink().format(reads, found));
  }
  virtual io::AlignmentSink& sink() = 0;
  /// Once, at the end.
  virtual void put_into(Answer& answer) = 0;
};

/// Both must outlive the records.
std::unique_ptr<MapRecords> make_records(const MapQuery& query, const HeldReference& held);

class TextRecords final : public MapRecords, public io::FormattingSink {
 public:
  TextRecords(const MapQuery& query, const HeldReference& held)
      : FormattingSink(session::make_formatter(query.sink, held.reference())),
        is_json_(query.form == AnswerForm::json) {
    if (!is_json_ && query.sink.format == io::OutputFormat::sam) {
      text_ = io::sam_header(query.sink, held.reference().contigs(), held.md5s);
    }
  }

  io::AlignmentSink& sink() override { return *this; }
  void write(io::Chunk& chunk) override { text_ += static_cast<io::RecordChunk&>(chunk).text; }
  void put_into(Answer& answer) override {
    answer.type = is_json_ ? "application/json" : "text/plain; charset=utf-8";
    answer.body = is_json_ ? json_of_sam(text_) : std::move(text_);
  }

 private:
  bool is_json_;
  std::string text_;
};

class ColumnRecords final : public MapRecords {
 public:
  ColumnRecords(const MapQuery& query, const HeldReference& held)
      : query_(query), held_(held), sink_(query.sink, [this](Alignments& rows, std::uint64_t) {
          rows.bases = rows.qualities = {};
          columns::append(*rows_, rows);
        }) {}

  io::AlignmentSink& sink() override { return sink_; }
  void put_into(Answer& answer) override {
    answer.type = kArrowType;
    answer.body = arrow_stream(columns::table_of(rows_, columns::kept_labels(held_.labels), query_.paired));
  }

 private:
  const MapQuery& query_;
  const HeldReference& held_;
  std::shared_ptr<Alignments> rows_ = std::make_shared<Alignments>();
  columns::ColumnSink sink_;
};

std::unique_ptr<MapRecords> make_records(const MapQuery& query, const HeldReference& held) {
  if (query.form == AnswerForm::arrow) {
    return std::make_unique<ColumnRecords>(query, held);
  }
  return std::make_unique<TextRecords>(query, held);
}

// Reads of a query of at most this number of bytes are mapped together with those of others.
constexpr std::size_t kSmallBody = 256 << 10, kSmallText = 1 << 20;
// An engine on a device holds a copy of the reference there.
constexpr std::size_t kMostEngines = 32, kMostEnginesOnDevice = 2;

// Reads whose records are counted together. An engine of the CPU works on as many at a time.
constexpr std::size_t kReads = 256, kReadsWithMany = 16;

Answer answer_of(const MapQuery& query, MapRecords& records, const io::RunStats& stats) {
  Answer answer;
  answer.messages = query.messages ? query.messages(stats) : std::vector<std::string>();
  records.put_into(answer);
  return answer;
}

}  // namespace

// Engines with the workers that nobody uses now.
struct HeldEngine {
  Engines engines() const { return {all.get(), few.get(), reads}; }

  std::unique_ptr<engine::Engine> all, few;
  std::size_t reads = 0;
  Pool<std::shared_ptr<Workers>> workers = {};
  std::mutex for_pairs = {};  // insert sizes are set for the whole engine
};

// A query in work.
struct OpenMapQuery {
  OpenMapQuery(Job& of, std::shared_ptr<const MapQuery> asked, const Limits& limits)
      : job(of), query(std::move(asked)), budget(limits) {}

  Job& job;
  std::shared_ptr<const MapQuery> query;
  Budget budget;
  std::optional<BodyFiles> files;
  std::optional<io::ReadInput> input;
  io::ReadInput::InputBatch batch;  // of a small query: all its reads
  std::size_t first_read = 0;       // in the batch of all

  // The answer for the exception that is being handled.
  void refuse() const {
    job.done(
        refuse_current_exception([&](std::string what) { return files ? files->in_words(std::move(what)) : what; }));
  }
};

MapService::MapService(const HeldReference& held, const WorkOptions& work, std::string engine, const Limits& limits)
    : held_(held), work_(work), engine_(std::move(engine)), limits_(limits) {
  map::MapOptions options;
  static_cast<WorkOptions&>(options) = work_;
  pipeline::MapChoice choice(engine_, options);
  choice.warm_up();
  on_cpu_ = choice.name() == "cpu";
  seeds_ = held_.seeds;
  if (on_cpu_ && !seeds_) {
    seeds_ = std::make_shared<seed::SeedIndex>(held_.reference(), seed::SeedIndex::suggest_q(held_.reference().bases()),
                                               work_.threads);
  }
  description_ = make_engine(options)->engines().all->description();
}

MapService::~MapService() = default;

std::unique_ptr<HeldEngine> MapService::make_engine(map::MapOptions options) const {
  const auto make = [&](std::uint64_t most) {
    if (options.report != map::Report::best && (options.max_hits == 0 || options.max_hits > most)) {
      options.max_hits = most;
    }
    return pipeline::MapChoice(engine_, options).make(held_.reference(), seeds_);
  };
  auto all = make(limits_.records + 1);  // this number is too many
  if (!on_cpu_) {
    return std::make_unique<HeldEngine>(std::move(all), nullptr, 0);  // a device is quick with large batches only
  }
  if (options.report == map::Report::best) {
    return std::make_unique<HeldEngine>(std::move(all), nullptr, kReads);
  }
  // What all threads together have found and not yet counted is not more than the limit.
  const std::uint64_t few = std::max<std::uint64_t>(1, limits_.records / (kReadsWithMany * work_.threads));
  const bool has_many = options.report_rule().max_hits > few;
  return std::make_unique<HeldEngine>(std::move(all), has_many ? make(few) : nullptr, kReadsWithMany);
}

std::shared_ptr<HeldEngine> MapService::engine_for(const MapQuery& query) {
  const std::lock_guard lock(mutex_);
  const auto found =
      std::find_if(engines_.begin(), engines_.end(), [&](const auto& entry) { return entry.first == query.key; });
  if (found != engines_.end()) {
    engines_.splice(engines_.begin(), engines_, found);
    return found->second;
  }
  if (engines_.size() >= (on_cpu_ ? kMostEngines : kMostEnginesOnDevice)) {
    engines_.pop_back();
  }
  engines_.emplace_front(query.key, make_engine(query.options));
  return engines_.front().second;
}

void MapService::answer(std::vector<Job>& jobs) {
  std::vector<std::unique_ptr<OpenMapQuery>> small, large;
  std::shared_ptr<HeldEngine> engine;
  for (Job& job : jobs) {
    auto part = std::make_unique<OpenMapQuery>(job, std::static_pointer_cast<const MapQuery>(job.query), limits_);
    try {
      if (!engine) {
        engine = engine_for(*part->query);
      }
      const bool is_small = open(*part);
      (is_small ? small : large).push_back(std::move(part));
    } catch (...) {
      part->refuse();
    }
  }
  // Records are counted for each query. Where a read has one, that need not be done at once.
  if (!small.empty() && small.front()->query->options.report == map::Report::best) {
    map_together(small, *engine);
  } else {
    for (auto& part : small) {
      map_together(std::span(&part, 1), *engine);
    }
  }
  for (const auto& part : large) {
    try {
      part->job.done(map_alone(*part, *engine));
    } catch (...) {
      part->refuse();
    }
  }
}

// Whether the query is small; its reads are then in its batch.
bool MapService::open(OpenMapQuery& part) const {
  const Request& request = *part.job.request;
  const MapQuery& query = *part.query;
  if (is_json(request)) {
    const JsonReads json = parse_json_reads(request.body, limits_.reads);
    Request converted;
    converted.body = json.reads;
    part.files.emplace(converted, "reads", "reads");
    if (!json.mates.empty()) {
      part.files->add("mates", "mates", json.mates);
    }
  } else {
    part.files.emplace(request, "reads", "the body");
  }
  io::ReadInput::Files files = query.input;
  files.reads = part.files->paths("reads");
  files.mates = part.files->paths("mates");
  files.interleaved = query.paired && files.mates.empty();
  files.on_text = [&part](std::size_t bytes) { part.budget.add_text(bytes); };
  if (!files.mates.empty() && !query.paired) {
    throw UsageError("mates are for POST /pairs");
  }
  const bool may_be_small = !query.paired && request.body.size() <= kSmallBody && files.reads.size() == 1;
  part.input.emplace(files, may_be_small ? 1 : work_.threads);
  part.input->open();
  if (part.input->paired() && !query.paired) {
    throw UsageError("SAM, BAM and CRAM may have pairs: send them to POST /pairs");
  }
  if (!may_be_small) {
    return false;
  }
  part.input->set_batch(limits_.reads + 1, kSmallText);
  if (part.input->next(part.batch)) {
    std::size_t bases = 0;
    for (std::size_t i = 0; i < part.batch.reads.size(); ++i) {
      bases += part.batch.reads.length(i);
    }
    std::vector<io::ReadInput::InputBatch> taken(1);
    // Usually there is nothing more, or the error at which the reads ended.
    if (part.input->next(taken.front()) || bases > kSmallText) {
      std::swap(part.batch, taken.front());
      if (!part.batch.reads.empty()) {
        taken.push_back(std::move(part.batch));
      }
      part.input->put_back(std::move(taken));
      return false;
    }
    part.budget.add_reads(part.batch.reads.size());
  }
  return true;
}

// One batch of the engine for all, then each query's own records.
void MapService::map_together(std::span<std::unique_ptr<OpenMapQuery>> parts, HeldEngine& engine) const {
  sequence::ReadBatch all;
  align::AlignmentBatch found;
  std::size_t answered = 0;
  try {
    for (const auto& part : parts) {
      part->first_read = all.size();
      const sequence::ReadBatch& reads = part->batch.reads;
      const std::uint32_t texts = all.share_texts(reads);
      for (std::size_t i = 0; i < reads.size(); ++i) {
        all.add_shared(reads, i, texts, reads.name(i).size());
      }
    }
    const auto workers = engine.workers.take([&] { return std::make_shared<Workers>(engine.engines()); });
    Budget& budget = parts.front()->budget;  // its time is that of all
    budget.start();
    std::vector<const Job*> askers;
    for (const auto& part : parts) {
      askers.push_back(&part->job);
    }
    const Stop stop([&] { budget.check(askers); });
    LimitedWorker(workers, engine.engines().reads, budget, parts.size() == 1).map(all, found);
    const double seconds = budget.seconds();
    engine.workers.give_back(workers);
    const map::MapOptions& options = parts.front()->query->options;  // those of all
    align::leave_unmapped(found, options.max_loci, options.one_end);
    // The alignments stay where they are; each query sees the results of its reads only.
    const std::vector<align::ReadResult> results = std::move(found.reads);
    for (; answered < parts.size(); ++answered) {
      OpenMapQuery& part = *parts[answered];
      const auto first = results.begin() + static_cast<std::ptrdiff_t>(part.first_read);
      const sequence::ReadBatch& reads = part.batch.reads;
      found.reads.assign(first, first + static_cast<std::ptrdiff_t>(reads.size()));
      try {
        io::RunStats stats;
        stats.collapsed = part.query->collapsed;
        stats.add(reads, found);
        stats.wall_seconds = seconds;
        if (parts.size() > 1) {
          part.budget.add_records(stats.records);
        }
        const auto records = make_records(*part.query, held_);
        records->add(reads, found);
        part.job.done(answer_of(*part.query, *records, stats));
      } catch (...) {
        part.refuse();
      }
    }
  } catch (...) {
    for (; answered < parts.size(); ++answered) {
      parts[answered]->refuse();
    }
  }
}

// Pairs, whose insert sizes are estimated from them all, and many reads.
Answer MapService::map_alone(OpenMapQuery& part, HeldEngine& shared) const {
  Budget& budget = part.budget;
  budget.start();
  MapQuery query = *part.query;
  query.sink.input_headers = part.input->headers();
  std::unique_ptr<HeldEngine> own;
  std::unique_lock<std::mutex> lock;
  if (query.paired && on_cpu_) {
    own = make_engine(query.options);  // costs next to nothing: the seeds are shared
  } else if (query.paired) {
    lock = std::unique_lock(shared.for_pairs);
  }
  LimitedEngine engine((own ? *own : shared).engines(), budget);
  io::RunStats stats;
  stats.collapsed = query.collapsed;
  const auto records = make_records(query, held_);
  io::Progress progress(false, std::nullopt);
  const Job* const asker = &part.job;
  const Stop stop([&] { budget.check({&asker, 1}); });
  session::MapSession(engine, query.options, query.inserts)
      .run(*part.input, records->sink(), progress, stats, [&](const io::ReadInput::InputBatch& batch) {
        budget.add_reads(std::max(batch.reads.size(), 2 * batch.first.size()));
      });
  stats.wall_seconds = budget.seconds();
  return answer_of(query, *records, stats);
}

}  // namespace trawl::serve
