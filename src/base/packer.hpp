// Numbers and texts in the bytes of a message. Both sides run the same program on the same kind of machine.
//
//   Packer packer;
//   packer.number(7u).text("chr1").numbers(std::vector<std::uint64_t>{1, 2});
//   Unpacker unpacker(packer.bytes());                  // on the other side, the bytes that came
//   unpacker.number<unsigned>() == 7
//   unpacker.text() == "chr1"
//   unpacker.numbers<std::uint64_t>().size() == 2
//
// A struct that says once which members it has is packed and unpacked by add() and get():
//
//   struct Count {
//     std::string name;
//     std::map<std::string, double> seconds;
//     template <class Self>
//     static auto members(Self& self) { return std::tie(self.name, self.seconds); }
//   };
//   Packer packer;
//   packer.add(Count{"reads", {}});
//   Count count;
//   Unpacker(packer.bytes()).get(count);
//   count.name == "reads"
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace trawl {

class Packer {
 public:
  Packer() = default;
  /// Appends to these bytes.
  explicit Packer(std::string bytes) : bytes_(std::move(bytes)) {}

  /// Any type that may be copied as bytes.
  template <class T>
  Packer& number(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  Packer& text(std::string_view value) {
    number<std::uint64_t>(value.size());
    bytes_.append(value);
    return *this;
  }
  template <class T>
  Packer& numbers(const std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    return text({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
  }
  /// Bytes without their number: whoever unpacks them must know it.
  Packer& bytes(std::string_view value) {
    bytes_.append(value);
    return *this;
  }
  /// A number, a text, a struct with members(), or a pair, vector or map of these.
  template <class T>
  Packer& add(const T& value) {
    if constexpr (requires { T::members(value); }) {
      std::apply([&](const auto&... all) { (add(all), ...); }, T::members(value));
    } else if constexpr (std::is_same_v<T, std::string>) {
      text(value);
    } else if constexpr (std::is_trivially_copyable_v<T>) {
      static_assert(!std::is_pointer_v<T> && !std::is_same_v<T, std::string_view>,
                    "an address means nothing elsewhere");
      number(value);
    } else if constexpr (requires { value.first; }) {
      add(value.first).add(value.second);
    } else {
      number<std::uint64_t>(value.size());
      for (const auto& one : value) {
        add(one);
      }
    }
    return *this;
  }
  template <class T>
  requires std::is_trivially_copyable_v<T> Packer& add(const std::vector<T>& values) { return numbers(values); }
  void reserve(std::size_t bytes) { bytes_.reserve(bytes); }
  std::string_view bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }
  void clear() { bytes_.clear(); }

 private:
  std::string bytes_;
};

class Unpacker {
 public:
  /// Throws Error if the bytes end too early: the ranks are not the same program. Or calls `too_short`, which throws.
  explicit Unpacker(std::string_view bytes, std::function<void()> too_short = {})
      : rest_(bytes), too_short_(std::move(too_short)) {}

  template <class T>
  T number() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  /// A view of the bytes given.
  std::string_view text() { return take(number<std::uint64_t>()); }
  template <class T>
  std::vector<T> numbers() {
    const std::string_view bytes = text();
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!values.empty()) {
      std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    }
    return values;
  }
  /// What Packer::add() has packed.
  template <class T>
  void get(T& value) {
    if constexpr (requires { T::members(value); }) {
      std::apply([&](auto&... all) { (get(all), ...); }, T::members(value));
    } else if constexpr (std::is_same_v<T, std::string>) {
      value = text();
    } else if constexpr (std::is_trivially_copyable_v<T>) {
      value = number<T>();
    } else if constexpr (requires { value.first; }) {
      get(value.first);
      get(value.second);
    } else if constexpr (requires { typename T::mapped_type; }) {
      value.clear();
      for (auto n = number<std::uint64_t>(); n > 0; --n) {
        typename T::key_type key;
        get(key);
        get(value[key]);
      }
    } else {
      value.resize(number<std::uint64_t>());
      for (auto& one : value) {
        get(one);
      }
    }
  }
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void get(std::vector<T>& values) { values = numbers<T>(); }
  /// A view of the next `size` bytes.
  std::string_view bytes(std::uint64_t size) { return take(size); }
  /// What is left.
  std::string_view rest() const { return rest_; }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view take(std::uint64_t size) {
    if (size > rest_.size()) {
      if (too_short_) {
        too_short_();
      }
      throw Error("a message between ranks is too short; is the same trawl started on every node?");
    }
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  std::string_view rest_;
  std::function<void()> too_short_;
};

}  // namespace trawl
