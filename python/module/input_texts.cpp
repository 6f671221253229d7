#include "input_texts.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <cstring>

#include "trawl/error.hpp"

namespace nb = nanobind;

namespace trawl::python {

namespace {

std::string name_of_type(nb::handle given) { return nb::cast<std::string>(given.type().attr("__name__")); }

/// Moves what the capsule of an object points to, so that the capsule frees nothing.
template <class T>
void take(nb::handle capsule, const char* name, T& to) {
  auto* inside = static_cast<T*>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (inside == nullptr) nb::raise_python_error();
  to = *inside;
  inside->release = nullptr;
}

bool is_valid(const ArrowArray& array, std::int64_t row) {
  if (array.n_buffers == 0 || array.buffers[0] == nullptr) return true;
  return (static_cast<const std::uint8_t*>(array.buffers[0])[row / 8] >> row % 8 & 1) != 0;
}

template <class Offset>
std::string_view plain_text(const ArrowArray& array, std::int64_t row) {
  const auto* offset = static_cast<const Offset*>(array.buffers[1]) + row;
  return {static_cast<const char*>(array.buffers[2]) + offset[0], static_cast<std::size_t>(offset[1] - offset[0])};
}

std::string_view view_text(const ArrowArray& array, std::int64_t row) {
  const char* view = static_cast<const char*>(array.buffers[1]) + 16 * row;
  std::int32_t parts[4];  // length, the first letters, buffer, offset
  std::memcpy(parts, view, 16);
  const auto length = static_cast<std::size_t>(parts[0]);
  return {length <= 12 ? view + 4 : static_cast<const char*>(array.buffers[2 + parts[2]]) + parts[3], length};
}

using TextAt = std::string_view (*)(const ArrowArray&, std::int64_t);

TextAt reader_of(std::string_view format) {
  if (format == "u" || format == "z") return plain_text<std::int32_t>;
  if (format == "U" || format == "Z") return plain_text<std::int64_t>;
  if (format == "vu" || format == "vz") return view_text;
  return nullptr;
}

std::int64_t index_at(std::string_view format, const void* buffer, std::int64_t row) {
  switch (format.front()) {
    case 'c':
    case 'C':
      return static_cast<const std::uint8_t*>(buffer)[row];
    case 's':
    case 'S':
      return static_cast<const std::uint16_t*>(buffer)[row];
    case 'i':
    case 'I':
      return static_cast<const std::uint32_t*>(buffer)[row];
    default:
      return static_cast<const std::int64_t*>(buffer)[row];
  }
}

}  // namespace

std::string_view letters_of(nb::handle given) {
  if (PyUnicode_Check(given.ptr())) {
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(given.ptr(), &size);
    if (text == nullptr) nb::raise_python_error();
    return {text, static_cast<std::size_t>(size)};
  }
  if (PyBytes_Check(given.ptr())) {
    return {PyBytes_AsString(given.ptr()), static_cast<std::size_t>(PyBytes_Size(given.ptr()))};
  }
  throw UsageError("a string is str or bytes, not " + name_of_type(given));
}

InputTexts::InputTexts(nb::handle given, const std::string& what) : what_(what) {
  if (PyUnicode_Check(given.ptr()) || PyBytes_Check(given.ptr())) {
    owner_ = nb::borrow(given);
    add_one(given);
  } else if (nb::hasattr(given, "__array_interface__") && nb::hasattr(given, "dtype")) {
    add_numpy(given);
  } else if (nb::hasattr(given, "__arrow_c_stream__")) {
    add_stream(given);
  } else if (nb::hasattr(given, "__arrow_c_array__")) {
    add_array(given);
  } else {
    add_list(given);
  }
}

void InputTexts::add_list(nb::handle given) {
  if (nb::hasattr(given, "keys")) {
    throw UsageError(what_ + "s are str, bytes, a list of these, or an array of strings; of this " +
                     name_of_type(given) + " give list(x.values())");
  }
  if (!nb::hasattr(given, "__iter__")) {
    throw UsageError(what_ + "s are str, bytes, a list of these, or a NumPy or Arrow array of strings, not " +
                     name_of_type(given));
  }
  // A tuple, because the list may change while the texts are read without the lock of the interpreter.
  owner_ = nb::steal(PySequence_Tuple(given.ptr()));
  if (!owner_.is_valid()) nb::raise_python_error();
  const Py_ssize_t count = PyTuple_Size(owner_.ptr());
  texts_.reserve(static_cast<std::size_t>(count));
  for (Py_ssize_t i = 0; i < count; ++i) add_one(PyTuple_GetItem(owner_.ptr(), i));
}

void InputTexts::add_one(nb::handle given) {
  if (!PyUnicode_Check(given.ptr()) && !PyBytes_Check(given.ptr())) {
    throw UsageError(where() + " is not str or bytes, but " + name_of_type(given));
  }
  texts_.push_back(letters_of(given));
}

void InputTexts::add_numpy(nb::handle given) {
  const auto kind = nb::cast<std::string>(given.attr("dtype").attr("kind"));
  if (nb::cast<int>(given.attr("ndim")) != 1) throw UsageError(what_ + "s are an array of one dimension");
  if (kind == "O" || kind == "T") return add_list(given);
  if (kind != "S" && kind != "U") {
    throw UsageError(what_ + "s are an array of strings, not of " +
                     nb::cast<std::string>(given.attr("dtype").attr("name")));
  }
  const nb::object numpy = nb::module_::import_("numpy");
  // Four bytes a letter become one; what is not ASCII raises UnicodeEncodeError.
  nb::object bytes = kind == "U" ? given.attr("astype")("S") : nb::borrow(given);
  bytes = numpy.attr("ascontiguousarray")(bytes);
  const auto width = nb::cast<std::size_t>(bytes.attr("itemsize"));
  const auto count = nb::cast<std::size_t>(bytes.attr("size"));
  if (count == 0) return;
  const auto letters =
      nb::cast<nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig>>(bytes.attr("view")("uint8"));
  owner_ = bytes;
  texts_.reserve(count);
  const auto* data = reinterpret_cast<const char*>(letters.data());
  for (std::size_t i = 0; i < count; ++i) {
    std::string_view text(data + i * width, width);
    while (!text.empty() && text.back() == '\0') text.remove_suffix(1);
    texts_.push_back(text);
  }
}

void InputTexts::add_stream(nb::handle given) {
  Released<ArrowArrayStream> stream;
  take(given.attr("__arrow_c_stream__")(), "arrow_array_stream", stream.value);
  const auto check = [&](int status) {
    if (status == 0) return;
    const char* message = stream.value.get_last_error(&stream.value);
    throw Error(what_ + "s: the Arrow stream fails: " + (message != nullptr ? message : std::strerror(status)));
  };
  Released<ArrowSchema> schema;
  check(stream.value.get_schema(&stream.value, &schema.value));
  for (;;) {
    ArrowArray& array = arrays_.emplace_back().value;
    check(stream.value.get_next(&stream.value, &array));
    if (array.release == nullptr) break;
    add_arrow(schema.value, array);
  }
}

void InputTexts::add_array(nb::handle given) {
  const auto pair = nb::cast<nb::tuple>(given.attr("__arrow_c_array__")());
  Released<ArrowSchema> schema;
  take(pair[0], "arrow_schema", schema.value);
  ArrowArray& array = arrays_.emplace_back().value;
  take(pair[1], "arrow_array", array);
  add_arrow(schema.value, array);
}

void InputTexts::add_arrow(const ArrowSchema& schema, const ArrowArray& array) {
  const ArrowSchema& values = schema.dictionary != nullptr ? *schema.dictionary : schema;
  const TextAt text_at = reader_of(values.format);
  if (text_at == nullptr) {
    throw UsageError(
        what_ + "s: the Arrow type is not a string" +
        (std::string_view(schema.format) == "+s" ? "; name a column of the table, as in df[\"sequence\"]" : ""));
  }
  texts_.reserve(texts_.size() + static_cast<std::size_t>(array.length));
  for (std::int64_t row = array.offset; row < array.offset + array.length; ++row) {
    if (!is_valid(array, row)) throw UsageError(where() + " is null");
    if (schema.dictionary == nullptr) {
      texts_.push_back(text_at(array, row));
    } else {
      const std::int64_t index = index_at(schema.format, array.buffers[1], row) + array.dictionary->offset;
      if (!is_valid(*array.dictionary, index)) throw UsageError(where() + " is null");
      texts_.push_back(text_at(*array.dictionary, index));
    }
  }
}

}  // namespace trawl::python
