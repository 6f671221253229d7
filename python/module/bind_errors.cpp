#include <cstring>

#include "bind.hpp"
#include "trawl/error.hpp"

namespace nb = nanobind;

namespace trawl::python {

namespace {

void raise(const char* type, const char* message) {
  const nb::object error = nb::module_::import_("trawl._errors").attr(type);
  // A message may hold bytes of a file that are not UTF-8.
  const nb::object text = nb::steal(PyUnicode_DecodeUTF8(message, static_cast<Py_ssize_t>(std::strlen(message)), "replace"));
  PyErr_SetObject(error.ptr(), text.ptr());
}

}  // namespace

void bind_errors() {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const InputError& error) {
      raise("InputError", error.what());
    } catch (const IoError& error) {
      raise("IoError", error.what());
    } catch (const Cancelled& error) {
      raise("Cancelled", error.what());
    } catch (const Error& error) {
      raise("Error", error.what());
    } catch (const UsageError& error) {
      raise("UsageError", error.what());
    }
  });
}

}  // namespace trawl::python
