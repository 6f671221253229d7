// Texts that Python gives: str, bytes, lists of them, NumPy and Arrow arrays. They are used where they lie, if they can be.
#pragma once

#include <nanobind/nanobind.h>

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "arrow_abi.hpp"

namespace trawl::python {

class InputTexts {
 public:
  /// `what` they are, for messages: "read". Throws UsageError for other types and for nulls.
  InputTexts(nanobind::handle given, const std::string& what);
  InputTexts(const InputTexts&) = delete;
  InputTexts& operator=(const InputTexts&) = delete;
  ~InputTexts();

  const std::vector<std::string_view>& texts() const { return texts_; }
  std::size_t size() const { return texts_.size(); }
  /// It was a str or bytes, not a list of one.
  bool is_one() const { return is_one_; }

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
  std::deque<ArrowArray> arrays_;
  bool is_one_ = false;
};

}  // namespace trawl::python
