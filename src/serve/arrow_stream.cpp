// The only file that knows FlatBuffers. What the fields of Arrow's tables are called, and their order, is in Arrow's
// format/Message.fbs and format/Schema.fbs.
#include "serve/arrow_stream.hpp"

#include <flatbuffers/flatbuffers.h>

#include <cctype>
#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

namespace trawl::serve {

namespace {

using flatbuffers::FlatBufferBuilder;
using Offset = flatbuffers::Offset<void>;

// Values of Arrow's enumerations.
constexpr std::int16_t kVersion5 = 4;
constexpr std::uint8_t kSchema = 1, kDictionaryBatch = 2, kRecordBatch = 3;
constexpr std::uint8_t kInt = 2, kLargeUtf8 = 20;

class TableMaker {
 public:
  explicit TableMaker(FlatBufferBuilder& builder) : builder_(builder), start_(builder.StartTable()) {}

  // `field`: its number in the table.
  template <class T>
  TableMaker& add(flatbuffers::voffset_t field, T value) {
    builder_.AddElement<T>(flatbuffers::FieldIndexToOffset(field), value, T{});
    return *this;
  }
  template <class T>
  TableMaker& add(flatbuffers::voffset_t field, flatbuffers::Offset<T> value) {
    builder_.AddOffset(flatbuffers::FieldIndexToOffset(field), value);
    return *this;
  }
  Offset end() { return builder_.EndTable(start_); }

 private:
  FlatBufferBuilder& builder_;
  flatbuffers::uoffset_t start_;
};

// The structs FieldNode (rows, nulls) and Buffer (offset, length).
struct Two {
  std::int64_t first, second;
};

std::size_t padded(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

void append_padded(std::string_view bytes, std::string& stream) {
  stream += bytes;
  stream.append(padded(bytes.size()) - bytes.size(), '\0');
}

unsigned bits_of(const columns::Column& column) {
  switch (std::tolower(column.format)) {
    case 'c':
      return 8;
    case 's':
      return 16;
    case 'i':
      return 32;
    default:
      return 64;
  }
}

// What lies behind the metadata of a message.
class Body {
 public:
  void add(const void* data, std::size_t bytes) {
    buffers_.push_back({static_cast<std::int64_t>(size_), static_cast<std::int64_t>(bytes)});
    parts_.emplace_back(static_cast<const char*>(data), bytes);
    size_ += padded(bytes);
  }
  void add(const Texts& texts) {
    nodes_.push_back({static_cast<std::int64_t>(texts.size()), 0});
    add(nullptr, 0);
    add(texts.offset.data(), texts.offset.size() * sizeof texts.offset[0]);
    add(texts.text.data(), texts.text.size());
  }
  void add(const columns::Column& column, std::size_t rows) {
    if (column.texts != nullptr) {
      add(*column.texts);
    } else if (column.cigars != nullptr) {
      add(made_texts_.emplace_back(columns::cigar_texts(*column.cigars)));
    } else {
      std::vector<std::uint8_t>& valid = made_bits_.emplace_back();
      nodes_.push_back({static_cast<std::int64_t>(rows), columns::mark_valid(column, rows, valid)});
      add(valid.data(), valid.size());
      add(column.numbers, rows * bits_of(column) / 8);
    }
  }

  std::size_t size() const { return size_; }
  Offset batch(FlatBufferBuilder& builder, std::size_t rows) const {
    const auto nodes = builder.CreateVectorOfStructs(nodes_);
    const auto buffers = builder.CreateVectorOfStructs(buffers_);
    return TableMaker(builder)
        .add<std::int64_t>(0, static_cast<std::int64_t>(rows))
        .add(1, nodes)
        .add(2, buffers)
        .end();
  }
  void append_to(std::string& stream) const {
    for (const std::string_view part : parts_) {
      append_padded(part, stream);
    }
  }

 private:
  std::vector<Two> nodes_, buffers_;
  std::vector<std::string_view> parts_;
  std::size_t size_ = 0;
  std::deque<Texts> made_texts_;
  std::deque<std::vector<std::uint8_t>> made_bits_;
};

void append_message(FlatBufferBuilder& builder, std::uint8_t kind, Offset header, const Body& body,
                    std::string& stream) {
  builder.Finish(TableMaker(builder)
                     .add(0, kVersion5)
                     .add(1, kind)
                     .add(2, header)
                     .add<std::int64_t>(3, static_cast<std::int64_t>(body.size()))
                     .end());
  const std::uint32_t begin[] = {0xffffffff, static_cast<std::uint32_t>(padded(builder.GetSize()))};
  stream.append(reinterpret_cast<const char*>(begin), sizeof begin);
  append_padded({reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()}, stream);
  body.append_to(stream);
}

Offset int_type(FlatBufferBuilder& builder, const columns::Column& column) {
  return TableMaker(builder)
      .add<std::int32_t>(0, static_cast<std::int32_t>(bits_of(column)))
      .add<std::uint8_t>(1, std::islower(column.format) != 0)
      .end();
}

// `number`: names its labels.
Offset field(FlatBufferBuilder& builder, const columns::Column& column, std::int64_t number) {
  const auto name = builder.CreateString(column.name.data(), column.name.size());
  const auto children = builder.CreateVector(std::vector<Offset>());
  const bool is_text = column.format == 'U' || column.labels;
  Offset labels;
  if (column.labels) {
    const Offset index = int_type(builder, column);
    labels = TableMaker(builder).add(0, number).add(1, index).end();
  }
  const Offset type = is_text ? TableMaker(builder).end() : int_type(builder, column);
  TableMaker made(builder);
  made.add(0, name).add<std::uint8_t>(1, column.negative_is_null).add(2, is_text ? kLargeUtf8 : kInt).add(3, type);
  if (column.labels) {
    made.add(4, labels);
  }
  return made.add(5, children).end();
}

}  // namespace

std::string arrow_stream(const columns::Table& table) {
  std::string stream;
  {
    FlatBufferBuilder builder;
    std::vector<Offset> fields;
    for (const columns::Column& column : table.columns) {
      fields.push_back(field(builder, column, static_cast<std::int64_t>(fields.size())));
    }
    const auto all = builder.CreateVector(fields);
    append_message(builder, kSchema, TableMaker(builder).add(1, all).end(), {}, stream);
  }
  Body rows;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const columns::Column& column = table.columns[c];
    rows.add(column, table.rows);
    if (column.labels) {
      Texts names;
      for (const std::string& label : *column.labels) {
        names.add(label);
      }
      Body body;
      body.add(names);
      FlatBufferBuilder builder;
      const Offset batch = body.batch(builder, names.size());
      const Offset header = TableMaker(builder).add<std::int64_t>(0, static_cast<std::int64_t>(c)).add(1, batch).end();
      append_message(builder, kDictionaryBatch, header, body, stream);
    }
  }
  FlatBufferBuilder builder;
  append_message(builder, kRecordBatch, rows.batch(builder, table.rows), rows, stream);
  const std::uint32_t end[] = {0xffffffff, 0};
  stream.append(reinterpret_cast<const char*>(end), sizeof end);
  return stream;
}

}  // namespace trawl::serve
