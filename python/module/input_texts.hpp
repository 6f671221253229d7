// Texts that Python gives: str, bytes, lists of them, NumPy and Arrow arrays. They are used where they lie, if they can be.
#pragma once

#include <nanobind/nanobind.h>

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "arrow_abi.hpp"

namespace trawl::python {

/// Of a str or bytes, where they lie. Throws UsageError for other types.
std::string_view letters_of(nanobind::handle given);

class InputTexts {
 public:
  /// `what` they are, for messages: "read". Throws UsageError for other types and for nulls.
  InputTexts(nanobind::handle given, const std::string& what);
  InputTexts(const InputTexts&) = delete;
  InputTexts& operator=(const InputTexts&) = delete;

  const std::vector<std::string_view>& texts() const { return texts_; }
  std::size_t size() const { return texts_.size(); }

 private:
  void add_one(nanobind::handle given);
  void add_list(nanobind::handle given);
  void add_numpy(nanobind::handle given);
  void add_stream(nanobind::handle given);
  void add_array(nanobind::handle given);
  void add_arrow(const ArrowSchema& schema, const ArrowArray& array);
  std::string where() const { return what_ + " " + std::to_string(texts_.size()); }

  std::string what_;
  std::vector<std::string_view> texts_;
  nanobind::object owner_;
  std::deque<Released<ArrowArray>> arrays_;
};

}  // namespace trawl::python
