#include "arrow_export.hpp"

#include <cerrno>

#include "columns/result_tables.hpp"

namespace trawl::python {

namespace {

// --- schemas ---

struct HeldSchema {
  std::string format;
  std::string name;
  std::vector<ArrowSchema*> children;
};

void release_schema(ArrowSchema* schema) {
  auto* held = static_cast<HeldSchema*>(schema->private_data);
  for (ArrowSchema* child : held->children) {
    if (child->release != nullptr) child->release(child);
    delete child;
  }
  if (schema->dictionary != nullptr) {
    if (schema->dictionary->release != nullptr) schema->dictionary->release(schema->dictionary);
    delete schema->dictionary;
  }
  delete held;
  schema->release = nullptr;
}

void fill_schema(ArrowSchema* schema, std::string format, std::string name, std::int64_t flags,
                 std::vector<ArrowSchema*> children = {}) {
  auto* held = new HeldSchema{std::move(format), std::move(name), std::move(children)};
  *schema = {held->format.c_str(),
             held->name.c_str(),
             nullptr,
             flags,
             static_cast<std::int64_t>(held->children.size()),
             held->children.empty() ? nullptr : held->children.data(),
             nullptr,
             release_schema,
             held};
}

// --- arrays ---

struct HeldArray {
  std::shared_ptr<const void> owner;
  std::vector<const void*> buffers;
  std::vector<ArrowArray*> children;
  std::vector<std::uint8_t> valid;  // a bit for each row
  Texts texts;                      // if they are made for this array
};

void release_array(ArrowArray* array) {
  auto* held = static_cast<HeldArray*>(array->private_data);
  for (ArrowArray* child : held->children) {
    if (child->release != nullptr) child->release(child);
    delete child;
  }
  if (array->dictionary != nullptr) {
    if (array->dictionary->release != nullptr) array->dictionary->release(array->dictionary);
    delete array->dictionary;
  }
  delete held;
  array->release = nullptr;
}

void fill_array(ArrowArray* array, std::unique_ptr<HeldArray> held, std::size_t rows, std::int64_t nulls = 0) {
  HeldArray* kept = held.release();
  *array = {static_cast<std::int64_t>(rows),
            nulls,
            0,
            static_cast<std::int64_t>(kept->buffers.size()),
            static_cast<std::int64_t>(kept->children.size()),
            kept->buffers.data(),
            kept->children.empty() ? nullptr : kept->children.data(),
            nullptr,
            release_array,
            kept};
}

void point_to_texts(HeldArray& held, const Texts& texts) {
  static_assert(sizeof(texts.offset[0]) == sizeof(std::int64_t));
  held.buffers = {nullptr, texts.offset.data(), texts.text.data()};
}

void fill_column(ArrowArray* array, const Table& table, const Column& column) {
  auto held = std::make_unique<HeldArray>();
  held->owner = table.owner;
  if (column.texts != nullptr) {
    point_to_texts(*held, *column.texts);
    return fill_array(array, std::move(held), table.rows);
  }
  if (column.cigars != nullptr) {
    held->texts = columns::cigar_texts(*column.cigars);
    point_to_texts(*held, held->texts);
    return fill_array(array, std::move(held), table.rows);
  }
  const std::int64_t nulls = columns::mark_valid(column, table.rows, held->valid);
  held->buffers = {nulls > 0 ? held->valid.data() : nullptr, column.numbers};
  fill_array(array, std::move(held), table.rows, nulls);
  if (column.labels != nullptr) {
    auto names = std::make_unique<HeldArray>();
    for (const std::string& label : *column.labels) names->texts.add(label);
    point_to_texts(*names, names->texts);
    array->dictionary = new ArrowArray;
    fill_array(array->dictionary, std::move(names), column.labels->size());
  }
}

// --- the stream ---

struct HeldStream {
  Table table;
  std::vector<const Column*> columns;
  bool done = false;
  std::string error;
};

template <class Work>
int guarded(HeldStream* held, Work work) {
  try {
    work();
    return 0;
  } catch (const std::exception& error) {
    held->error = error.what();
    return ENOMEM;
  }
}

int get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
  auto* held = static_cast<HeldStream*>(stream->private_data);
  return guarded(held, [&] { export_schema(held->table, held->columns, out); });
}

int get_next(ArrowArrayStream* stream, ArrowArray* out) {
  auto* held = static_cast<HeldStream*>(stream->private_data);
  *out = {};
  if (held->done) return 0;
  held->done = true;
  return guarded(held, [&] {
    auto root = std::make_unique<HeldArray>();
    root->buffers = {nullptr};
    for (const Column* column : held->columns) {
      root->children.push_back(new ArrowArray);
      fill_column(root->children.back(), held->table, *column);
    }
    fill_array(out, std::move(root), held->table.rows);
  });
}

const char* get_last_error(ArrowArrayStream* stream) {
  return static_cast<HeldStream*>(stream->private_data)->error.c_str();
}

void release_stream(ArrowArrayStream* stream) {
  delete static_cast<HeldStream*>(stream->private_data);
  stream->release = nullptr;
}

}  // namespace

void export_schema(const Table&, const std::vector<const Column*>& columns, ArrowSchema* schema) {
  std::vector<ArrowSchema*> fields;
  for (const Column* column : columns) {
    fields.push_back(new ArrowSchema);
    fill_schema(fields.back(), {column->format}, std::string(column->name), column->negative_is_null ? kArrowNullable : 0);
    if (column->labels != nullptr) {
      fields.back()->dictionary = new ArrowSchema;
      fill_schema(fields.back()->dictionary, "U", "", 0);
    }
  }
  fill_schema(schema, "+s", "", 0, std::move(fields));
}

void export_stream(Table table, std::vector<std::string> columns, ArrowArrayStream* stream) {
  auto held = std::make_unique<HeldStream>();
  held->table = std::move(table);
  for (const std::string& name : columns) held->columns.push_back(held->table.find(name));
  *stream = {get_schema, get_next, get_last_error, release_stream, held.release()};
}

}  // namespace trawl::python
