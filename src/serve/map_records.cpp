#include "serve/map_records.hpp"

#include <string>
#include <utility>

#include "columns/column_sink.hpp"
#include "columns/result_tables.hpp"
#include "io/write/sam_header.hpp"
#include "run/record_target.hpp"
#include "serve/arrow_stream.hpp"
#include "serve/record_answers.hpp"

namespace trawl::serve {

namespace {

class TextRecords final : public MapRecords, public io::ChunkOutput {
 public:
  TextRecords(const MapQuery& query, const HeldReference& held) : is_json_(query.form == AnswerForm::json) {
    io::SinkOptions options = query.sink;
    options.opened = "";  // it writes no file
    sink_ = run::make_sink(options, held.reference(), held.md5s);
    if (!is_json_ && query.sink.format == io::OutputFormat::sam) {
      text_ = io::sam_header(query.sink, held.reference().contigs(), held.md5s);
    }
  }

  const io::AlignmentSink& sink() const override { return *sink_; }
  io::ChunkOutput& output() override { return *this; }
  void write(io::Chunk& chunk) override { sink_->append_parcel(chunk, text_); }
  void put_into(Answer& answer) override {
    answer.type = is_json_ ? "application/json" : "text/plain; charset=utf-8";
    answer.body = is_json_ ? json_of_sam(text_) : std::move(text_);
  }

 private:
  bool is_json_;
  std::unique_ptr<io::AlignmentSink> sink_;
  std::string text_;
};

class ColumnRecords final : public MapRecords {
 public:
  ColumnRecords(const MapQuery& query, const HeldReference& held)
      : query_(query), held_(held), sink_(query.sink, [this](Alignments& rows, std::uint64_t) {
          rows.bases = rows.qualities = {};
          columns::append(*rows_, rows);
        }) {}

  const io::AlignmentSink& sink() const override { return sink_; }
  io::ChunkOutput& output() override { return sink_; }
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

}  // namespace

std::unique_ptr<MapRecords> make_records(const MapQuery& query, const HeldReference& held) {
  if (query.form == AnswerForm::arrow) {
    return std::make_unique<ColumnRecords>(query, held);
  }
  return std::make_unique<TextRecords>(query, held);
}

}  // namespace trawl::serve
